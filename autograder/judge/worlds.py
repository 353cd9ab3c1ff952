"""Turn a subject and checks into verdicts, world by world.

An error costs once: a check passes if it holds in any world, and later worlds are only tried after a failure.
1. "own": the student's own functions together. It is finished for all exercises before anything is replaced.
2. "stand-in": the reference replaces the earlier exercises, in a fresh process, and only if one of those lost
   points in the own world; if they are all right, a stand-in could only hide an error that has not cost anything yet.
3. "own-derivative": finite differences of the student's own forward replace the reference.
`engine` knows the order; what happens in each is here, and in `mended` for a cache that nothing can replace.
"""
from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any, Protocol

import numpy as np

from autograder.faults import place_of
from autograder.judge.reasons import why_unanswered
from autograder.judge.referred import lengths_of, with_reference
from autograder.lessons.kit.compare import NotPlain
from autograder.lessons.kit.lesson import UNWRITTEN, Check, Exercise, Lesson, Unanswered, Wrong, is_stub
from autograder.lessons.kit.quoting import quoted
from autograder.records import Call, Outcome, Picture, Result, StandIns, Subject, Text, text
from autograder.sandbox.wire.tree import leaves
from autograder.sandbox.wire.wire import WireError

NO_TRIALS: Mapping[str, Outcome] = MappingProxyType({})
#: the message about an example until it is asked by itself, in a process that saw nothing hidden
NOT_YET_SHOWN = text("this example does not come out as the notebook says")


class Open(Protocol):
    """Opens a fresh process with the student's code; `install` names stand-ins that replace the student's own."""

    def __call__(self, stand_ins: StandIns, install: tuple[str, ...]) -> AbstractContextManager[Subject]: ...


@dataclass(frozen=True)
class Attempt:
    """The result of one check in one world."""

    word: str
    why: Text | None = None
    world: str | None = None                    # where it passed
    picture: Picture | None = None
    ask: AskIn | None = field(default=None, compare=False, repr=False)      # how it was asked


def _never(name: str) -> bool:
    return False


@dataclass
class Judged:
    """One exercise: the last attempt of each check, and everything that was answered on the way."""

    exercise: Exercise
    attempts: list[Attempt] = field(default_factory=list)
    answers: dict[str, dict[Call, Outcome]] = field(default_factory=dict)      # world -> call -> outcome
    of_an_example: Callable[[str], bool] = _never       # whether a name is a variable of the notebook's examples
    explained: dict[object, Any] = field(default_factory=dict, compare=False, repr=False)   # what diagnosis found

    @property
    def complete(self) -> bool:
        """Whether every check passed."""
        return all(attempt.word == "passed" for attempt in self.attempts)

    def passed_in(self, world: str) -> bool:
        """Whether some check passed in this world."""
        return any(attempt.world == world for attempt in self.attempts)

    @property
    def needs_its_own_earlier_answers(self) -> bool:
        """Whether it answers questions about its own earlier answers, but fails on the reference's."""
        own, stand_in = self.answers["own"], self.answers.get("stand-in", {})
        return any(outcome.status == "raised" and call in own and own[call].status == "answered"
                   for call, outcome in stand_in.items() if call.function == self.exercise.name)

    @property
    def is_a_stub(self) -> bool:
        """Whether its function says that it is not written, whatever it was asked."""
        own = [outcome for call, outcome in self.answers["own"].items() if call.function == self.exercise.name]
        return bool(own) and all(is_stub(self.exercise.name, outcome) for outcome in own)

    def answers_to(self, name: str) -> list[Outcome]:
        """What the function of this name answered, in any world."""
        return [outcome for world in self.answers.values() for call, outcome in world.items() if call.function == name]

    @property
    def reads_no_other_cache(self) -> bool:
        """Whether it stops at every cache of the reference's, and not because something is missing."""
        tried = self._tried
        return bool(tried) and all(one.status == "raised" and _NO_KEY.isdisjoint(one.kinds) for one in tried)

    @property
    def reads_any_cache(self) -> bool:
        """Whether it answers, rightly or not, to each cache of the reference's."""
        return bool(self._tried) and all(one.status == "answered" for one in self._tried)

    @property
    def _tried(self) -> list[Outcome]:
        return [one for call, one in self.answers.get("stand-in", {}).items() if call.function == self.exercise.name]


#: what is raised for another reason than a cache that is laid out differently
_NO_KEY = frozenset({UNWRITTEN, "NameError", "ImportError"})


class AskIn:
    """How a check asks its questions in one world (lesson.Ask)."""

    def __init__(self, world: str, subject: Subject, reference: Subject, stand_ins: Iterable[str] = (),
                 trials: Mapping[str, Outcome] = NO_TRIALS, of_an_example: Callable[[str], bool] = _never,
                 installed: tuple[str, ...] = (), only_examples: bool = False):
        self.world, self._subject, self._reference = world, subject, reference
        self._stand_ins, self._trials, self.of_an_example = frozenset(stand_ins), trials, of_an_example
        self.installed, self.only_examples = installed, only_examples
        self.answers: dict[Call, Outcome] = {}
        self._last: Call | None = None

    def of_examples(self, subject: Subject) -> AskIn:
        """The same for a fresh process that is asked about examples only: what it says may be shown."""
        return AskIn(self.world, subject, self._reference, self._stand_ins, NO_TRIALS, self.of_an_example,
                     self.installed, only_examples=True)

    def lengths(self) -> frozenset[int]:
        """The lengths of axes that belong to the last question, and to its right answer."""
        return frozenset() if self._last is None else lengths_of(self._last, self._reference)

    def outcome(self, call: Call) -> Outcome:
        self._last = call
        if call not in self.answers:
            self.answers[call] = self._subject.answer(self._really(call))
        return self.answers[call]

    def _really(self, call: Call) -> Call:
        """The call as it is put to the subject."""
        return with_reference(call, self._reference, self._stand_ins)

    def value(self, call: Call) -> Any:
        outcome = self.outcome(call)
        if outcome.status != "answered":
            raise Unanswered(*self._first_without_answer(call, outcome))
        return outcome.value

    def _first_without_answer(self, call: Call, outcome: Outcome) -> tuple[str, Outcome]:
        """The function to name: the one whose earlier answer was needed but missing, if any."""
        for arg in self._really(call).args:
            if isinstance(arg, Result) and (earlier := self._subject.answer(arg.of)).status != "answered":
                return arg.of.function, earlier
        return call.function, outcome

    def unchanged(self, call: Call) -> bool:
        return self._subject.unchanged(self._really(call))

    def expected(self, call: Call) -> Any:
        return self._reference.answer(call).value

    def trial(self, implementation: str) -> Outcome:
        return self._trials[implementation]

    def answered(self, function: str) -> bool:
        return any(call.function == function and outcome.status == "answered" for call, outcome in self.answers.items())


def attempt(check: Check, ask: AskIn) -> Attempt:
    """Run one check. Anything that goes wrong inside the check itself is our fault: "broken".

    What it says is quoted: of a hidden question almost nothing, of an example nothing yet unless `ask` is of examples.
    """
    made = _attempt(check, ask)
    if made.word == "passed":
        return made
    made = replace(made, ask=ask)
    if check.shown and not ask.only_examples and made.word in ("wrong", "raised"):
        return replace(made, why=NOT_YET_SHOWN, picture=None)
    if made.why is None:
        return made
    lengths = None if ask.only_examples else ask.lengths()
    whole = made.picture is None or lengths is None or lengths.issuperset(made.picture.got)
    return replace(made, why=quoted(made.why, lengths), picture=made.picture if whole else None)


def _attempt(check: Check, ask: AskIn) -> Attempt:
    try:
        check.run(ask)
    except Wrong as wrong:
        return Attempt("wrong", wrong.why, picture=wrong.picture)
    except NotPlain as odd:
        return Attempt("refused" if odd.opaque else "wrong", odd.why)
    except Unanswered as unanswered:
        outcome = unanswered.outcome
        word = "unwritten" if is_stub(unanswered.function, outcome) else outcome.status
        return Attempt(word, why_unanswered(unanswered.function, outcome, ask.only_examples, ask.of_an_example))
    except WireError as error:                  # an argument that cannot be sent: nothing of an answer's
        return Attempt("broken", text("the check itself failed: {error}", error=f"WireError: {error}"))
    except Exception as error:                  # whose text may say what an answer holds
        return Attempt("broken", text("the check itself failed: {error}", error=place_of(error)))
    return Attempt("passed", None, ask.world, ask=ask)


# --- the worlds ---------------------------------------------------------------------------------------------------

def own_world(lesson: Lesson, subject: Subject, reference: Subject) -> dict[str, Judged]:
    """Every exercise that calls functions, with the student's own functions together.

    An ungraded exercise is asked as well if a graded one builds on it: its error must not cost points there.
    """
    judged = {}
    built_on = {name for exercise in lesson.exercises if exercise.skipped is None for name in exercise.stand_ins}
    for exercise in lesson.exercises:
        if not exercise.implementations and (exercise.skipped is None or exercise.name in built_on):
            ask = AskIn("own", subject, reference, of_an_example=lesson.names_in_an_example)
            attempts = [attempt(check, ask) for check in exercise.checks]
            judged[exercise.name] = Judged(exercise, attempts, {"own": ask.answers}, lesson.names_in_an_example)
    return judged


def stand_in_world(judged: Judged, failed_before: tuple[str, ...], open_subject: Open, reference: Subject) -> None:
    """Ask again what failed, with the reference standing in for earlier exercises, in a fresh process.

    A student's own attention cannot use the reference's cache. So what still fails is asked once more with the
    student's own forward, in which the reference replaces the functions that it calls.
    """
    exercise = judged.exercise
    because = text("right; it only failed because of your {functions}", functions=", ".join(failed_before))
    with open_subject(functions_of(reference, exercise.proxied), exercise.proxied) as subject:
        def ask_with(stand_ins: tuple[str, ...]) -> AskIn:
            return AskIn("stand-in", subject, reference, stand_ins, of_an_example=judged.of_an_example,
                         installed=exercise.proxied)
        asks = {"stand-in": ask_with(exercise.stand_ins)}
        if exercise.proxied != exercise.stand_ins and not set(exercise.proxied).isdisjoint(failed_before):
            asks["own-forward"] = ask_with(exercise.proxied)
        for name, ask in asks.items():
            try_again(judged, name, ask, because, overrule=name == "stand-in")


def try_again(judged: Judged, name: str, ask: AskIn, because: Text, overrule: bool = False) -> None:
    """Ask in another world what failed; what still fails is replaced only if that says more, or with `overrule`.

    A backward that stops at another's cache says nothing of its own, so that never takes the place of an answer.
    """
    for index, again in retry(judged, ask):
        says_more = again.word == "wrong" != judged.attempts[index].word and not judged.exercise.checks[index].shown
        if again.word == "passed":
            judged.attempts[index] = Attempt("passed", because, ask.world)
        elif says_more or overrule and not (again.word == "raised" and judged.attempts[index].word == "wrong"):
            judged.attempts[index] = again                      # an answer says more than a missing one
    judged.answers[name] = ask.answers


def own_derivative_world(judged: Judged, subject: Subject, reference: Subject) -> dict[int, Attempt]:
    """The failed derivative checks that hold for the student's own forward; `engine` decides whether they count."""
    ask = AskIn("own-derivative", subject, reference)
    because = text("right for your own {function}; it only failed because of that",
                   function=judged.exercise.differentiates)
    holds = {index: Attempt("passed", because, ask.world)
             for index, again in retry(judged, ask, lambda check: check.derivative) if again.word == "passed"}
    own = [outcome.value for call, outcome in ask.answers.items() if call.function == judged.exercise.name]
    return holds if any(map(_says_something, own)) else {}


def _says_something(value: Any) -> bool:
    """Whether it has anything but zeros: a function that returns zeros is not a derivative that anyone intended."""
    return any(isinstance(leaf, np.ndarray) and leaf.dtype.kind in "fiu" and bool(np.any(leaf))
               for leaf in leaves(value))


def retry(judged: Judged, ask: AskIn, wanted: Callable[[Check], bool] = lambda check: True
          ) -> Iterator[tuple[int, Attempt]]:
    """Ask the wanted checks that failed again: the place of each, and how it went."""
    for index, check in enumerate(judged.exercise.checks):
        if judged.attempts[index].word != "passed" and wanted(check):
            yield index, attempt(check, ask)


def functions_of(subject: Subject, names: Iterable[str]) -> StandIns:
    """What the judge answers when the student's code calls these names: the subject's own answers."""
    return {name: _Function(subject, name) for name in names}


class _Function:
    """A function of a subject. The `source` of a subject of ours serves to ask it elsewhere (sandbox.stand_ins)."""

    def __init__(self, subject: Subject, name: str):
        self._subject, self._name = subject, name
        self._called = getattr(subject, "called", None)         # which the subjects of ours have, and is faster
        self.source: str | None = getattr(subject, "source", None)

    def __call__(self, *args: Any) -> Outcome:
        return self._called(self._name, args) if self._called else self._subject.answer(Call(self._name, args))
