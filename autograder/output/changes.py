"""Compare two grades of a student, and list whose grade changes, by how much and in which check."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from autograder.locale.language import translate
from autograder.output.class_list import NOBODY, ClassList, Person
from autograder.output.marks import number, points_of
from autograder.output.plain import named, plain
from autograder.records import Grade, Left, Text, Verdict


@dataclass(frozen=True)
class CheckChange:
    """One check whose points or verdict changed; a missing side is None."""

    exercise: str
    check: str
    before: Verdict | None
    after: Verdict | None

    @property
    def only_weight(self) -> bool:
        """Whether it came out as before, and earns the same share of other points."""
        before, after = self.before, self.after
        if before is None or after is None or before.verdict != after.verdict:
            return False
        if before.points is None or after.points is None:
            return False
        return before.max_points != after.max_points and abs(
            before.points * after.max_points - after.points * before.max_points) < 1e-6


@dataclass(frozen=True)
class Change:
    """One student's grade, before and after.

    Without a grade before, the student is new. Without one after, the graded work is gone, and the grade stays.
    """

    before: Grade | None
    after: Grade | None

    @property
    def student(self) -> str:
        either = self.after or self.before
        return either.student if either is not None else ""

    @property
    def changes(self) -> bool:
        """Whether the student would notice anything."""
        if self.after is None:
            return False
        return self.before is None or bool(self.checks) or (
            (self.before.points, self.before.status) != (self.after.points, self.after.status))

    @property
    def by(self) -> float | None:
        """How many points more; None if one side has no points."""
        before, after = (grade and grade.points for grade in (self.before, self.after))
        return None if before is None or after is None else after - before

    @property
    def why(self) -> list[str]:
        """Why it was graded again."""
        return [why for field, why in _WHY.items() if self.before is not None and self.after is not None
                and getattr(self.before, field) != getattr(self.after, field)]

    @cached_property
    def checks(self) -> list[CheckChange]:
        """Check by check; empty if one of the two was not graded, since then all of them changed."""
        if self.before is None or self.after is None or {self.before.status, self.after.status} != {"graded"}:
            return []
        old, new = verdicts_of(self.before), verdicts_of(self.after)
        return [CheckChange(*key, old.get(key), new.get(key)) for key in {**old, **new}
                if _says(old.get(key)) != _says(new.get(key))]

    @property
    def only_weights(self) -> bool:
        """Whether the same checks hold as before, and are only worth something else."""
        return bool(self.checks) and all(check.only_weight for check in self.checks)


_WHY = {"key": "other work", "checks": "other checks", "isolation": "another wall"}     # by the field that differs


def verdicts_of(grade: Grade) -> dict[tuple[str, str], Verdict]:
    """(exercise, check) -> verdict."""
    return {(exercise.name, verdict.check): verdict for exercise in grade.exercises for verdict in exercise.verdicts}


def _says(verdict: Verdict | None) -> tuple | None:
    """The part of a verdict that counts; points are compared as people see them."""
    points = verdict.points if verdict is not None else None
    return verdict and (verdict.verdict, None if points is None else round(points, 4), round(verdict.max_points, 4))


def change_lines(changes: Sequence[Change], left: Sequence[Left] = (), people: ClassList = NOBODY,
                 absent: Sequence[Person] = ()) -> Iterator[str]:
    """The students whose grade changes, each with the checks that change, what may be work but is not looked at, and a
    final line with the totals.
    """
    yield from _weights(changes)
    for change in changes:
        if change.after is not None and change.changes and not change.only_weights:
            yield plain(_headline(change, change.after, people))
            yield from (f"    {plain(_check(check))}" for check in change.checks if not check.only_weight)
            yield from _reasons(change.after)
        elif change.after is not None and not change.changes and change.after.status != "graded":
            yield plain(f"{people.called(change.student)}  stays {_points(change.before)}{_status(change.after)}")
            yield from _reasons(change.after)
    gone = [change for change in changes if change.after is None]
    for change in gone:
        yield plain(f"{people.called(change.student)}  {_points(change.before)} stays: the submission is gone")
    for person in absent:
        yield plain(f"{people.called(person.student)}  handed in nothing")
    for each in left:
        if each.asks:
            yield plain(f"{named(each.path)} is not looked at: {translate(each.why, 'en')}")
    new = sum(change.before is None for change in changes)
    other, there = sum(change.changes for change in changes) - new, len(changes) - len(gone)
    yield f"{other} of {there} change, {new} new, {there - other - new} unchanged" + (
        f", {len(gone)} with no submission left" if gone else "")


def _weights(changes: Sequence[Change]) -> Iterator[str]:
    """One line about points that are divided otherwise, however many students and checks that concerns."""
    worth: dict[str, tuple[float, float]] = {}
    for change in changes:
        if any(check.only_weight for check in change.checks):
            before, after = ({exercise.name: exercise.max_points for exercise in grade.exercises}
                             for grade in (change.before, change.after) if grade is not None)
            worth.update({name: (before[name], after[name]) for name in before.keys() & after.keys()
                          if before[name] != after[name]})
    found = [change for change in changes if change.only_weights]
    if not worth and not found:
        return
    names = [f"{name} {number(was)} → {number(now)}" for name, (was, now) in sorted(worth.items())]
    by = [change.by or 0.0 for change in found]
    which = ", ".join(names) or "of checks, within their exercises"
    yield (f"other points: {which}; for {len(found)} of {len(changes)} students nothing else changes"
           + (f" ({min(by):+.4g} to {max(by):+.4g})" if by else ""))


def _reasons(grade: Grade) -> Iterator[str]:
    return (f"    {plain(translate(why, 'en'))}" for why in _why_not(grade))


def _why_not(grade: Grade) -> Sequence[Text]:
    """Why there is no grade, if so: a fault of ours is in `for_a_person`, anything else in the last notice."""
    return {"unreadable": grade.notices, "broken": grade.for_a_person}.get(grade.status, ())[-1:]


def _points(grade: Grade | None) -> float | str | None:
    return "?" if grade is None or grade.points is None else number(grade.points)


def _headline(change: Change, now: Grade, people: ClassList) -> str:
    who, after = people.called(change.student), points_of(now.points, now.max_points)
    if change.before is None:
        return f"{who}  new: {after}{_status(now)}"
    by = "" if change.by is None else f" ({change.by:+.4g})"
    why = ", ".join(change.why) or "the same work and checks"
    return f"{who}  {_points(change.before)} → {after}{by}{_status(now)}: {why}"


def _status(grade: Grade) -> str:
    return "" if grade.status == "graded" else f" {grade.status}"


def _check(check: CheckChange) -> str:
    return f"{check.exercise}/{check.check}: {_verdict(check.before)} → {_verdict(check.after)}"


def _verdict(verdict: Verdict | None) -> str:
    if verdict is None:
        return "absent"
    return f"{verdict.verdict.replace('_', ' ')} {points_of(verdict.points, verdict.max_points)}"
