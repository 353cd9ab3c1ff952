"""Make the one final mark: the autograder's points, those of people, the late penalty, and the course's scale.

Whatever shows a mark (a student's page, the report, the terminal, an export) shows one that was made here.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from math import ceil, floor

from msgspec.structs import replace

from autograder.course.settings import MarkSettings, Settings
from autograder.records import Grade, Mark

_EPSILON = 1e-6
_STEPS = {"tenth": 10, "half": 2, "whole": 1}           # of the scale, in a whole point


@dataclass(frozen=True)
class Earned:
    """What a student earned, before lateness and scale."""

    score: float                                # with manual scores and extra credit
    max_points: float
    auto: float | None = None                   # of which the autograder gave this
    exercises: Mapping[str, tuple[float | None, float]] = field(default_factory=dict)
    waiting: tuple[str, ...] = ()
    replaced: tuple[str, ...] = ()
    known: bool = True                          # whether there is a score at all
    days_late: int = 0
    penalty: float = 0.0                        # the gradebook's


def make_mark(student: str, earned: Earned, settings: Settings, lesson: str) -> Mark:
    """The mark of this student for this lesson."""
    late = settings.late
    penalty = earned.penalty if late.rule == "none" else late.penalty(earned.score, earned.days_late)
    points = None if earned.waiting or not earned.known else max(0.0, earned.score - penalty)
    enough = settings.pass_points(lesson, earned.max_points)
    passed = None if points is None else points >= enough - _EPSILON
    return Mark(
        student, points, earned.max_points, dict(earned.exercises), earned.auto,
        earned.score - (earned.auto or 0.0), penalty, earned.days_late, enough, passed,
        on_scale(points, earned.max_points, enough, settings.mark),
        earned.waiting, earned.replaced, late.rule != "none" and abs(penalty - earned.penalty) > _EPSILON)


def on_scale(points: float | None, max_points: float, enough: float, mark: MarkSettings) -> float | None:
    """The mark from 1 to 10 for these points, or None: 5.5 where `enough` begins, and a straight line on either side.

    Rounding never makes a pass of what is none: just below `enough` it goes down.
    """
    if points is None or mark.scale == "none":
        return None
    passed = points >= enough - _EPSILON
    if points >= max_points - _EPSILON:
        exact = 10.0
    elif passed:
        exact = 5.5 + 4.5 * (points - enough) / (max_points - enough)
    else:
        exact = 1 + 4.5 * max(0.0, points) / enough
    steps = _STEPS[mark.rounding]
    rounded, least = floor(exact * steps + 0.5 + _EPSILON), ceil(5.5 * steps)
    return (max(rounded, least) if passed else min(rounded, least - 1)) / steps


def own_mark(grade: Grade, settings: Settings) -> Mark:
    """The mark where there is no gradebook: of the autograder's points alone."""
    exercises = {exercise.name: (exercise.points, exercise.max_points) for exercise in grade.exercises
                 if not exercise.skipped}
    score = grade.points or 0.0
    return make_mark(grade.student, Earned(score, grade.max_points, score, exercises, known=grade.points is not None),
                     settings, grade.lesson)


def with_mark(grades: Iterable[Grade], marks: Mapping[str, Mark]) -> Iterator[Grade]:
    """Each grade with the mark of its student, if there is one."""
    return (replace(grade, mark=marks.get(grade.student)) for grade in grades)
