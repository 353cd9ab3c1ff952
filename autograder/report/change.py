"""Compare two runs or two years: what improved, what got worse, and which differences are more than chance.

A difference between two shares is clear if it exceeds twice its standard error (after Agresti and Caffo, who add one
success and one failure on each side, so that shares of 0 and 1 have an error too).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

from autograder.output.changes import Change
from autograder.records import Text
from autograder.report.facts import Class, ExerciseFacts
from autograder.report.items import items
from autograder.report.mistakes import mistakes


@dataclass(frozen=True)
class ShareChange:
    """How many of how many, before and now. An empty side has no share."""

    name: tuple[str, ...]
    title: Text | None
    before: tuple[int, int]
    after: tuple[int, int]

    @property
    def shares(self) -> tuple[float | None, float | None]:
        return _share(*self.before), _share(*self.after)

    @property
    def by(self) -> float | None:
        before, after = self.shares
        return None if before is None or after is None else after - before

    @property
    def clear(self) -> bool:
        """Whether the difference is larger than chance would make it."""
        if self.by is None:
            return False
        sides = [((hits + 1) / (of + 2), of + 2) for hits, of in (self.before, self.after)]
        error = sqrt(sum(share * (1 - share) / of for share, of in sides))
        return abs(sides[1][0] - sides[0][0]) > 2 * error


@dataclass(frozen=True)
class Changes:
    """All differences between two runs."""

    before: Class
    after: Class
    exercises: Sequence[tuple[ExerciseFacts | None, ExerciseFacts | None]]
    checks: Sequence[ShareChange]               # the largest change first
    mistakes: Sequence[ShareChange]
    students: Sequence[Change]                  # who has points in both runs, the largest gain first
    other_checks: bool                          # the checks themselves changed

    @property
    def gained(self) -> int:
        return sum((student.by or 0.0) > 1e-9 for student in self.students)

    @property
    def lost(self) -> int:
        return sum((student.by or 0.0) < -1e-9 for student in self.students)


def changes(before: Class, after: Class) -> Changes:
    """What differs in `after`."""
    versions = [{grade.checks for grade in side.grades} for side in (before, after)]
    return Changes(before, after, _exercises(before, after), _checks(before, after), _mistakes(before, after),
                   _students(before, after), versions[0] != versions[1])


def _exercises(before: Class, after: Class) -> list[tuple[ExerciseFacts | None, ExerciseFacts | None]]:
    old, new = ({facts.name: facts for facts in side.exercises} for side in (before, after))
    return [(old.get(name), new.get(name)) for name in {**new, **old}]


def _checks(before: Class, after: Class) -> list[ShareChange]:
    old, new = ({(item.column.exercise, item.column.check): item for item in items(side)} for side in (before, after))
    found = []
    for name, some in {**new, **old, **new}.items():
        earlier, later = old.get(name), new.get(name)
        found.append(ShareChange(name, some.column.title,
                                 (earlier.passed, earlier.tried) if earlier else (0, 0),
                                 (later.passed, later.tried) if later else (0, 0)))
    return sorted(found, key=_largest)


def _mistakes(before: Class, after: Class) -> list[ShareChange]:
    old, new = ({(facts.exercise, facts.id): facts for facts in mistakes(side.graded) if facts.students}
                for side in (before, after))
    found = [ShareChange(name, (new.get(name) or old[name]).hint,
                         (_count(old, name), len(before.graded)), (_count(new, name), len(after.graded)))
             for name in {**new, **old}]
    return sorted(found, key=_largest)


def _count(found: dict, name: tuple[str, str]) -> int:
    return len(found[name].students) if name in found else 0


def _students(before: Class, after: Class) -> list[Change]:
    old = {grade.student: grade for grade in before.graded}
    both = [Change(old[grade.student], grade) for grade in after.graded if grade.student in old]
    return sorted(both, key=_largest_gain)


def _share(hits: int, of: int) -> float | None:
    return hits / of if of else None


def _largest_gain(change: Change) -> float:
    return -(change.by or 0.0)


def _largest(change: ShareChange) -> float:
    return -abs(change.by or 0.0)
