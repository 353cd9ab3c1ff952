"""A function as a row of steps, each of which can be done in other ways than the right one.

A lesson writes its functions down like this so that an answer can be held against what comes out with one or two steps
done otherwise: scores divided by another number, a route that is missing. See judge.families.
"""
from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from types import SimpleNamespace

import numpy as np

from autograder.records import Call, Subject, Text

#: everything that is known so far while the steps are done: x, q, scores, ...
State = SimpleNamespace
#: does one step: reads and sets attributes of the state, and changes no array in place
Do = Callable[[State], None]


@dataclass(frozen=True, eq=False)
class Way:
    """A way of doing a step that is not the right one. `what` is said of it: "comes out with {what}"."""

    id: str
    what: Text | str
    do: Do
    cost: int = 1                               # of two that explain the same the cheaper one is told


@dataclass(frozen=True, eq=False)
class Step:
    """One step: how it is done, and how else it is done by people."""

    right: Do
    ways: tuple[Way, ...] = ()


@dataclass(frozen=True, eq=False)
class Trial:
    """One question whose answer is looked at, and what its steps start from."""

    call: Call
    start: Callable[[Subject], State]
    sizes: Mapping[str, float]                  # what a factor may be called: "B", "√d" -> its value here


@dataclass(frozen=True, eq=False)
class Model:
    """One exercise as steps. `leaves` names what of the state is returned, `parts` takes the same from an answer."""

    exercise: str
    trials: tuple[Trial, ...]                   # the first tells most; all of them must agree
    steps: tuple[Step, ...]
    leaves: Mapping[str, str]                   # what it is called in a sentence -> the attribute of the state
    parts: Callable[[object], dict[str, object]]        # an answer -> the same leaves of it
    often: frozenset[str] = frozenset()         # the ways that are common enough to be looked for two at a time
    slopes: frozenset[str] = frozenset()        # the ways that take a slope away, so that a derivative shows nothing
    #: where no way explains it: (question -> leaf -> array, the reference) -> an id and what is right up to where
    first_wrong: Callable[[Mapping[Call, Mapping[str, np.ndarray]], Subject], tuple[str, Text] | None] = (
        lambda given, reference: None)
    also: tuple[Call, ...] = ()                 # further questions that `first_wrong` wants

    def outcomes(self, start: State, pairs: bool) -> Iterator[tuple[tuple[Way, ...], dict[str, np.ndarray]]]:
        """What comes out with every step, and every two steps, done otherwise; what cannot be done is left out."""
        yield from self._walk(0, start, (), pairs)

    def outcome(self, start: State, ways: tuple[Way, ...]) -> dict[str, np.ndarray] | None:
        """What comes out in these ways; None where they cannot be done here."""
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
    """A step that sets these attributes, each from the state as it was before."""
    def do(state: State) -> None:
        found = {name: value(state) for name, value in values.items()}
        vars(state).update(found)
    return do
