"""Read the last grades of a course, or those in a file of JSON lines, for commands that show or export marks."""
from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from autograder.cli.common import LESSON

if TYPE_CHECKING:
    from autograder.records import Grade

JOURNAL = Path(".autograder", "journal.jsonl")


def last_grades(file: Path | None, lesson: str = "") -> list[Grade]:
    """The grades of one lesson in this file, or in the journal of the course in this folder. Raises CannotRead."""
    from autograder.report.reading import read_grades
    return _of_lesson(read_grades(file or _journal(), _titles(lesson or LESSON)), lesson)


def lesson_of(grades: Sequence[Grade]) -> str:
    """The lesson of these grades; JSON lines do not name it, so for them it is the default."""
    return next((grade.lesson for grade in grades if grade.lesson), LESSON)


def _journal() -> Path:
    if not JOURNAL.is_file():
        raise click.UsageError(f"there is no {JOURNAL} in this folder: run `autograder grade` first, or name the JSON "
                               "lines of `autograder check --json`")
    return JOURNAL


def _titles(lesson: str) -> dict:
    """The checks' titles, which JSON lines lack."""
    from autograder.lessons.installed import lesson_names, load_lesson
    exercises = load_lesson(lesson).exercises if lesson in lesson_names() else ()
    return {(exercise.name, check.name): check.title for exercise in exercises for check in exercise.checks}


def _of_lesson(grades: Sequence[Grade], lesson: str) -> list[Grade]:
    """The grades of this lesson, or of the only one there is; JSON lines do not name theirs."""
    names = sorted({grade.lesson for grade in grades if grade.lesson})
    if lesson and names and lesson not in names:
        raise click.UsageError(f"there are no grades of {lesson!r}, only of {', '.join(names)}")
    if not lesson and len(names) > 1:
        raise click.UsageError(f"there are grades of {', '.join(names)}; choose one with --lesson")
    found = [grade for grade in grades if not lesson or grade.lesson in ("", lesson)]
    return sorted(found, key=lambda grade: (grade.student, grade.submission))
