"""A student's own test, tried on implementations that are right and on known mistakes.

Each implementation is met without any memory of the others: in a fresh process of its own, or in one process for all
where the source shows that the test cannot remember (sandbox.forgetful). What the outcomes are worth, checks decide.
"""
from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from types import MappingProxyType

from autograder.judge.worlds import AskIn, Judged, Open, attempt, functions_of
from autograder.lessons.kit.lesson import Exercise, Implementation, is_stub
from autograder.records import Call, Outcome, Proxy, Subject

#: the subject that an implementation is
SubjectOf = Callable[[Implementation], Subject]
NONE_KNOWN: Mapping[str, Outcome] = MappingProxyType({})
LASTED, LONGEST_PAUSE = 0.05, 0.5         # seconds


def trials(exercise: Exercise, open_subject: Open, subject_of: SubjectOf, reference: Subject,
           known: Mapping[str, Outcome] = NONE_KNOWN,
           of_an_example: Callable[[str], bool] = lambda name: False) -> Judged:
    """A student's own test, run once per implementation, each in a fresh process, in random order.

    What is `known` of it already (see `trials_in_one`) is not tried again, but for one that was rejected, at random: a
    test that rejected it because of what it saw earlier does not do so alone. Then nothing counts as known.
    """
    audited = _shuffled(name for name, outcome in known.items() if outcome.status == "raised"
                        and not is_stub(exercise.name, outcome))[:1]
    again = _trials_in_fresh_ones(exercise, audited, open_subject, subject_of) if audited else {}
    if any(outcome.status != known[name].status for name, outcome in again.items()):
        known = {}
    outcomes = {**known, **again}
    order = _shuffled(name for name in exercise.implementations if name not in outcomes)
    if order:
        outcomes |= _trials_in_fresh_ones(exercise, order, open_subject, subject_of)
    ask = AskIn("own", reference, reference, trials=outcomes.__getitem__, of_an_example=of_an_example)
    return Judged(exercise, [attempt(check, ask) for check in exercise.checks])


def trials_in_one(exercise: Exercise, subject: Subject, answering: dict[str, Callable[..., Outcome]],
                  subject_of: SubjectOf) -> dict[str, Outcome]:
    """The trials of a test that is known to keep nothing from one call to the next, in one process.

    The process must not have answered anything yet, and is afterwards as it was before. `answering` are its stand-ins.
    Of what it does not survive, and after that, nothing is known.
    """
    known: dict[str, Outcome] = {}
    if not subject.forgets(exercise.name):
        return known
    for name in _shuffled(exercise.implementations):
        implementation = exercise.implementations[name]
        answering.update(functions_of(subject_of(implementation), implementation.functions))
        outcome = subject.answer(_trial(implementation, exercise.name))
        answering.clear()
        if outcome.status not in ("answered", "raised"):
            break
        known[name] = outcome
        if is_stub(exercise.name, outcome):
            return dict.fromkeys(exercise.implementations, outcome)
    return known


def _shuffled(names: Iterable[str]) -> list[str]:
    order = list(names)
    random.SystemRandom().shuffle(order)
    return order


def _trials_in_fresh_ones(exercise: Exercise, order: list[str], open_subject: Open, subject_of: SubjectOf
                          ) -> dict[str, Outcome]:
    outcomes: dict[str, Outcome] = {}
    slow = 0
    for name in order:
        implementation, began = exercise.implementations[name], time.monotonic()
        with open_subject(functions_of(subject_of(implementation), implementation.functions), ()) as subject:
            outcomes[name] = subject.answer(_trial(implementation, exercise.name))
        slow += outcomes[name].status == "timed_out"
        if outcomes[name].status == "missing" or is_stub(exercise.name, outcomes[name]):
            return dict.fromkeys(order, outcomes[name])             # there is nothing to try
        if slow >= 2:
            break
        _have_no_say_in_when_the_next_one_begins(time.monotonic() - began)
    return {name: outcomes.get(name, Outcome("timed_out")) for name in order}


def _have_no_say_in_when_the_next_one_begins(lasted: float) -> None:
    """After a trial that lasted, wait for a random time: when it ended would tell the next one something."""
    if lasted > LASTED:
        time.sleep(random.uniform(0.0, min(lasted, LONGEST_PAUSE)))


@cache
def _trial(implementation: Implementation, name: str) -> Call:
    return Call(name, tuple(Proxy(function) for function in implementation.functions))
