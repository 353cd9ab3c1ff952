"""Compare a new grade with the one before: by how much it differs, in which checks, and why it was graded again."""
from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from autograder.records import ExerciseGrade, Grade, Verdict


@dataclass(frozen=True)
class CheckChange:
    """One check whose points or message changed; a missing side is None."""

    exercise: str
    check: str
    before: Verdict | None
    after: Verdict | None


@dataclass(frozen=True)
class Change:
    """One student's grade, before and after. `why` says what differs: "work", "checks", "isolation".

    Without a grade before, the student is new. Without one after, the graded work is gone, and the grade stays.
    """

    student: str
    before: Grade | None
    after: Grade | None
    why: tuple[str, ...]
    checks: tuple[CheckChange, ...]

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


def change(before: Grade | None, after: Grade | None) -> Change:
    """Compare a grade with the last one that was written; either may be missing."""
    either = after or before
    if either is None:
        raise ValueError("there are no grades to compare")
    if before is None or after is None:
        return Change(either.student, before, after, (), ())
    reasons = {"work": before.key != after.key, "checks": before.checks != after.checks,
               "isolation": before.isolation != after.isolation}
    return Change(after.student, before, after, tuple(why for why, differs in reasons.items() if differs),
                  tuple(_changed_checks(before, after)))


def _changed_checks(before: Grade, after: Grade) -> Iterator[CheckChange]:
    """Check by check; empty if one of the two was not graded, since then all of them changed."""
    if before.status != "graded" or after.status != "graded":
        return
    old, new = _verdicts(before), _verdicts(after)
    for key in [*old, *(key for key in new if key not in old)]:
        was, now = old.get(key), new.get(key)
        if _says(was) != _says(now):
            yield CheckChange(*key, was, now)


def _verdicts(grade: Grade) -> dict[tuple[str, str], Verdict]:
    def of(exercise: ExerciseGrade) -> Iterator[tuple[tuple[str, str], Verdict]]:
        return (((exercise.name, verdict.check), verdict) for verdict in exercise.verdicts)
    return dict(pair for exercise in grade.exercises for pair in of(exercise))


def _says(verdict: Verdict | None) -> tuple | None:
    """The part of a verdict that counts; points are compared as people see them."""
    points = verdict.points if verdict is not None else None
    return verdict and (verdict.verdict, None if points is None else round(points, 4), round(verdict.max_points, 4))
