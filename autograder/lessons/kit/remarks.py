"""Make remarks that never cost points, shared by several lessons: how exact an answer is."""
from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from autograder.lessons.kit.compare import TOLERANCE, relative_error
from autograder.records import Call, Outcome, Text, text

Answers = Mapping[str, Mapping[Call, Outcome]]       # exercise -> call -> outcome, in the student's own world
EXACT = 1e-12                                   # what derived float64 gradients stay under; float32 does not

OUT_OF_REACH = text("the gradients are right, but a large case is out of their reach within the time: does the student "
                    "compute number by number, or find gradients by nudging (numerical differentiation)?")
INEXACT = text("the gradients are right, but less exact than float64 allows: does the student compute in float32 or "
               "with a small number added somewhere, or find gradients by nudging (numerical differentiation)?")

NUDGED = text("the gradients may have been found by nudging (numerical differentiation): an input comes up in the "
              "backward with its numbers changed one by one; ask how they were derived")
NUDGES = text("your {function} seems to find gradients by nudging numbers one by one (numerical differentiation). "
              "That costs no points by itself, but this exercise asks for gradients that you derive")


def nudged(function: str, watched: Outcome) -> tuple[list[Text], list[Text]]:
    """A notice for the student and a reason for a person to look, if the call moved the numbers that were watched."""
    return ([text(NUDGES.template, function=function)], [NUDGED]) if watched.moved else ([], [])


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
