"""Make remarks that never cost points, shared by several lessons: how exact an answer is."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from autograder.lessons.kit.cases import Case
from autograder.lessons.kit.compare import TOLERANCE, relative_error
from autograder.records import Call, Outcome, Subject, Text, text

Answers = Mapping[str, Mapping[Call, Outcome]]       # exercise -> call -> outcome, in the student's own world
EXACT = 1e-12                                   # what derived float64 gradients stay under; float32 does not

OUT_OF_REACH = text("the gradients are right, but a large case is out of their reach within the time: does the student "
                    "compute number by number, or find gradients by nudging (numerical differentiation)?")
INEXACT = text("the gradients are right, but less exact than float64 allows: does the student compute in float32 or "
               "with a small number added somewhere, or find gradients by nudging (numerical differentiation)?")

NUDGED = text("the gradients may have been found by nudging (numerical differentiation): in the backward an input "
              "comes up with its numbers changed one by one, or a number with an imaginary part; ask how they were "
              "derived")
IN_OTHER_UNITS = text("the gradients may have been found by nudging (numerical differentiation): they are right for "
                      "ordinary numbers, and wrong for the same case in other units, as with a step of a fixed size; "
                      "ask how they were derived")
NOT_IN_A_LARGE_CASE = text("the gradients are right in small cases and wrong in a large one, as where something that "
                           "takes too long is given up; ask how they were derived")
UNWATCHED = text("whether the gradients were found by nudging (numerical differentiation) could not be watched to the "
                 "end: the backward does very much, or keeps itself from being traced; ask how they were derived")
NUDGES = text("your {function} seems to find gradients by nudging numbers one by one (numerical differentiation). "
              "That costs no points by itself, but this exercise asks for gradients that you derive")


def nudged(function: str, watched: Outcome) -> tuple[list[Text], list[Text]]:
    """A notice for the student and a reason for a person to look, if the call moved the numbers that were watched."""
    return ([text(NUDGES.template, function=function)], [NUDGED]) if watched.moved else ([], [])


def how_derived(answers: Answers, general: Case, others: Sequence[Case], large: Case, reference: Subject,
                ask: Callable[[Call], Outcome], watched: Outcome) -> list[Text]:
    """Why a person should ask how gradients were derived that are exact for `general`; nothing if there is no reason.

    `others` are cases in other units (Case.in_units). Automatic differentiation, by dual numbers or a tape, is exact
    in all units, and is not meant: it derives.
    """
    given = answers.get(general.backward.function, {})
    if not _agrees(given[general.backward].value, reference.answer(general.backward).value, _as_a_whole):
        return []
    if any(_lost_by_units(case, reference, ask) for case in others):
        return [IN_OTHER_UNITS]
    in_large = given.get(large.backward)
    if in_large is not None and _differs(in_large, reference.answer(large.backward).value, _as_a_whole):
        return [NOT_IN_A_LARGE_CASE]
    ended = watched.status != "answered" and watched.seconds > 0       # where nobody watches, it answers
    return [UNWATCHED] if watched.unwatched or ended else []


def _lost_by_units(case: Case, reference: Subject, ask: Callable[[Call], Outcome]) -> bool:
    """Whether the forward can do with these units, and the backward cannot."""
    forward, y = ask(case.forward).value, reference.answer(case.forward).value[0]
    return (isinstance(forward, tuple) and len(forward) > 1 and _agrees(forward[0], y, _each)
            and _differs(ask(case.backward), reference.answer(case.backward).value, _each))


def _as_a_whole(got: np.ndarray, want: np.ndarray) -> bool:
    return relative_error(got, want) <= EXACT


def _each(got: np.ndarray, want: np.ndarray) -> bool:
    """Each number in its own units."""
    with np.errstate(all="ignore"):
        return bool(np.all(np.abs(got - want) <= TOLERANCE * np.abs(want)))


def _differs(outcome: Outcome, want: Any, close: Callable[[np.ndarray, np.ndarray], bool]) -> bool:
    """Whether what came back is wrong, and not merely missing: time and memory have remarks of their own."""
    return outcome.status == "raised" or outcome.status == "answered" and not _agrees(outcome.value, want, close)


def _agrees(got: Any, want: Any, close: Callable[[np.ndarray, np.ndarray], bool]) -> bool:
    """Whether all arrays of an answer are close to those that are wanted."""
    if isinstance(want, dict):
        return isinstance(got, dict) and all(_agrees(got.get(name), part, close) for name, part in want.items())
    if isinstance(want, tuple):
        return isinstance(got, tuple) and len(got) == len(want) and all(
            _agrees(mine, part, close) for mine, part in zip(got, want, strict=True))
    return isinstance(got, np.ndarray) and got.shape == want.shape and got.dtype.kind == "f" and close(got, want)


def answer_of(answers: Answers, call: Call, parts: int) -> Outcome | None:
    """The student's own answer, if it is a tuple of this many parts."""
    outcome = answers.get(call.function, {}).get(call)
    fits = outcome is not None and isinstance(outcome.value, tuple) and len(outcome.value) == parts
    return outcome if fits else None


def gave_up_on_size(answers: Answers, small: Outcome | None, large: Call) -> bool:
    """Whether a function answers a small question and runs out of time on the large one."""
    outcome = answers.get(large.function, {}).get(large)
    return small is not None and outcome is not None and outcome.status == "timed_out"


def inexact(got: object, want: np.ndarray) -> bool:
    """Right within the tolerance of the checks, but less exact than float64."""
    return (isinstance(got, np.ndarray) and got.shape == want.shape and got.dtype.kind == "f"
            and EXACT < relative_error(got, want) <= TOLERANCE)


def how_exact(got: np.ndarray, want: np.ndarray) -> Text:
    """To how many digits y is right; float32 is mentioned only if y is float32."""
    if got.dtype == np.float32:
        return text("your y is float32, which keeps about 7 digits; float64 keeps 16")
    return text("your y is right to about {digits} digits; float64 keeps 16",
                digits=int(-np.log10(relative_error(got, want))))
