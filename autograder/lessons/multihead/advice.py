"""Remarks that never cost points: for the student, and for a person who should look at a submission."""
from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from autograder.compare import TOLERANCE, relative_error
from autograder.lessons.multihead import probes
from autograder.records import Call, Outcome, Subject, Text, text

Answers = Mapping[str, Mapping[Call, Outcome]]       # exercise -> call -> outcome, in the student's own world
EXACT = 1e-12                                   # what derived float64 gradients stay under; float32 does not


def advice(answers: Answers, reference: Subject) -> tuple[list[Text], list[Text]]:
    """Notices for the student, and reasons for a person to look."""
    forward = _pair(answers, "multihead", probes.GENERAL.forward)
    backward = _pair(answers, "multihead_backward", probes.GENERAL.backward)
    notices, for_a_person = [], []
    if forward is not None and "1.x~0" in forward.shares:
        notices.append(text("your cache keeps x itself, not a copy: whoever changes x afterwards changes your cache "
                            "(no points lost)"))
    if forward is not None and _inexact(forward.value[0], reference.answer(probes.GENERAL.forward).value[0]):
        notices.append(text("your y is right to about 7 digits; float64 keeps 16: where do you use float32? "
                            "(no points lost)"))
    elif _gave_up_on_size(answers, backward):
        for_a_person.append(text("the gradients are right, but a large case is out of their reach within the time: "
                                 "were they found by nudging (numerical differentiation)?"))
    elif backward is not None and _inexact_gradient(backward, reference):
        for_a_person.append(text("the gradients are right, but less exact than derived ones are: were they found by "
                                 "nudging (numerical differentiation)?"))
    return notices, for_a_person


def _gave_up_on_size(answers: Answers, backward: Outcome | None) -> bool:
    large = answers.get("multihead_backward", {}).get(probes.LARGE.backward)
    """Whether backward answers small questions and runs out of time on the large one."""
    return backward is not None and large is not None and large.status == "timed_out"


def _pair(answers: Answers, exercise: str, call: Call) -> Outcome | None:
    """The student's own answer, where it is a pair."""
    outcome = answers.get(exercise, {}).get(call)
    pair = outcome is not None and isinstance(outcome.value, tuple) and len(outcome.value) == 2
    return outcome if pair else None


def _inexact(got: object, want: np.ndarray) -> bool:
    """Right within the tolerance of the checks, and yet not as exact as float64."""
    return (isinstance(got, np.ndarray) and got.shape == want.shape and got.dtype.kind == "f"
            and EXACT < relative_error(got, want) <= TOLERANCE)


def _inexact_gradient(backward: Outcome, reference: Subject) -> bool:
    dx, grads = backward.value
    want_dx, want = reference.answer(probes.GENERAL.backward).value
    return _inexact(dx, want_dx) or isinstance(grads, dict) and any(
        _inexact(grads.get(name), want[name]) for name in probes.WEIGHTS)
