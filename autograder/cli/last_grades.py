"""Read the last grades of a course, or those in a file of JSON lines, for commands that show or export marks."""
from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import click

from autograder.cli.lessons import default_lesson
from autograder.cli.options import DATABASE
from autograder.course import JOURNAL, STORE

if TYPE_CHECKING:
    from autograder.records import Grade


def last_grades(file: Path | None, lesson: str = "") -> list[Grade]:
    """The grades of one lesson in this file, or in the store of the course in this folder. Raises Refused."""
    from autograder.report.reading import read_grades
    path = file or stored()
    if file is None and not path.is_file():
        raise click.UsageError(f"there is no {path} in this folder: run `autograder grade` first, or name the JSON "
                               "lines of `autograder check --json`")
    return _of_lesson(read_grades(path, _titles(lesson or default_lesson()), _in_store(path)), lesson)


def lesson_of(grades: Sequence[Grade]) -> str:
    """The lesson of these grades; JSON lines do not name it, so for them it is the default."""
    return next((grade.lesson for grade in grades if grade.lesson), None) or default_lesson()


def stored(course: Path = Path()) -> Path:
    """Where this course's grades are: in its store, or in the journal of a course that version 0.1 graded."""
    return course / (JOURNAL if (course / JOURNAL).is_file() and not (course / STORE).exists() else STORE)


def _in_store(path: Path) -> Iterator[bytes] | None:
    """The lines of a file that is a database; None if it is not."""
    from autograder.course.store import last_grades
    with suppress(OSError), path.open("rb") as file:
        return last_grades(path) if path == stored() != JOURNAL or file.read(len(DATABASE)) == DATABASE else None
    return None


def _titles(lesson: str) -> dict:
    """The checks' titles, which JSON lines lack."""
    from autograder.lessons.installed import lesson_names, load_lesson
    exercises = load_lesson(lesson, Path.cwd()).exercises if lesson in lesson_names(Path.cwd()) else ()
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
