"""Name the known mistake that explains everything a function answered; else say what its answers are like.

A mistake is named only if it gives the same answer to every recorded question of that exercise; if several explain them
equally well, all are named. If no single mistake does, two are tried: made together in one source, or each at work in
its own part of the answers. If that fails too, judge.families says which steps, done otherwise, give these answers.
"""
from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from copy import copy
from itertools import combinations

import numpy as np

from autograder.judge.families import Families
from autograder.judge.family_words import Word
from autograder.judge.fingerprint import Row, width
from autograder.judge.known import Answers, Known, Seen, of_function
from autograder.judge.last_words import from_last, what_alone_fails, what_it_changes
from autograder.judge.local_subject import LocalSubject
from autograder.judge.straight_after import WORLD as STRAIGHT_AFTER
from autograder.judge.table import Made, Table, all_at_work, exact
from autograder.judge.worlds import Judged
from autograder.lessons.kit.lesson import UNWRITTEN, Exercise, Lesson, Mistake
from autograder.records import Diagnosis, Outcome

MOST_NAMED = 3


class Catalogue:
    """The lesson's mistakes, and what they explain."""

    def __init__(self, lesson: Lesson, reference: LocalSubject, left_out: Iterable[str] = ()):
        self._lesson, self._reference = lesson, reference
        self._left_out = frozenset(left_out)
        self._known = Known(lesson, reference)
        self.families = Families(lesson, reference)

    def without(self, *left_out: str) -> Catalogue:
        """The catalogue without these mistakes; it shares everything already computed."""
        other = copy(self)
        other._left_out = self._left_out.union(left_out)
        return other

    def mistakes(self, exercise: str) -> list[Mistake]:
        """The mistakes that this exercise can have."""
        return [mistake for mistake in self._known.all(exercise) if mistake.id not in self._left_out]

    def subject(self, *made: Mistake) -> LocalSubject | None:
        """The reference with these mistakes made in it; None if they cannot be made together."""
        return self._known.subject(*made)

    # --- which mistake ------------------------------------------------------------------------------------------

    def diagnose(self, judged: Judged, right: Iterable[str] = ()) -> Diagnosis:
        """The mistakes that explain an exercise, in the world where the least else can be wrong.

        A mistake that two exercises make together is not named if the other exercise is among the right ones.
        """
        found = self._found(judged, right)
        if found:
            return _diagnosis(found)
        words = self._words(judged, set(right))
        return Diagnosis(tuple(word.id for word in words), tuple(word.says for word in words))

    def explaining(self, judged: Judged) -> list[LocalSubject]:
        """Subjects that explain everything an exercise answered, or all but its cache, which may be the student's own.

        They are made anew: some keep something between calls.
        """
        found = self._found(judged) or self._but_for_the_cache(judged)
        return [subject for made in found[:MOST_NAMED] if (subject := self._known.make(made)) is not None]

    def _but_for_the_cache(self, judged: Judged) -> list[Made]:
        """Mistakes that give every first part of an answer, of which something is wrong."""
        world = "stand-in" if "stand-in" in judged.answers else "own"
        answers = of_function(judged.answers[world], judged.exercise.name)
        stand_ins = frozenset(judged.exercise.stand_ins if world == "stand-in" else ())
        table = self._known.singles(judged.exercise, stand_ins).less(self._left_out)
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
        for world in (*worlds, STRAIGHT_AFTER):
            answers = of_function(judged.answers.get(world, {}), judged.exercise.name)
            if any(map(_tells, answers.values())):
                found = [made for made in self._explain(judged, answers, world)
                         if all(set(right).isdisjoint(mistake.exercises) for mistake in made)]
                if found:
                    return found
        return []

    def _words(self, judged: Judged, right: set[str]) -> list[Word]:
        """What the answers are like; if that leaves most of the function open, what else tells where it goes wrong."""
        worlds = list(self._sound(judged, right))
        said = next((words for answers in worlds if (words := self.families.words(judged.exercise.name, answers))), [])
        if said and not self.families.vague(judged.exercise.name, said):
            return said
        last = next((words for answers in worlds if (words := self.families.last_words(judged, answers))), [])
        return last or what_it_changes(judged) or said or what_alone_fails(judged)

    def _sound(self, judged: Judged, right: set[str]) -> Iterator[Answers]:
        """The answers in each world in which everything that they build on is right."""
        if STRAIGHT_AFTER in judged.answers:
            yield judged.answers[STRAIGHT_AFTER]
            return
        exercise = judged.exercise
        builds_on_right = right.issuperset(exercise.stand_ins)
        own = "own-forward" if judged.needs_its_own_earlier_answers else "own"
        for world in ("stand-in", own):
            if world == "stand-in" and own == "own" or builds_on_right or (
                    world == "own-forward" and exercise.differentiates in right):
                yield judged.answers.get(world, {})

    def _explain(self, judged: Judged, answers: Answers, world: str) -> list[Made]:
        """The mistakes that give these answers, remembered: several worlds and exercises ask for the same."""
        key = self._left_out, world, tuple(answers)
        if key not in judged.explained:
            stand_ins = frozenset(judged.exercise.stand_ins if world == "stand-in" else ())
            judged.explained[key] = self._explaining(judged.exercise, answers, stand_ins)
        return judged.explained[key]

    def _explaining(self, exercise: Exercise, answers: Answers, stand_ins: frozenset[str]) -> list[Made]:
        table = self._known.singles(exercise, stand_ins).less(self._left_out).only(answers)
        all_seen = self._known.seen(answers, stand_ins)
        seen = all_seen.row(table.calls)
        agrees = table.rows.agrees(seen)
        found = [table.made[i] for i in np.flatnonzero(agrees.all(axis=1))]
        if table.right.agrees(seen).all():      # but for rounding, what is wrong shows in none of the answers
            found = [made for made in found if self._rounds_otherwise(made, answers, stand_ins)]
        elif not found:
            found = self._side_by_side(table, agrees, seen) or [
                made for made in self._together(exercise, all_seen)
                if all_at_work(made, table, agrees, seen)]
        return [made for made in found if self._explains_all(made, all_seen)
                or self._explains_in_order(made, exercise, all_seen, stand_ins)]

    def _rounds_otherwise(self, made: Made, answers: Answers, stand_ins: frozenset[str]) -> bool:
        """Whether they do not give the reference's answers to the last bit."""
        subject, asked = self._known.subject(*made), [self._known.asked(call, stand_ins) for call in answers]
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

    def _together(self, exercise: Exercise, seen: Seen) -> list[Made]:
        """Pairs made in one source that give every answer; only the telling question is asked of all of them."""
        call = exercise.telling
        if call is None or call not in seen.answered:
            return []
        table = self._known.pairs(exercise, call).less(self._left_out)
        told = seen.row([call])
        if table.right.agrees(told).all():
            return []
        return [table.made[i] for i in np.flatnonzero(table.rows.agrees(told).all(axis=1))]

    def _explains_all(self, made: Made, seen: Seen) -> bool:
        """Whether they give every answer, also to large questions: made in one source, or each its own part."""
        together = self._known.subject(*made)
        if together is not None and self._known.gives(together, seen):
            return True
        alone = [subject for mistake in made if (subject := self._known.subject(mistake)) is not None]
        return len(alone) == len(made) > 1 and self._known.give_side_by_side(alone, seen)

    def _explains_in_order(self, made: Made, exercise: Exercise, seen: Seen, stand_ins: frozenset[str]) -> bool:
        """Whether they give every answer if all is asked in order: some mistakes keep something between calls."""
        row = self._known.in_order(made, exercise, tuple(seen.entries), stand_ins)
        return row is not None and bool(row.agrees(seen.row(seen.entries)).all())

    def explains(self, judged: Judged, diagnosis: Diagnosis) -> bool:
        """Whether known mistakes, or steps done otherwise, give everything that was answered.

        A word about the first wrong step explains nothing: there is one for any nonsense.
        """
        known = {mistake.id for mistake in self._lesson.mistakes}
        if diagnosis.mistakes and known.issuperset(diagnosis.mistakes):
            return True
        return self.families.explains(judged.exercise.name, judged.answers.get("stand-in", judged.answers["own"]))

    def attempted(self, judged: Judged, diagnosis: Diagnosis) -> bool:
        """Whether an exercise is explained, or what is said of it tells of something in it that is right."""
        return self.explains(judged, diagnosis) or self.families.attempted(
            judged.exercise.name, [id for id in diagnosis.mistakes if not from_last(id)])

    def explains_forward(self, judged: Mapping[str, Judged], name: str) -> bool:
        """Whether the student's own function behaves like known mistakes, including those of earlier exercises."""
        forward = judged[name]
        if self.explains(forward, self.diagnose(forward)):
            return True
        seen = self._known.seen(of_function(forward.answers["own"], name), frozenset())
        before = [(mistake,) for earlier in forward.exercise.stand_ins for mistake in self.mistakes(earlier)]
        return any(self._known.subject(*made) is not None and self._explains_all(made, seen)
                   for made in before)


def _tells(outcome: Outcome) -> bool:
    """Whether an outcome can say anything about a mistake."""
    return outcome.status not in ("missing", "timed_out", "broken") and UNWRITTEN not in outcome.kinds


def _diagnosis(found: list[Made]) -> Diagnosis:
    """At most a few, without duplicates, best first."""
    mistakes = list(dict.fromkeys(mistake for made in found[:MOST_NAMED] for mistake in made))
    return Diagnosis(tuple(mistake.id for mistake in mistakes), tuple(mistake.hint for mistake in mistakes))
