"""Find the lessons of this installation, and what nbgrader calls them."""
from __future__ import annotations

import shutil
from functools import lru_cache
from importlib import import_module
from pathlib import Path, PurePosixPath

from autograder.lessons import DEFAULT
from autograder.lessons.kit.course_file import course_file
from autograder.lessons.kit.lesson import Lesson


def lesson_names() -> list[str]:
    """The lessons that this installation has, the default one first."""
    found = sorted(path.parent.name for path in Path(__file__).parent.glob("*/lesson.py") if path.parent.name != "kit")
    return sorted(found, key=lambda name: name != DEFAULT)


def every_lesson() -> list[Lesson]:
    """All lessons of this installation, the default one first."""
    return [load_lesson(name) for name in lesson_names()]


@lru_cache
def load_lesson(name: str) -> Lesson:
    """The lesson with this name; ValueError names the existing ones."""
    if name not in lesson_names():
        raise ValueError(f"there is no lesson {name!r}; this installation has: {', '.join(lesson_names())}")
    return import_module(f"autograder.lessons.{name}.lesson").LESSON


def lesson_called(name: str) -> str:
    """The lesson with this name or with an assignment of this name; ValueError names the existing ones."""
    if name in lesson_names():
        return name
    of = {assignment: lesson for lesson in lesson_names() for assignment in assignments_of(load_lesson(lesson))}
    if name not in of:
        raise ValueError(f"there is no lesson {name!r}; there are: {', '.join(of)}")
    return of[name]


def copy_assignments(lesson: Lesson, course: Path) -> None:
    """Copy the source notebook of each edition, with the modules beside it, into a course."""
    for edition in lesson.editions.values():
        folder = PurePosixPath(edition).parent
        shutil.copytree(course_file(str(folder)), course / folder, ignore=shutil.ignore_patterns("__pycache__", ".*"))


def assignments_of(lesson: Lesson) -> list[str]:
    """What nbgrader calls the lesson: the folder of each edition, its own name first."""
    return sorted({Path(path).parent.name for path in lesson.editions.values()}, key=lambda name: name != lesson.name)
