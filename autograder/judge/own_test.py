"""Try a student's own test on right implementations and on known mistakes.

Each implementation is met without any memory of the others: in a fresh process of its own, or in one process for all
where the source shows that the test cannot remember (sandbox.forgetful). What the outcomes are worth, checks decide.

A test may compare with the student's own functions. Where those are wrong it rejects everything, and the error would
cost twice: then the reference replaces them, wherever they are defined.
"""

import random
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from types import MappingProxyType

from autograder.judge.worlds import AskIn, Attempt, Judged, Open, attempt, functions_of
from autograder.lessons.kit.exceptions import met_our_bound
from autograder.lessons.kit.lesson import UNWRITTEN, Exercise, Implementation, is_stub
from autograder.records import Call, Outcome, Proxy, Subject, Text, text

#: the subject that an implementation is
SubjectOf = Callable[[Implementation], Subject]
NONE_KNOWN: Mapping[str, Outcome] = MappingProxyType({})
LASTED, LONGEST_PAUSE = 0.05, 0.5         # seconds


@dataclass(frozen=True)
class Trials:
    """One student's own test, and the processes in which it is tried."""

    exercise: Exercise
    open_subject: Open
    subject_of: SubjectOf
    reference: Subject
    of_an_example: Callable[[str], bool] = lambda name: False

    def judged(self, known: Mapping[str, Outcome] = NONE_KNOWN) -> Judged:
        """The test, run once per implementation, each in a fresh process, in random order.

        What is `known` of it already (see `in_one`) is not tried again, but for one that was rejected, at random: a
        test that rejected it because of what it saw earlier does not do so alone. Then nothing counts as known.
        """
        name = self.exercise.name
        audited = _shuffled(one for one, outcome in known.items() if outcome.status == "raised"
                            and not is_stub(name, outcome))[:1]
        again = self._in_fresh_ones(audited, ()) if audited else {}
        if any(outcome.status != known[one].status for one, outcome in again.items()):
            known = {}
        outcomes = {**known, **again}
        order = _shuffled(one for one in self.exercise.implementations if one not in outcomes)
        if order:
            outcomes |= self._in_fresh_ones(order, ())
        return self._judged(outcomes)

    def with_stand_ins(self, names: tuple[str, ...], at_once: bool) -> Judged | None:
        """The same with the reference replacing these functions; None if it still rejects what is right."""
        if not names:
            return None
        outcomes: dict[str, Outcome] = {}
        if at_once:
            with self._opened(names) as subject:
                outcomes = self._in_turn(subject)
        order = _shuffled(one for one in self.exercise.implementations if one not in outcomes)
        if order:
            outcomes |= self._in_fresh_ones(order, names)
        judged = self._judged(outcomes)
        return judged if accepts(judged) else None

    def in_one(self, subject: Subject) -> dict[str, Outcome]:
        """The trials of a test that is known to keep nothing from one call to the next, in one process.

        The process must not have answered anything yet, and is afterwards as it was before. Of what it does not
        survive, and after that, nothing is known.
        """
        return self._in_turn(subject) if subject.forgets(self.exercise.name) else {}

    def _in_turn(self, subject: Subject) -> dict[str, Outcome]:
        known: dict[str, Outcome] = {}
        for name in _shuffled(self.exercise.implementations):
            outcome = subject.answer(self._trial(name))
            if outcome.status not in ("answered", "raised"):
                break
            known[name] = outcome
            if is_stub(self.exercise.name, outcome):
                return dict.fromkeys(self.exercise.implementations, outcome)
        return known

    def _in_fresh_ones(self, order: list[str], replaced: tuple[str, ...]) -> dict[str, Outcome]:
        outcomes: dict[str, Outcome] = {}
        slow = 0
        for name in order:
            began = time.monotonic()
            with self._opened(replaced) as subject:
                outcomes[name] = subject.answer(self._trial(name))
            slow += outcomes[name].status == "timed_out"
            if outcomes[name].status == "missing" or is_stub(self.exercise.name, outcomes[name]):
                return dict.fromkeys(order, outcomes[name])             # there is nothing to try
            if slow >= 2:
                break
            _have_no_say_in_when_the_next_one_begins(time.monotonic() - began)
        return {name: outcomes.get(name, Outcome("timed_out")) for name in order}

    def _trial(self, name: str) -> Call:
        implementation = self.exercise.implementations[name]
        answers = functions_of(self.subject_of(implementation), implementation.functions)
        return Call(self.exercise.name, tuple(Proxy(*one) for one in answers.items()))

    def _opened(self, replaced: tuple[str, ...]) -> AbstractContextManager[Subject]:
        return self.open_subject(functions_of(self.reference, replaced), replaced)

    def accepts_their_own(self) -> bool:
        """Whether the test accepts the student's own functions, which a process of its own answers for."""
        names = next(iter(self.exercise.implementations.values())).functions
        with self._opened(()) as own, self._opened(()) as subject:
            answers = functions_of(own, names)
            call = Call(self.exercise.name, tuple(Proxy(*one) for one in answers.items()))
            return subject.answer(call).status == "answered"

    def _judged(self, outcomes: Mapping[str, Outcome]) -> Judged:
        ask = AskIn("own", self.reference, self.reference, trials=outcomes, of_an_example=self.of_an_example)
        answers = {Call(self.exercise.name, ()): outcome for outcome in outcomes.values()}
        return Judged(self.exercise, [attempt(check, ask) for check in self.exercise.checks], {"own": answers})


def _shuffled(names: Iterable[str]) -> list[str]:
    order = list(names)
    random.SystemRandom().shuffle(order)
    return order


def _have_no_say_in_when_the_next_one_begins(lasted: float) -> None:
    """After a trial that lasted, wait for a random time: when it ended would tell the next one something."""
    if lasted > LASTED:
        time.sleep(random.uniform(0.0, min(lasted, LONGEST_PAUSE)))


def gates(exercise: Exercise) -> list[int]:
    """The checks that others need: hidden values of a function; of a test, that what is right is accepted."""
    needed = {name for check in exercise.checks for name in check.needs}
    return [index for index, check in enumerate(exercise.checks) if check.name in needed]


def accepts(judged: Judged) -> bool:
    """Whether the test accepts what is right."""
    return all(judged.attempts[index].word == "passed" for index in gates(judged.exercise))


def rejects(judged: Judged) -> bool:
    """Whether the test ran to an end and rejected something that is right."""
    return any(judged.attempts[index].word == "wrong" for index in gates(judged.exercise))


def stood_in(judged: Judged, functions: Sequence[str]) -> Judged:
    """The test with a note on each check that passed only because the reference replaced these functions."""
    because = text("right; it only failed because of your {functions}", functions=", ".join(functions))
    return replace(judged, attempts=[replace(one, why=because, world="stand-in") if one.word == "passed" else one
                                     for one in judged.attempts])


def blamed(judged: Judged, why: Text) -> Judged:
    """The test with another reason for what it rejected."""
    attempts: list[Attempt] = list(judged.attempts)
    for index in gates(judged.exercise):
        if attempts[index].word == "wrong":
            attempts[index] = replace(attempts[index], why=why)
    return replace(judged, attempts=attempts)


# --- the order of the worlds --------------------------------------------------------------------------------------

def own_test(trials: Trials, known: Mapping[str, Outcome], judged: Mapping[str, Judged],
             explained: Callable[[Judged], bool]) -> tuple[Judged, list[Text]]:
    """The test with the student's own functions; where it rejects what is right, with stand-ins for those.

    The reference replaces attempts only: what is right somewhere, or `explained` by a known mistake or by steps, or of
    which the first wrong step is known and something before it is right. What is not written, or answers nothing that
    comes near, is not replaced; whether the test fails because of that is found out by trying, and said.
    """
    tested = trials.judged(known)
    if any(map(met_our_bound, tested.answers_to(trials.exercise.name))):
        return tested, [text("own_test gives a function, or gets from it, more numbers than the autograder passes on "
                             "in one call; a person should look at own_test")]
    lost = _lost(judged) if rejects(tested) else ()
    attempts = tuple(name for name in lost if _is_right_somewhere(judged[name]) or explained(judged[name]))
    again = trials.with_stand_ins(attempts, bool(known))
    wrong = [name for name in attempts if not judged[name].complete]
    if again is not None:
        return stood_in(again, wrong or attempts), []
    others = tuple(name for name in lost if name not in attempts)
    if not others or trials.with_stand_ins(lost, bool(known)) is None:
        wrong = [name for name in lost if not judged[name].complete]
        return _with_a_copy(tested, wrong) if wrong and trials.accepts_their_own() else (tested, [])
    unwritten = [name for name in others if _words(judged[name]) <= {"unwritten", "missing"}]
    if unwritten:
        return blamed(tested, text("own_test compares with your own {functions}, and that is not written yet",
                                   functions=", ".join(unwritten))), []
    answering = ", ".join(name for name in others if "wrong" in _words(judged[name]))
    if answering:                               # else what it stops with is said already
        tested = blamed(tested, text("own_test compares with your own {functions}, in which too little is right yet; "
                                     "improve that first", functions=answering))
    elif any(map(_waits_for_another, (judged[name] for name in others))):
        return tested, []
    return tested, [
        text("own_test compares with the student's own {functions}, in which too little right was found, so the "
             "reference replaced nothing there; a person should look at own_test",
             functions=answering or ", ".join(others))]


def _with_a_copy(tested: Judged, lost: Sequence[str]) -> tuple[Judged, list[Text]]:
    """What is said where the test takes what is wrong for right, wherever it has that from."""
    functions = ", ".join(lost)
    return blamed(tested, text(
        "own_test accepts your own {functions} and rejects what is right, so it expects the same mistake; look at "
        "{functions} first", functions=functions)), [text(
            "own_test accepts the student's own {functions}, in which something is wrong, and rejects what is right: "
            "it may hold a copy of that; a person should look at own_test", functions=functions)]


def _lost(judged: Mapping[str, Judged]) -> tuple[str, ...]:
    """Functions that are wrong, or right only in a later world; a forward and its backward share a cache."""
    lost = {name for name, one in judged.items() if any(attempt.world != "own" for attempt in one.attempts)}
    for name, one in judged.items():
        pair = {name, one.exercise.differentiates} & judged.keys()
        if len(pair) == 2 and pair & lost:
            lost |= pair
    return tuple(name for name in judged if name in lost)


def _is_right_somewhere(one: Judged) -> bool:
    """Whether a value that is not in the notebook was right."""
    return any(one.attempts[index].word == "passed" for index in gates(one.exercise))


def _waits_for_another(one: Judged) -> bool:
    """Whether something that it calls is not written."""
    return any(UNWRITTEN in outcome.kinds for outcome in one.answers_to(one.exercise.name))


def _words(one: Judged) -> set[str]:
    return {attempt.word for attempt in one.attempts}
