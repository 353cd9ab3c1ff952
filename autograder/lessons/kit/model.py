"""Write a function as a series of steps, each of which can be done in ways other than the right one.

A lesson writes its functions like this so that an answer can be compared with the result of one or two steps done
differently: scores divided by another number, a missing route. See judge.families.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from types import SimpleNamespace

import numpy as np

from autograder.records import Call, Subject, Text

#: everything known so far while the steps are done: x, q, scores, ...
State = SimpleNamespace
#: does one step: reads and sets attributes of the state, and never changes an array in place
Do = Callable[[State], object]


@dataclass(frozen=True, eq=False)
class Way:
    """A wrong way of doing a step. `what` is said about it: "comes out with {what}"."""

    id: str
    what: Text | str
    do: Do
    cost: int = 1                               # the cheaper of two that explain the same is named


@dataclass(frozen=True, eq=False)
class Step:
    """One step: how it is done, and how people do it wrongly."""

    right: Do
    ways: tuple[Way, ...] = ()


@dataclass(frozen=True, eq=False)
class Trial:
    """One question whose answer is examined, and the input of its steps."""

    call: Call
    start: Callable[[Subject], State]
    sizes: Mapping[str, float]                  # what a factor may be called: "B", "√d" -> its value here


@dataclass(frozen=True, eq=False)
class Model:
    """One exercise as steps. `leaves` names the parts of the state that are returned, `parts` the same parts of an
    answer.
    """

    exercise: str
    trials: tuple[Trial, ...]                   # the first says most; all of them must agree
    steps: tuple[Step, ...]
    leaves: Mapping[str, str]                   # its name in a sentence -> the attribute of the state
    parts: Callable[[object], dict[str, object]]        # an answer -> the same leaves of it
    often: frozenset[str] = frozenset()         # the ways that are common enough to be tried two at a time
    slopes: frozenset[str] = frozenset()        # the ways that remove a slope, so that a derivative shows nothing
    #: if no way explains it: (question -> leaf -> array, the reference) -> an id and how far it is right
    first_wrong: Callable[[Mapping[Call, Mapping[str, np.ndarray]], Subject], tuple[str, Text] | None] = (
        lambda given, reference: None)
    #: the ids of words that can be said of a function that does not use all of its arguments
    nothing_right: frozenset[str] = frozenset({"all-zeros"})
    also: tuple[Call, ...] = ()                 # further questions that `first_wrong` needs
    #: the ids of words that leave most of the function open
    vague: frozenset[str] = frozenset()
    form: Text | None = None                    # what holds the parts of an answer: "a tuple (dx, grads)"
    #: what questions can have in common: an id, how it is said ("with one head"), and whether it holds
    conditions: tuple[tuple[str, Text, Callable[[Call], bool]], ...] = ()

    def outcomes(self, start: State, pairs: bool) -> Iterator[tuple[tuple[Way, ...], dict[str, np.ndarray]]]:
        """The results with every step, and every two steps, done differently; impossible ones are left out."""
        yield from self._walk(0, start, (), pairs)

    def outcome(self, start: State, ways: tuple[Way, ...]) -> dict[str, np.ndarray] | None:
        """The result of these ways; None if they are impossible here."""
        for step in self.steps:
            try:
                next((way.do for way in ways if way in step.ways), step.right)(start)
            except (ValueError, IndexError):
                return None
        return {name: getattr(start, attribute) for name, attribute in self.leaves.items()}

    def _walk(self, number: int, state: State, chosen: tuple[Way, ...], pairs: bool
              ) -> Iterator[tuple[tuple[Way, ...], dict[str, np.ndarray]]]:
        if number == len(self.steps):
            yield chosen, {name: getattr(state, attribute) for name, attribute in self.leaves.items()}
            return
        step = self.steps[number]
        yield from self._taken(number, state, chosen, step.right, pairs)
        for way in step.ways:
            if not chosen or pairs and len(chosen) == 1 and {chosen[0].id, way.id} <= self.often:
                yield from self._taken(number, state, (*chosen, way), way.do, pairs)

    def _taken(self, number: int, state: State, chosen: tuple[Way, ...], do: Do, pairs: bool
               ) -> Iterator[tuple[tuple[Way, ...], dict[str, np.ndarray]]]:
        after = State(**vars(state))
        try:
            do(after)
        except (ValueError, IndexError):
            return
        yield from self._walk(number + 1, after, chosen, pairs)


def setting(**values: Callable[[State], object]) -> Do:
    """A step that sets these attributes, each from the state before the step."""
    def do(state: State) -> None:
        found = {name: value(state) for name, value in values.items()}
        vars(state).update(found)
    return do


def way(id: str, what: Text | str, **values: Callable[[State], object]) -> Way:
    """A wrong way of a step that sets these attributes."""
    return Way(id, what, setting(**values))
