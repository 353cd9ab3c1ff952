"""Describe a class in numbers: who was graded, how the points are spread, how the exercises compare."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from statistics import fmean, median, pstdev

from autograder.output.final import final_max, final_points
from autograder.output.marks import number
from autograder.records import ExerciseGrade, Grade, Text
from autograder.report.cells import BLANK, code_of

_MOST_BINS = 20
PASSING_SHARE = 0.55                            # of the points, if no pass mark is given: the 5.5 of Dutch schools
_EPSILON = 1e-6


@dataclass(frozen=True)
class Column:
    """One check, as it occurs in the class."""

    exercise: str
    check: str
    title: Text
    max_points: float


@dataclass(frozen=True)
class Bin:
    """How many students have `start` points or more, and fewer than `end` (the last bin holds full marks alone).

    `passing` is "yes", "no", or "some" if the pass mark lies inside the bin.
    """

    start: float
    end: float
    count: int
    passing: str

    @property
    def label(self) -> str:
        return f"{number(self.start)}"


@dataclass(frozen=True)
class ExerciseFacts:
    """How the class did on one exercise: students with all points, with some, with none, and with nothing written."""

    name: str
    max_points: float
    mean: float | None
    full: int
    some: int
    none: int
    not_written: int

    @property
    def count(self) -> int:
        return self.full + self.some + self.none + self.not_written

    @property
    def share(self) -> float | None:
        return None if self.mean is None or not self.max_points else self.mean / self.max_points


@dataclass(frozen=True)
class Class:
    """The grades of a class, with everything derived from them."""

    grades: Sequence[Grade]
    given_pass_mark: float | None = None
    pass_share: float = PASSING_SHARE

    @cached_property
    def graded(self) -> list[Grade]:
        """The grades with points: the others count in no mean."""
        return [grade for grade in self.grades if grade.status == "graded" and grade.points is not None]

    @cached_property
    def marked(self) -> list[Grade]:
        """The grades with a final mark, whoever gave it."""
        return [grade for grade in self.grades if final_points(grade) is not None
                and (grade.mark is not None or grade.status == "graded")]

    @cached_property
    def points(self) -> list[float]:
        """The points of the final marks."""
        return [points for grade in self.marked if (points := final_points(grade)) is not None]

    @cached_property
    def values(self) -> list[float]:
        """The final marks on the course's scale; none without a scale."""
        return [grade.mark.value for grade in self.marked if grade.mark is not None and grade.mark.value is not None]

    @cached_property
    def max_points(self) -> float:
        return max((final_max(grade) for grade in self.marked or self.graded or self.grades), default=0.0)

    @cached_property
    def pass_mark(self) -> float:
        if self.given_pass_mark is not None:
            return self.given_pass_mark
        return next((grade.mark.pass_points for grade in self.grades if grade.mark is not None),
                    self.max_points * self.pass_share)

    def passes(self, points: float) -> bool:
        return points >= self.pass_mark - _EPSILON

    @cached_property
    def passed(self) -> int:
        return sum(map(self.passes, self.points))

    @cached_property
    def full(self) -> int:
        return sum((final_points(grade) or 0.0) >= final_max(grade) - _EPSILON for grade in self.marked)

    @cached_property
    def mean(self) -> float | None:
        return fmean(self.points) if self.points else None

    @cached_property
    def mean_value(self) -> float | None:
        return fmean(self.values) if self.values else None

    @cached_property
    def median(self) -> float | None:
        return median(self.points) if self.points else None

    @cached_property
    def spread(self) -> float | None:
        """The standard deviation of the points."""
        return pstdev(self.points) if self.points else None

    @cached_property
    def columns(self) -> list[Column]:
        """Every check that any grade has, exercise by exercise, in the order of first appearance."""
        exercises: dict[str, dict[str, Column]] = {}
        for grade in self.grades:
            for exercise in grade.exercises:
                checks = exercises.setdefault(exercise.name, {})
                for verdict in exercise.verdicts:
                    checks.setdefault(verdict.check, Column(exercise.name, verdict.check, verdict.title,
                                                            verdict.max_points))
        return [column for checks in exercises.values() for column in checks.values()]

    @cached_property
    def bins(self) -> list[Bin]:
        """The points in whole steps, at most twenty, with full marks in a bin alone."""
        if not self.points or self.max_points <= 0:
            return []
        width = max(1, math.ceil(self.max_points / _MOST_BINS))
        count = math.ceil(self.max_points / width)
        found = [0] * (count + 1)
        for points in self.points:
            full = points >= self.max_points - _EPSILON
            found[count if full else min(count - 1, max(0, int((points + _EPSILON) // width)))] += 1
        edges = [step * width for step in range(count)] + [self.max_points, math.inf]
        return [Bin(start, end, students, self._passing(start, end))
                for start, end, students in zip(edges[:-1], edges[1:], found, strict=True)]

    def _passing(self, start: float, end: float) -> str:
        return "yes" if self.passes(start) else "some" if end > self.pass_mark else "no"

    @cached_property
    def exercises(self) -> list[ExerciseFacts]:
        names = list(dict.fromkeys(exercise.name for grade in self.grades for exercise in grade.exercises))
        return [_exercise(name, [exercise for grade in self.graded for exercise in grade.exercises
                                 if exercise.name == name and not exercise.skipped]) for name in names]


def _exercise(name: str, found: Sequence[ExerciseGrade]) -> ExerciseFacts:
    known = [(exercise, exercise.points) for exercise in found if exercise.points is not None]
    blank = [exercise for exercise, _ in known if not_written(exercise)]
    written = [(exercise, points) for exercise, points in known if not not_written(exercise)]
    full = sum(points >= exercise.max_points - _EPSILON for exercise, points in written)
    none = sum(points <= _EPSILON for _, points in written)
    return ExerciseFacts(name, max((exercise.max_points for exercise in found), default=0.0),
                         fmean(points for _, points in known) if known else None,
                         full, len(written) - full - none, none, len(blank))


def not_written(exercise: ExerciseGrade) -> bool:
    """Whether nothing of this exercise was written: none of its checks found more than the stub."""
    codes = {code_of(verdict) for verdict in exercise.verdicts if verdict.verdict != "skipped"}
    return bool(codes) and codes <= set(BLANK)
