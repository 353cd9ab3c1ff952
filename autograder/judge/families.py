"""Explain an answer that no known mistake explains by the one or two steps that, done differently, give exactly it.

Every choice of steps (lessons.kit.model) is computed once for each question, and stored as a few random projections of
its result. If an answer is one of the results times a constant, so are its projections. All questions have to agree,
and if several choices explain an answer equally well at most two are named.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from zlib import crc32

import numpy as np

from autograder.judge import cache as kept
from autograder.judge.checks_version import answers_version
from autograder.judge.family_words import AND, NOTHING, Explained, Word, told
from autograder.judge.fingerprint import directions
from autograder.judge.last_words import how_it_ends, in_another_form, same_for_all, where_it_goes_wrong
from autograder.judge.worlds import Judged
from autograder.lessons.kit.lesson import Lesson
from autograder.lessons.kit.model import Model, Trial, Way
from autograder.records import Call, Outcome, Subject
from autograder.sandbox.allowance import for_everybody, go_on

PROJECTIONS = 6
ALIKE = 1e-6                                    # relative; a coincidence would need 1e-36
MOST_TOLD = 2
MOST_TRIED = 30                                 # choices that explain one question and are tried on the others
MOST_KEPT = 1000                                # the most results that are remembered


@dataclass(frozen=True, eq=False)
class Table:
    """The results of one question in every way: a number for the shape, and projections, for each leaf."""

    ways: list[tuple[Way, ...]]                 # in the first of them every step is right
    shapes: np.ndarray                          # (ways, leaves)
    rows: np.ndarray                            # (ways, leaves, projections)

    def like(self, leaf: int, got: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The rows that give this answer times a constant, fewest ways first, and the constant of every row."""
        same = self.shapes[:, leaf] == _shape(got)
        if not same.any():                      # it may be of any size
            return np.flatnonzero(same), np.ones(len(same))
        rows = self.rows[:, leaf]
        with np.errstate(all="ignore"):
            seen = _seen(got)
            factor = rows @ seen / np.einsum("ij,ij->i", rows, rows)
            size = np.linalg.norm(seen)         # an answer so huge that its size overflows is like nothing
            near = np.isfinite(size) & (np.linalg.norm(seen - factor[:, None] * rows, axis=1) <= ALIKE * size)
        return np.flatnonzero(near & same & np.isfinite(factor)), factor


#: the given answers: question -> leaf -> array
Given = Mapping[Trial, Mapping[str, np.ndarray]]


class Families:
    """The models of one lesson, and their results."""

    def __init__(self, lesson: Lesson, reference: Subject):
        self._lesson, self._reference = lesson, reference
        self._tables: dict[Trial, Table] = {}
        self._outcomes: dict[tuple[Trial, tuple[Way, ...]], dict[str, np.ndarray] | None] = {}

    @cached_property
    def _models(self) -> dict[str, Model]:
        return {model.exercise: model for model in self._lesson.models}

    def words(self, exercise: str, answers: Mapping[Call, Outcome]) -> list[Word]:
        """The explanations of this exercise's answers, if there are any."""
        if (model := self._models.get(exercise)) is None:
            return []
        if said := same_for_all(model, answers, self._reference):
            return said
        given = _given(model, answers)
        said = [word for one in self._explanations(model, given) for word in told(one)]
        return said or self._first_wrong(model, answers)

    def _first_wrong(self, model: Model, answers: Mapping[Call, Outcome]) -> list[Word]:
        """The first step that is wrong, if no other way of doing it is known."""
        calls = [*(trial.call for trial in model.trials), *model.also]
        with np.errstate(all="ignore"):
            found = model.first_wrong({call: _arrays(model, answers[call]) for call in calls if call in answers},
                                      self._reference)
        return [Word(*found)] if found else []

    def vague(self, exercise: str, words: Sequence[Word]) -> bool:
        """Whether these words leave most of the function open."""
        return any(word.id in self._models[exercise].vague for word in words)

    def last_words(self, judged: Judged, answers: Mapping[Call, Outcome]) -> list[Word]:
        """What holds the numbers, where it goes wrong, or how it ends."""
        model = self._models.get(judged.exercise.name)
        if model is None:
            return how_it_ends(judged, answers, None)
        return (in_another_form(model, answers, self._reference)
                or where_it_goes_wrong(model, judged, answers, self._reference)
                or how_it_ends(judged, answers, model.trials[0]))

    def attempted(self, exercise: str, ids: Sequence[str]) -> bool:
        """Whether these words are of answers that something right went into, with every argument."""
        if (model := self._models.get(exercise)) is None or not ids:
            return False
        nothing = model.nothing_right | model.slopes
        return all(nothing.isdisjoint(id.split(AND)) for id in ids)

    def explains(self, exercise: str, answers: Mapping[Call, Outcome]) -> bool:
        """Whether steps done differently give every answer, and leave something to differentiate."""
        if (model := self._models.get(exercise)) is None:
            return False
        given = _given(model, answers)
        wrong = self._wrong(model, given)
        if found := self._together(model, given, wrong):
            return any(_leaves_a_slope(model, one) for one in found)
        apart = self._apart(model, given, wrong)                # such as Y times 1/2, and J as it should be
        known = {name for one in apart for name in one.factors}
        return bool(wrong) and known == wrong.keys() and all(_leaves_a_slope(model, one) for one in apart)

    def _wrong(self, model: Model, given: Given) -> dict[str, Trial]:
        """The wrong leaves, each with the first question that shows it."""
        wrong: dict[str, Trial] = {}
        for trial, leaves in given.items():
            table = self._table(model, trial)
            for leaf, name in enumerate(model.leaves):
                if name in leaves and (name not in wrong or _has_nan(given[wrong[name]][name], leaves[name])):
                    rows, factor = table.like(leaf, leaves[name])
                    if 0 not in rows or abs(factor[0] - 1) > ALIKE:
                        wrong[name] = trial
        return wrong

    def _explanations(self, model: Model, given: Given) -> list[Explained]:
        """The choices that explain every wrong leaf, else for each of them those that explain it."""
        wrong = self._wrong(model, given)
        return self._together(model, given, wrong) or self._apart(model, given, wrong)

    def _together(self, model: Model, given: Given, wrong: Mapping[str, Trial]) -> list[Explained]:
        """The cheapest choices that give all leaves of all answers, including the right ones."""
        if not wrong:
            return []
        name, trial = next(iter(wrong.items()))
        rows, factor = self._table(model, trial).like(list(model.leaves).index(name), given[trial][name])
        candidates = [row for row in rows if abs(factor[row] - 1) <= ALIKE]
        leaves = [leaf for leaf in model.leaves if any(leaf in leaves for leaves in given.values())]
        return _cheapest(Explained(ways, dict.fromkeys(wrong, "")) for ways in self._ways(model, trial, candidates)
                         if all(self._factor(model, given, ways, leaf) == "" for leaf in leaves))

    def _apart(self, model: Model, given: Given, wrong: Mapping[str, Trial]) -> list[Explained]:
        """For each wrong leaf the cheapest choices that give it; a choice that gives several is named once."""
        told: dict[tuple[Way, ...] | None, Explained] = {}
        for name, trial in wrong.items():
            if not given[trial][name].any():
                told.setdefault(None, Explained(())).factors[name] = NOTHING
                continue
            rows, _ = self._table(model, trial).like(list(model.leaves).index(name), given[trial][name])
            found = ((ways, self._factor(model, given, ways, name)) for ways in self._ways(model, trial, rows))
            for one in self._without_harm(model, given, wrong, _cheapest(
                    Explained(ways, {name: factor}) for ways, factor in found if factor is not None)):
                told.setdefault(one.ways, Explained(one.ways)).factors.update(one.factors)
        return list(told.values())

    def _without_harm(self, model: Model, given: Given, wrong: Mapping[str, Trial], found: list[Explained]
                      ) -> list[Explained]:
        """Of several choices those that leave every leaf right that is right; all where none does."""
        if len(found) < 2:
            return found
        right = {leaf for leaves in given.values() for leaf in leaves} - wrong.keys()
        return [one for one in found
                if all(self._factor(model, given, one.ways, leaf) == "" for leaf in right)] or found

    def _ways(self, model: Model, trial: Trial, rows: Iterable[int]) -> list[tuple[Way, ...]]:
        """The ways of these rows, fewest first, as many as can be tried on the other questions in time."""
        return [self._table(model, trial).ways[row] for row in rows][:MOST_TRIED]

    def _factor(self, model: Model, given: Given, ways: tuple[Way, ...], name: str) -> str | None:
        """The factor of a leaf in these ways: "" for none; None if the questions do not agree."""
        go_on()
        values: list[tuple[float, Mapping[str, float]]] = []
        for trial, leaves in given.items():
            if name not in leaves:
                continue
            want = self._outcome(model, trial, ways)
            factor = None if want is None else _times(leaves[name], want[name])
            if factor is None:
                return None
            values.append((factor, trial.sizes))
        if all(abs(value - 1) <= ALIKE for value, _ in values):
            return ""
        called = [name for name in values[0][1] if all(abs(value - sizes[name]) <= 1e-5 * abs(value)
                                                       for value, sizes in values)]
        return " = ".join(called[:MOST_TOLD]) or None

    def _outcome(self, model: Model, trial: Trial, ways: tuple[Way, ...]) -> dict[str, np.ndarray] | None:
        """The result of these ways, remembered: a class makes the same slips again and again."""
        if (trial, ways) not in self._outcomes:
            if len(self._outcomes) >= MOST_KEPT:
                self._outcomes.clear()
            with np.errstate(all="ignore"):
                self._outcomes[trial, ways] = model.outcome(trial.start(self._reference), ways)
        return self._outcomes[trial, ways]

    # --- the results --------------------------------------------------------------------------------------------

    @for_everybody()
    def _table(self, model: Model, trial: Trial) -> Table:
        if trial not in self._tables:
            number = model.trials.index(trial)
            name = f"{model.exercise}-families-{number}"
            named = {way.id: way for step in model.steps for way in step.ways}
            stored = kept.computed(answers_version(self._lesson), name, lambda stored: True,
                                   lambda: self._computed(model, trial, pairs=not number))
            ways = [tuple(named[id] for id in ids.split(AND) if id) for ids in stored["ways"].tolist()]
            self._tables[trial] = Table(ways, stored["shapes"], stored["rows"])
        return self._tables[trial]

    def _computed(self, model: Model, trial: Trial, pairs: bool) -> dict[str, np.ndarray]:
        """The results with one step, and with two steps, done differently, fewest first."""
        with np.errstate(all="ignore"):
            found = sorted(((ways, [(_shape(leaves[name]), _seen(leaves[name])) for name in model.leaves])
                            for ways, leaves in model.outcomes(trial.start(self._reference), pairs)),
                           key=lambda one: _cost(one[0]))
        return {"ways": np.array([AND.join(way.id for way in ways) for ways, _ in found]),
                "shapes": np.array([[shape for shape, _ in seen] for _, seen in found]),
                "rows": np.array([[row for _, row in seen] for _, seen in found])}


def _given(model: Model, answers: Mapping[Call, Outcome]) -> dict[Trial, dict[str, np.ndarray]]:
    """The model's questions that were answered, with the arrays in each answer that the steps give."""
    return {trial: {name: array for name, array in _arrays(model, answers[trial.call]).items() if name in model.leaves}
            for trial in model.trials if trial.call in answers and answers[trial.call].status == "answered"}


def _arrays(model: Model, outcome: Outcome) -> dict[str, np.ndarray]:
    """All arrays of an answer that have a name."""
    parts = model.parts(outcome.value) if outcome.status == "answered" else {}
    return {name: array for name, array in parts.items()
            if isinstance(array, np.ndarray) and array.dtype.kind in "fiub"}


def _cheapest(found: Iterable[Explained]) -> list[Explained]:
    """Those with the fewest ways, where a factor counts as one; none if too many are equally good.

    They come with the fewest ways first, so nothing is tried that would cost more than what is already found.
    """
    best: list[Explained] = []
    least = float("inf")
    for one in found:
        cost = _cost(one.ways)
        if cost > least:
            break
        cost += any(one.factors.values())
        if cost <= least:
            best, least = [*(best if cost == least else []), one], cost
    return best if len(best) <= MOST_TOLD else []


def _leaves_a_slope(model: Model, one: Explained) -> bool:
    return NOTHING not in one.factors.values() and model.slopes.isdisjoint(way.id for way in one.ways)


def _cost(ways: Iterable[Way]) -> int:
    return sum(way.cost for way in ways)


def _times(got: np.ndarray, want: np.ndarray) -> float | None:
    """The factor that turns `want` into the answer, or None."""
    if np.shape(got) != np.shape(want) or not np.array_equal(np.isnan(got), np.isnan(want)):
        return None
    if (nan := np.isnan(got)).any():
        if nan.all():
            return 1.0
        got, want = got[~nan], want[~nan]
    if not np.isfinite(want).all() or not np.isfinite(got).all():
        return None
    got, size = np.asarray(got, dtype=float), float(np.vdot(want, want))
    factor = float(np.vdot(want, got)) / size if size else 1.0
    scale = np.linalg.norm(got)
    near = np.isfinite(scale) and np.linalg.norm(got - factor * want) <= 1e-5 * max(scale, 1e-9)
    return factor if near and factor else None


def _has_nan(one: np.ndarray, other: np.ndarray) -> bool:
    """Whether the first has values that are not numbers, and the second, which therefore says more, has none."""
    return bool(np.isnan(one).any()) and not np.isnan(other).any()


def _shape(array: np.ndarray) -> int:
    return crc32(str(np.shape(array)).encode())


def _seen(array: np.ndarray) -> np.ndarray:
    """The projections of an array of one of our own shapes."""
    numbers = np.nan_to_num(np.asarray(array, dtype=float).ravel())
    return numbers @ directions(numbers.size, PROJECTIONS)
