"""Name the known mistake that explains everything a function answered; else say what its answers are like.

A mistake is named only if it gives the same answer to every recorded question of that exercise; if several explain them
equally well, all are named. If no single mistake does, two are tried: made together in one source, or each at work in
its own part of the answers. If that fails too, judge.families says which steps, done otherwise, give these answers.
The catalogue's answers are computed when first needed, and cached.
"""
from __future__ import annotations

from collections.abc import Iterable, Mapping
from copy import copy
from itertools import combinations

import numpy as np

from autograder.judge import cache as kept
from autograder.judge.checks_version import checks_version
from autograder.judge.families import Families
from autograder.judge.fingerprint import Row, width
from autograder.judge.local_subject import LocalSubject
from autograder.judge.table import Made, Table, all_at_work, exact, size_of
from autograder.judge.worlds import AskIn, Judged, with_reference
from autograder.lessons.kit.lesson import UNWRITTEN, Exercise, Lesson, Mistake
from autograder.records import Call, Diagnosis, Outcome

MOST_NAMED = 3
LARGE = 100_000  # bytes; a larger question is only asked of mistakes that explain the rest
Answers = Mapping[Call, Outcome]


class Catalogue:
    """The lesson's mistakes as subjects, and their answers."""

    def __init__(self, lesson: Lesson, reference: LocalSubject, left_out: Iterable[str] = ()):
        self._lesson, self._reference = lesson, reference
        self._left_out = frozenset(left_out)
        self._subjects: dict[Made, LocalSubject | None] = {}
        self._tables: dict[tuple, Table] = {}
        self._earlier: dict[str, list[Call]] = {}
        self.families = Families(lesson, reference)

    def without(self, *left_out: str) -> Catalogue:
        """The catalogue without these mistakes; it shares everything already computed."""
        other = copy(self)
        other._left_out = self._left_out.union(left_out)
        return other

    def mistakes(self, exercise: str) -> list[Mistake]:
        """The mistakes that this exercise can have."""
        return [mistake for mistake in self._all(exercise) if mistake.id not in self._left_out]

    def _all(self, exercise: str) -> list[Mistake]:
        return [mistake for mistake in self._lesson.mistakes
                if exercise in mistake.exercises and mistake.advice is None]

    def subject(self, *made: Mistake) -> LocalSubject | None:
        """The reference with these mistakes made in it; None if they cannot be made together."""
        if made not in self._subjects:
            self._subjects[made] = self._make(made)
        return self._subjects[made]

    def _make(self, made: Made) -> LocalSubject | None:
        source = self._lesson.reference_source
        try:
            for mistake in made:
                source = mistake.make(source)
            return LocalSubject(source, "+".join(mistake.id for mistake in made))
        except (ValueError, SyntaxError):
            return None

    # --- which mistake ------------------------------------------------------------------------------------------

    def diagnose(self, judged: Judged, right: Iterable[str] = ()) -> Diagnosis:
        """The mistakes that explain an exercise, in the world where the least else can be wrong.

        A mistake that two exercises make together is not named if the other exercise is among the right ones.
        """
        found = self._found(judged, right)
        return _diagnosis(found) if found else self._by_families(judged, set(right))

    def explaining(self, judged: Judged) -> list[LocalSubject]:
        """Subjects that explain everything an exercise answered, or all but its cache, which may be the student's own.

        They are made anew: some keep something between calls.
        """
        found = self._found(judged) or self._but_for_the_cache(judged)
        return [subject for made in found[:MOST_NAMED] if (subject := self._make(made)) is not None]

    def _but_for_the_cache(self, judged: Judged) -> list[Made]:
        """Mistakes that give every first part of an answer, of which something is wrong."""
        world = "stand-in" if "stand-in" in judged.answers else "own"
        answers = _of(judged.answers[world], judged.exercise.name)
        table = self._singles(judged.exercise, frozenset(judged.exercise.stand_ins if world == "stand-in" else ()))
        both = [(start + 1, call) for start, call in zip(table.starts, table.calls, strict=False) if call in answers]
        if not both:
            return []
        columns = np.array([column for column, _ in both])
        rights = [self._reference.answer(call) for _, call in both]
        seen = Row.of((answers[call], right) for (_, call), right in zip(both, rights, strict=True))
        seen = seen.take(np.cumsum([1, *map(width, rights)])[:-1])
        if table.right.take(columns).agrees(seen).all():
            return []
        return [table.made[i] for i in np.flatnonzero(table.rows.take(columns).agrees(seen).all(axis=1))]

    def _found(self, judged: Judged, right: Iterable[str] = ()) -> list[Made]:
        worlds = ("own-forward", "own") if judged.needs_its_own_earlier_answers else ("stand-in", "own")
        for world in worlds:
            answers = _of(judged.answers.get(world, {}), judged.exercise.name)
            if any(map(_tells, answers.values())):
                found = [made for made in self._explain(judged.exercise, answers, world)
                         if all(set(right).isdisjoint(mistake.exercises) for mistake in made)]
                if found:
                    return found
        return []

    def _by_families(self, judged: Judged, right: set[str]) -> Diagnosis:
        """What the answers are like, in a world in which everything that they build on is right."""
        exercise, answers = judged.exercise, judged.answers
        builds_on_right = right.issuperset(exercise.stand_ins)
        own = "own-forward" if judged.needs_its_own_earlier_answers else "own"
        for world in ("stand-in", own):
            sound = world == "stand-in" and own == "own" or builds_on_right or (
                world == "own-forward" and exercise.differentiates in right)
            words = self.families.words(exercise.name, answers.get(world, {})) if sound else []
            if words:
                return Diagnosis(tuple(word.id for word in words), tuple(word.says for word in words))
        return Diagnosis()

    def _explain(self, exercise: Exercise, answers: Answers, world: str) -> list[Made]:
        stand_ins = frozenset(exercise.stand_ins if world == "stand-in" else ())
        table = self._singles(exercise, stand_ins).only(answers)
        seen = self._row({call: answers[call] for call in table.calls}, stand_ins)
        agrees = table.rows.agrees(seen)
        found = [table.made[i] for i in np.flatnonzero(agrees.all(axis=1))]
        if table.right.agrees(seen).all():      # but for rounding, what is wrong shows in none of the answers
            found = [made for made in found if self._rounds_otherwise(made, answers, stand_ins)]
        elif not found:
            found = self._side_by_side(table, agrees, seen) or [
                made for made in self._together(exercise, answers, stand_ins)
                if all_at_work(made, table, agrees, seen)]
        return [made for made in found if self._explains_all(made, answers, stand_ins)
                or self._explains_in_order(made, exercise, answers, stand_ins)]

    def _rounds_otherwise(self, made: Made, answers: Answers, stand_ins: frozenset[str]) -> bool:
        """Whether they do not give the reference's answers to the last bit."""
        subject, asked = self.subject(*made), [self._asked(call, stand_ins) for call in answers]
        return subject is not None and any(
            exact(subject.answer(call).value) != exact(self._reference.answer(call).value) for call in asked)

    def _side_by_side(self, table: Table, agrees: np.ndarray, seen: Row) -> list[Made]:
        """Pairs that each explain their own part of what is wrong, and never contradict what was seen."""
        wrong = ~table.right.agrees(seen)                                   # (leaves,)
        differs = ~table.rows.agrees(table.right)                           # (mistakes, leaves)
        explains, against = differs & agrees, differs & ~agrees
        useful = np.flatnonzero((explains & wrong).any(axis=1))
        return [(*table.made[a], *table.made[b]) for a, b in combinations(useful, 2)
                if ((explains[a] | explains[b]) == wrong).all()
                and not (against[a] & ~explains[b]).any() and not (against[b] & ~explains[a]).any()]

    def _together(self, exercise: Exercise, answers: Answers, stand_ins: frozenset[str]) -> list[Made]:
        """Pairs made in one source that give every answer; only the telling question is asked of all of them."""
        call = exercise.telling
        if call is None or call not in answers or answers[call].status != "answered":
            return []
        table = self._pairs(exercise, call, stand_ins)
        told = self._row({call: answers[call]}, stand_ins)
        if table.right.agrees(told).all():
            return []
        return [table.made[i] for i in np.flatnonzero(table.rows.agrees(told).all(axis=1))]

    def _explains_all(self, made: Made, answers: Answers, stand_ins: frozenset[str]) -> bool:
        """Whether they give every answer, also to large questions: made in one source, or each its own part."""
        seen = self._row(answers, stand_ins)
        together = self.subject(*made)
        if together is not None and self._row_of(together, answers, stand_ins).agrees(seen).all():
            return True
        rows = [self._row_of(subject, answers, stand_ins) for subject in map(self.subject, made) if subject]
        if len(rows) != len(made):
            return False
        asked = [self._reference.answer(self._asked(call, stand_ins)) for call in answers]
        right = Row.of(zip(asked, asked, strict=True))
        return len(made) > 1 and bool(np.where(
            right.agrees(seen), np.all([row.agrees(right) | row.agrees(seen) for row in rows], axis=0),
            np.any([row.agrees(seen) for row in rows], axis=0)).all())

    def _explains_in_order(self, made: Made, exercise: Exercise, answers: Answers, stand_ins: frozenset[str]) -> bool:
        """Whether they give every answer if all is asked in order: some mistakes keep something between calls."""
        subject = self._make(made)
        return subject is not None and bool(self._row_after(
            self._before(exercise, stand_ins), subject, answers, stand_ins).agrees(self._row(answers, stand_ins)).all())

    def _before(self, exercise: Exercise, stand_ins: frozenset[str]) -> list[Call]:
        """What a process was asked before this exercise; a process with stand-ins is a fresh one."""
        if stand_ins:
            return []
        if exercise.name not in self._earlier:
            ask = AskIn("own", self._reference, self._reference)
            earlier = [one for one in self._lesson.exercises if one.name in exercise.stand_ins]
            for check in [check for one in earlier for check in one.checks]:
                check.run(ask)
            self._earlier[exercise.name] = [call for call in ask.answers if size_of(call) < LARGE]
        return self._earlier[exercise.name]

    def explains(self, judged: Judged, diagnosis: Diagnosis) -> bool:
        """Whether known mistakes, or steps done otherwise, give everything that was answered.

        A word about the first wrong step explains nothing: there is one for any nonsense.
        """
        known = {mistake.id for mistake in self._lesson.mistakes}
        if diagnosis.mistakes and known.issuperset(diagnosis.mistakes):
            return True
        return self.families.explains(judged.exercise.name, judged.answers.get("stand-in", judged.answers["own"]))

    def explains_forward(self, judged: Mapping[str, Judged], name: str) -> bool:
        """Whether the student's own function behaves like known mistakes, including those of earlier exercises."""
        forward = judged[name]
        if self.explains(forward, self.diagnose(forward)):
            return True
        answers = _of(forward.answers["own"], name)
        before = [(mistake,) for earlier in forward.exercise.stand_ins for mistake in self.mistakes(earlier)]
        return any(self.subject(*made) is not None and self._explains_all(made, answers, frozenset())
                   for made in before)

    # --- what they answer ---------------------------------------------------------------------------------------

    def _singles(self, exercise: Exercise, stand_ins: frozenset[str]) -> Table:
        """Every mistake of the exercise, and every question of its checks except the large ones."""
        if (exercise.name, stand_ins) not in self._tables:
            ask = AskIn("stand-in" if stand_ins else "own", self._reference, self._reference, stand_ins)
            for check in exercise.checks:
                check.run(ask)
            calls = [call for call in _of(ask.answers, exercise.name) if size_of(self._asked(call, stand_ins)) < LARGE]
            made = [(mistake,) for mistake in self._all(exercise.name)]
            self._tables[exercise.name, stand_ins] = self._table(
                f"{exercise.name}-1", made, calls, stand_ins, self._before(exercise, stand_ins))
        return self._tables[exercise.name, stand_ins].less(self._left_out)

    def _pairs(self, exercise: Exercise, telling: Call, stand_ins: frozenset[str]) -> Table:
        """Every two mistakes that can be made together, and the one question that distinguishes them best."""
        if (telling, stand_ins) not in self._tables:
            pairs = list(combinations(self._all(exercise.name), 2))
            self._tables[telling, stand_ins] = self._table(f"{exercise.name}-2", pairs, [telling], stand_ins, [])
        return self._tables[telling, stand_ins].less(self._left_out)

    def _table(self, name: str, made: list[Made], calls: list[Call], stand_ins: frozenset[str],
               before: list[Call]) -> Table:
        rights = [self._reference.answer(self._asked(call, stand_ins)) for call in calls]
        right = Row.of(zip(rights, rights, strict=True))
        starts = np.cumsum([0, *map(width, rights)]).tolist()
        made, rows = self._rows(name + "-stand-in" * bool(stand_ins), made, calls, stand_ins, before)
        return Table(made, calls, starts, rows, right)

    def _rows(self, name: str, made: list[Made], calls: list[Call], stand_ins: frozenset[str], before: list[Call]
              ) -> tuple[list[Made], Row]:
        """The rows of those that can be made, cached from an earlier run if possible."""
        version = checks_version(self._lesson)
        known = kept.load(version, name)
        if known is None or len(known["could"]) != len(made):              # cached while the catalogue was being edited
            subjects = map(self._make, made)                    # anew, and one by one: pairs would take 150 MB
            rows = [subject and self._row_after(before, subject, calls, stand_ins) for subject in subjects]
            known = {"could": np.array([row is not None for row in rows]),
                     **vars(Row.stack([row for row in rows if row is not None]))}
            kept.save(version, name, known)
        could = known.pop("could")
        return [each for each, can in zip(made, could, strict=True) if can], Row(**known)

    def _row_after(self, before: list[Call], subject: LocalSubject, calls: Iterable[Call],
                   stand_ins: frozenset[str]) -> Row:
        """The row of a subject that was asked other things first: some keep something between calls."""
        for call in before:
            subject.answer(call)
        return self._row_of(subject, calls, stand_ins)

    def _row_of(self, subject: LocalSubject, calls: Iterable[Call], stand_ins: frozenset[str]) -> Row:
        asked = [self._asked(call, stand_ins) for call in calls]
        return Row.of((subject.answer(call), self._reference.answer(call)) for call in asked)

    def _row(self, answers: Answers, stand_ins: frozenset[str]) -> Row:
        return Row.of((outcome, self._reference.answer(self._asked(call, stand_ins)))
                      for call, outcome in answers.items())

    def _asked(self, call: Call, stand_ins: frozenset[str]) -> Call:
        return with_reference(call, self._reference, stand_ins)


def _tells(outcome: Outcome) -> bool:
    """Whether an outcome can say anything about a mistake."""
    return outcome.status not in ("missing", "timed_out", "broken") and UNWRITTEN not in outcome.kinds


def _of(answers: Answers, function: str) -> dict[Call, Outcome]:
    return {call: outcome for call, outcome in answers.items() if call.function == function}


def _diagnosis(found: list[Made]) -> Diagnosis:
    """At most a few, without duplicates, best first."""
    mistakes = list(dict.fromkeys(mistake for made in found[:MOST_NAMED] for mistake in made))
    return Diagnosis(tuple(mistake.id for mistake in mistakes), tuple(mistake.hint for mistake in mistakes))
