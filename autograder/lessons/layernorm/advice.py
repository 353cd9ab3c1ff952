"""Remarks that never cost points: for a person who should look at a submission."""

from collections.abc import Callable

from autograder.kit import (
    INEXACT,
    OUT_OF_REACH,
    Answers,
    Call,
    Outcome,
    Subject,
    Text,
    answer_of,
    gave_up_on_size,
    how_derived,
    inexact,
    nudged,
)

from . import probes


def advice(answers: Answers, reference: Subject, ask: Callable[[Call], Outcome]) -> tuple[list[Text], list[Text]]:
    """Notices for the student, and reasons for a person to look."""
    backward = answer_of(answers, probes.GENERAL.backward, 3)
    if backward is None:
        return [], []
    watched = ask(probes.WATCHED.watched)
    if any(found := nudged("layer_norm_backward", watched)):
        return found
    if gave_up_on_size(answers, backward, probes.LARGE.backward):
        return [], [OUT_OF_REACH]
    if any(map(inexact, backward.value, reference.answer(probes.GENERAL.backward).value)):
        return [], [INEXACT]
    return [], how_derived(answers, probes.GENERAL, probes.OTHER_UNITS, probes.LARGE, reference, ask, watched)
