"""Remarks that never cost points: for the student, and for a person who should look at a submission."""

from collections.abc import Callable

from autograder.lessons.kit.remarks import (
    INEXACT,
    OUT_OF_REACH,
    Answers,
    answer_of,
    gave_up_on_size,
    how_derived,
    how_exact,
    inexact,
    nudged,
)
from autograder.lessons.multihead import probes
from autograder.records import Call, Outcome, Subject, Text, text


def advice(answers: Answers, reference: Subject, ask: Callable[[Call], Outcome]) -> tuple[list[Text], list[Text]]:
    """Notices for the student, and reasons for a person to look."""
    forward = answer_of(answers, probes.GENERAL.forward, 2)
    backward = answer_of(answers, probes.GENERAL.backward, 2)
    notices: list[Text] = []
    for_a_person: list[Text] = []
    if forward is not None and "1.x~0" in forward.shares:
        notices.append(text("your cache keeps x itself, not a copy: whoever changes x afterwards changes your cache "
                            "(no points lost)"))
    want = reference.answer(probes.GENERAL.forward).value[0]
    watched = None if backward is None else ask(probes.WATCHED.watched)
    if watched is not None:
        told, for_a_person = nudged("multihead_backward", watched)
        notices += told
    if forward is not None and inexact(forward.value[0], want):
        notices.append(how_exact(forward.value[0], want))           # which says why the gradient is inexact too
    elif not for_a_person and gave_up_on_size(answers, backward, probes.LARGE.backward):
        for_a_person.append(OUT_OF_REACH)
    elif not for_a_person and backward is not None and _inexact_gradient(backward, reference):
        for_a_person.append(INEXACT)
    elif not for_a_person and watched is not None:
        for_a_person += how_derived(answers, probes.GENERAL, probes.OTHER_UNITS, probes.LARGE, reference, ask, watched)
    return notices, for_a_person


def _inexact_gradient(backward: Outcome, reference: Subject) -> bool:
    dx, grads = backward.value
    want_dx, want = reference.answer(probes.GENERAL.backward).value
    return inexact(dx, want_dx) or isinstance(grads, dict) and any(
        inexact(grads.get(name), want[name]) for name in probes.WEIGHTS)
