"""Ask a backward straight after its own forward, where that is the only time at which it is right.

A backward that reads what its forward left in a global, or in an attribute of a function, answers about the last
question that the forward was asked. Its derivation may be right all the same: then it loses what is paid for
remembering nothing, and nothing else.
"""

from collections.abc import Mapping

import numpy as np

from autograder.judge.worlds import AskIn, Attempt, Judged, retry
from autograder.lessons.kit.compare import unchanged
from autograder.records import Call, Outcome, Result, Subject, text
from autograder.sandbox.wire.tree import leaves

WORLD = "straight-after"


class StraightAfter(AskIn):
    """Asks about an answer that was given just now, to the same question as the one that a check names."""

    def __init__(self, subject: Subject, reference: Subject):
        super().__init__(WORLD, subject, reference)
        self._asked: dict[Call, Call] = {}

    def _really(self, call: Call) -> Call:
        if call not in self._asked:
            self._asked[call] = Call(call.function, tuple([_again(arg) for arg in call.args]))
        return self._asked[call]


def _again(arg: object) -> object:
    return Result(Call(arg.of.function, arg.of.args), arg.part, arg.instead) if isinstance(arg, Result) else arg


def straight_after(judged: Mapping[str, Judged], own: Subject, reference: Subject) -> None:
    """Let what holds straight after the student's own forward pass, where other questions in between spoil it.

    Where the forward is right, these answers are diagnosed too.
    """
    for one in judged.values():
        forward = judged.get(one.exercise.differentiates or "")
        memory = [index for index, check in enumerate(one.exercise.checks) if check.memory]
        if one.complete or forward is None or not memory or not _depends_on_the_order(one, own, reference):
            continue
        ask = StraightAfter(own, reference)
        holds = [index for index, again in retry(one, ask, lambda check: not check.memory) if again.word == "passed"]
        if holds:
            names = {"function": one.exercise.name, "forward": forward.exercise.name}
            for index in holds:
                one.attempts[index] = Attempt("passed", text(_IN_BETWEEN.template, **names), WORLD)
            for index in memory:
                one.attempts[index] = Attempt("wrong", text(_ELSEWHERE.template, **names))
            if forward.complete:
                one.answers[WORLD] = {**one.answers["own"], **ask.answers}


_IN_BETWEEN = text("right straight after {forward}; it only failed because {forward} was asked something else in "
                   "between")
_ELSEWHERE = text("{function} gives another answer straight after {forward} was asked the same thing than it gives "
                  "later; does it read what {forward} keeps outside the cache, in a global for example?")


def only_remembers(one: Judged) -> bool:
    """Whether everything is right but what is paid for remembering nothing."""
    return one.passed_in(WORLD) and all(attempt.word == "passed" or check.memory
                                        for attempt, check in zip(one.attempts, one.exercise.checks, strict=True))


def _depends_on_the_order(one: Judged, own: Subject, reference: Subject) -> bool:
    """Whether the telling question gets another answer straight after its own forward."""
    call = one.exercise.telling
    if call is None or (before := one.answers["own"].get(call)) is None or before.status not in ("answered", "raised"):
        return False
    after = StraightAfter(own, reference).outcome(call)
    return after.status == "answered" and not (before.status == "answered" and _same(before, after))


def _same(one: Outcome, other: Outcome) -> bool:
    """Whether two answers hold the same numbers, but for rounding."""
    first, second = ([leaf for leaf in leaves(outcome.value) if isinstance(leaf, np.ndarray)]
                     for outcome in (one, other))
    return len(first) == len(second) and all(map(unchanged, second, first))
