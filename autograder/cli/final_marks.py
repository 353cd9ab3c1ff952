"""Choose the grades to export: the autograder's own points, or the marks of a course's gradebook."""
from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import click

from autograder.cli.common import course_lesson
from autograder.cli.last_grades import last_grades, lesson_of, stored

if TYPE_CHECKING:
    from autograder.records import Grade, Mark

OWN = "--own-points"


class Export(NamedTuple):
    """What to export, and the notes about it."""

    lesson: str
    grades: Sequence[Grade]
    marks: Mapping[str, Mark] | None = None     # by student; None if the points are the autograder's own
    notes: Sequence[str] = ()


def to_export(file: Path | None, lesson: str, own_points: bool) -> Export:
    """The grades that these options ask for. Raises CannotRead; UsageError if there is no gradebook."""
    if file is not None or own_points or not stored().is_file() and not _is_course():
        grades = last_grades(file, lesson)
        return Export(lesson_of(grades), grades)
    grades = last_grades(None, lesson) if stored().is_file() else []
    return _of_gradebook(grades, lesson or lesson_of(grades))


def _is_course() -> bool:
    from autograder.course.folder import Course, CourseError
    try:
        return bool(Course.find(Path.cwd()))
    except CourseError:
        return False


def _of_gradebook(grades: Sequence[Grade], lesson: str) -> Export:
    from autograder.course.folder import Course, CourseError
    from autograder.nbgrader.marks import gradebook_marks
    from autograder.output.exports.final import with_marks
    try:
        marks = gradebook_marks(Course.find(Path.cwd()), course_lesson(name=lesson))
    except CourseError as error:
        raise click.UsageError(f"{error}; {OWN} exports the autograder's own points without a gradebook") from None
    if not grades and not marks:
        raise click.UsageError(f"there are no grades for {lesson}: run `autograder grade` first")
    return Export(lesson, with_marks(grades, marks, lesson), marks, _notes(grades, marks))


def _notes(grades: Sequence[Grade], marks: Mapping[str, Mark]) -> list[str]:
    from autograder.output.exports.final import differing
    other, own = differing(grades, marks), {grade.student for grade in grades}
    only_there, only_here = sorted(marks.keys() - own), sorted(own - marks.keys())
    outdated = [student for student, mark in marks.items() if mark.outdated]
    beside = (f"for {len(other)} of {len(grades)} students they differ from the autograder's{_who(other)}" if other
              else "all equal the autograder's")
    notes = [f"the marks are the gradebook's; {beside}"]
    if only_here:
        notes.append(f"the gradebook lacks {_named(only_here)}, whom the autograder graded; left empty "
                     "(`autograder grade` writes what is missing)")
    if only_there:
        notes.append(f"only the gradebook has {_named(only_there)}; exported with the gradebook's mark")
    if outdated:
        notes.append(f"late penalties are older than the score, the due date or the extension of {_named(outdated)}; "
                     "run `autograder grade`, then export again")
    return notes


def why_empty(grade: Grade, marks: Mapping[str, Mark] | None) -> str:
    """Why this grade has no points."""
    if marks is not None and grade.student not in marks:
        return "not in the gradebook"
    if marks is not None and (waiting := marks[grade.student].waiting):
        unreadable = "could not be read; " if grade.status == "unreadable" else ""
        which = f": {_named(waiting)}" if len(waiting) < len(marks[grade.student].exercises) else ""
        return f"{unreadable}waits for a manual grade in the formgrader{which}"
    return "could not be read" if grade.status == "unreadable" else "the autograder failed there"


def _who(students: Sequence[str]) -> str:
    return f" ({_named(students)})" if students else ""


def _named(names: Sequence[str]) -> str:
    from autograder.output.exports.roster import named
    from autograder.output.plain import plain
    return plain(named(names))
