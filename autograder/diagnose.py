"""What a function answered -> the known mistake that explains all of it, or none.

A mistake is named only if it gives the same answer to every recorded question of that exercise; two that explain
them equally are both named. Where no single mistake does, pairs are tried. Answers of the catalogue are computed
when they are first needed and kept: the questions are the same for every submission.
"""
from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import combinations
from typing import Any

import numpy as np

from autograder.judge import Judged, with_reference
from autograder.lesson import REFUSALS, Exercise, Lesson, Mistake
from autograder.records import Call, Diagnosis, Outcome
from autograder.subject import LocalSubject

ALIKE = 1e-4                                    # far above float32's rounding, far below any real fault
MOST_NAMED = 3
Answers = Mapping[Call, Outcome]


class Catalogue:
    """The lesson's mistakes as subjects, made when they are first needed."""

    def __init__(self, lesson: Lesson, reference: LocalSubject, left_out: Iterable[str] = ()):
        self._lesson, self._reference = lesson, reference
        self._left_out = frozenset(left_out)
        self._subjects: dict[tuple[str, ...], LocalSubject | None] = {}

    def mistakes(self, exercise: str) -> list[Mistake]:
        """Those that this exercise can be wrong by."""
        return [mistake for mistake in self._lesson.mistakes if exercise in mistake.exercises
                and mistake.advice is None and mistake.id not in self._left_out]

    def subject(self, *mistakes: Mistake) -> LocalSubject | None:
        """The reference with these mistakes made in it; None where they cannot be made together."""
        key = tuple(mistake.id for mistake in mistakes)
        if key not in self._subjects:
            self._subjects[key] = self._make(mistakes)
        return self._subjects[key]

    def _make(self, mistakes: Iterable[Mistake]) -> LocalSubject | None:
        source = self._lesson.reference_source
        try:
            for mistake in mistakes:
                source = mistake.make(source)
        except ValueError:
            return None
        return LocalSubject(source, "+".join(mistake.id for mistake in mistakes))

    def diagnose(self, judged: Judged) -> Diagnosis:
        """The mistakes that explain an exercise, in the world in which least else can be wrong."""
        for world in ("stand-in", "own"):
            if world in judged.answers:
                found = self._explain(judged.exercise, judged.answers[world], world)
                if found:
                    return _diagnosis(found)
        return Diagnosis()

    def explains_forward(self, judged: Mapping[str, Judged], name: str) -> bool:
        """Whether the student's own function behaves like known mistakes, those of earlier exercises among them."""
        forward = judged[name]
        answers = _of(forward.answers["own"], name)
        if self.diagnose(forward).mistakes:
            return True
        before = [mistake for earlier in forward.exercise.stand_ins for mistake in self.mistakes(earlier)]
        own = self.mistakes(name) if not forward.complete else []
        return bool(self._survivors([(m,) for m in before], answers, frozenset())
                    or self._survivors([(m, n) for m in before for n in own], answers, frozenset()))

    def _explain(self, exercise: Exercise, answers: Answers, world: str) -> list[tuple[Mistake, ...]]:
        answers = _of(answers, exercise.name)
        stand_ins = frozenset(exercise.stand_ins if world == "stand-in" else ())
        mistakes = self.mistakes(exercise.name)
        if not answers or all(outcome.status in ("missing", "timed_out") for outcome in answers.values()):
            return []
        singles = self._survivors([(mistake,) for mistake in mistakes], answers, stand_ins)
        return singles or self._survivors(list(combinations(self._partial(mistakes, answers, stand_ins), 2)),
                                          answers, stand_ins)

    def _survivors(self, candidates: list[tuple[Mistake, ...]], answers: Answers, stand_ins: frozenset[str]
                   ) -> list[tuple[Mistake, ...]]:
        """The candidates that give the same answer to every question; most fall away at the first."""
        for call, outcome in answers.items():
            asked = with_reference(call, self._reference, stand_ins)
            right = self._reference.answer(asked)
            candidates = [candidate for candidate in candidates
                          if (subject := self.subject(*candidate)) is not None
                          and same(outcome, subject.answer(asked), right)]
            if not candidates:
                break
        return candidates

    def _partial(self, mistakes: list[Mistake], answers: Answers, stand_ins: frozenset[str]) -> list[Mistake]:
        """The mistakes that explain some wrong part of an answer: only those are worth pairing."""
        found = []
        for mistake in mistakes:
            for call, outcome in answers.items():
                asked = with_reference(call, self._reference, stand_ins)
                wrong = self.subject(mistake).answer(asked)
                if _shares_a_fault(outcome, wrong, self._reference.answer(asked)):
                    found.append(mistake)
                    break
        return found


def _of(answers: Answers, function: str) -> dict[Call, Outcome]:
    return {call: outcome for call, outcome in answers.items() if call.function == function}


def _diagnosis(found: list[tuple[Mistake, ...]]) -> Diagnosis:
    """At most a few, without doubles, in the catalogue's order."""
    mistakes = list(dict.fromkeys(mistake for candidate in found[:MOST_NAMED] for mistake in candidate))
    return Diagnosis(tuple(mistake.id for mistake in mistakes), tuple(mistake.hint for mistake in mistakes))


# --- when two answers are the same --------------------------------------------------------------------------------

def same(got: Outcome, mistaken: Outcome, right: Outcome) -> bool:
    """Whether a student's outcome is what the mistake gives. `right` tells which entries of a dict matter."""
    if got.status != mistaken.status:
        return False
    if got.status == "raised":
        return _refuses(got) == _refuses(mistaken)
    if got.status != "answered":
        return True
    return _touched(got) == _touched(mistaken) and alike(got.value, mistaken.value, right.value)


def _refuses(outcome: Outcome) -> bool:
    """Whether the exception is one that refuses arguments; which of those does not matter."""
    return not REFUSALS.isdisjoint((outcome.error, *outcome.kinds))


def _touched(outcome: Outcome) -> set[str]:
    """Which arguments were changed; how the student's own cache is laid out inside does not matter."""
    return {path.partition(".")[0] for path in outcome.changed}


def alike(got: Any, want: Any, right: Any = None) -> bool:
    """Plain values that agree within rounding: shapes, kinds of number, entries, numbers."""
    if isinstance(want, np.ndarray):
        return isinstance(got, np.ndarray) and _same_numbers(got, want)
    if isinstance(want, tuple):
        rights = right if isinstance(right, tuple) and len(right) == len(want) else (None,) * len(want)
        return isinstance(got, tuple) and len(got) == len(want) and all(map(alike, got, want, rights))
    if isinstance(want, dict):
        return isinstance(got, dict) and all(_same_entry(got, want, key) for key in _entries(want, right))
    return type(got) is type(want) and (got == want or got != got)


def _entries(want: dict, right: Any) -> list[str]:
    """The entries that matter: the reference's and the mistake's, without nested caches, which are free."""
    keys = {**want, **(right if isinstance(right, dict) else {})}
    return [key for key in keys if not isinstance(keys[key], dict)]


def _same_entry(got: dict, want: dict, key: str) -> bool:
    if (key in got) != (key in want):
        return False
    return key not in want or alike(got[key], want[key])


def _same_numbers(got: np.ndarray, want: np.ndarray) -> bool:
    if got.shape != want.shape or (got.dtype.kind == "f") != (want.dtype.kind == "f"):
        return False
    if got.dtype.kind not in "fiub" or want.dtype.kind not in "fiub":
        return got.dtype == want.dtype and np.array_equal(got, want)
    got, want = np.asarray(got, dtype=float), np.asarray(want, dtype=float)
    finite = np.isfinite(want)
    if not np.array_equal(finite, np.isfinite(got)):
        return False
    got, want = got[finite], want[finite]
    return bool(np.linalg.norm(got - want) <= ALIKE * np.linalg.norm(want) + 1e-12)


def _shares_a_fault(got: Outcome, mistaken: Outcome, right: Outcome) -> bool:
    """Whether some part of the answer is wrong in just the way in which the mistake is."""
    if got.status != mistaken.status:
        return False
    if got.status != "answered":
        return right.status == "answered"
    mine, theirs, truth = _parts(got.value), _parts(mistaken.value), _parts(right.value)
    return any(key in mine and alike(mine[key], theirs[key]) and not (key in truth and alike(theirs[key], truth[key]))
               for key in theirs)


def _parts(value: Any, path: str = "") -> dict[str, Any]:
    """The leaves of a plain value by their path."""
    if isinstance(value, tuple):
        return {k: v for i, part in enumerate(value) for k, v in _parts(part, f"{path}.{i}").items()}
    if isinstance(value, dict):
        return {k: v for name, part in value.items() for k, v in _parts(part, f"{path}.{name}").items()}
    return {path: value}
