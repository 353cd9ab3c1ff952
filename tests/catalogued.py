"""What a check says of the reference with a slip in it, and which checks see a mistake: for the tests of such parts."""
from __future__ import annotations

from functools import cache

from local import Opened

from autograder.judge.engine import Assessor
from autograder.lessons.installed import load_lesson
from autograder.lessons.kit.lesson import Mistake, changed
from autograder.records import ExerciseGrade


@cache
def _assessor(lesson: str) -> Assessor:
    return Assessor(load_lesson(lesson))


@cache
def _assessed(lesson: str, source: str) -> dict[str, ExerciseGrade]:
    return {exercise.name: exercise for exercise in _assessor(lesson).assess(Opened(source)).exercises}


def verdict_of(lesson: str, exercise: str, check: str, *slips: tuple[str, str]) -> str:
    """The verdict of this check for the reference with these lines changed."""
    verdicts = _assessed(lesson, changed(*slips)(load_lesson(lesson).reference_source))[exercise].verdicts
    return next(verdict.verdict for verdict in verdicts if verdict.check == check)


def _made(lesson: str, id: str) -> dict[str, ExerciseGrade]:
    mistake: Mistake = next(one for one in load_lesson(lesson).mistakes if one.id == id)
    return _assessed(lesson, mistake.make(load_lesson(lesson).reference_source))


def checks_that_see(lesson: str, id: str) -> dict[str, set[str]]:
    """Exercise -> the checks that fail where this mistake was made; only exercises that lose points."""
    return {name: {verdict.check for verdict in exercise.verdicts if verdict.verdict != "passed"}
            for name, exercise in _made(lesson, id).items() if exercise.points != exercise.max_points}


def named(lesson: str, id: str, exercise: str) -> tuple[str, ...]:
    """The mistakes that the diagnosis names."""
    return _made(lesson, id)[exercise].diagnosis.mistakes


def points_of(lesson: str, exercise: str, then: str = "") -> float | None:
    """The points of the reference for this exercise; `then` takes the place of functions of its own."""
    return _assessed(lesson, f"{load_lesson(lesson).reference_source}\n\n\n{then}")[exercise].points
