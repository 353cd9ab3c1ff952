"""Choose the grades to export: the autograder's own points, or the marks of a course's gradebook."""
from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import click

from autograder.cli.common import course_here, course_lesson, course_settings, say
from autograder.cli.last_grades import last_grades, lesson_of, stored

if TYPE_CHECKING:
    from autograder.course.folder import Course
    from autograder.records import Grade, Mark

OWN = "--own-points"


class Export(NamedTuple):
    """What to export, and the notes about it."""

    lesson: str
    grades: Sequence[Grade]
    marks: Mapping[str, Mark] | None = None     # by student; None if the points are the autograder's own
    notes: Sequence[str] = ()


def to_export(file: Path | None, lesson: str, own_points: bool) -> Export:
    """The grades that these options ask for. Raises Refused; UsageError if there is no gradebook."""
    if file is not None or own_points or not stored().is_file() and course_here() is None:
        return _without_gradebook(last_grades(file, lesson), own_points)
    grades = last_grades(None, lesson) if stored().is_file() else []
    return _of_gradebook(grades, lesson or lesson_of(grades))


def _without_gradebook(grades: Sequence[Grade], own_points: bool) -> Export:
    """The grades with the marks that their file holds, or those of the autograder's points alone."""
    from msgspec.structs import replace

    from autograder.output.exports.final import with_marks
    lesson = lesson_of(grades)
    if own_points:
        grades = [replace(grade, mark=None) for grade in grades]
    known = {grade.student: grade.mark for grade in grades if grade.mark is not None and grade.student}
    left = [grade for grade in grades if grade.student not in known]
    return Export(lesson, [*with_marks([grade for grade in grades if grade.student in known], known, lesson),
                           *with_own_marks(left, scale=not own_points)])


def with_own_marks(grades: Iterable[Grade], scale: bool = True, folder: Path | None = None) -> list[Grade]:
    """The grades; one without a mark gets that of the autograder's points alone."""
    from msgspec.structs import replace

    from autograder.course.mark import own_mark
    from autograder.course.settings import MarkSettings
    settings = course_settings(folder)
    if not scale:
        settings = replace(settings, mark=MarkSettings())
    return [grade if grade.mark is not None else replace(grade, mark=own_mark(grade, settings)) for grade in grades]


def marked(course: Course, lesson: str, grades: Iterable[Grade]) -> Iterator[Grade]:
    """The grades of a course with their final marks; without any where there is no gradebook that can be read."""
    from autograder.course.mark import with_mark
    from autograder.nbgrader.marks import final_marks
    return with_mark(grades, final_marks(course, course_lesson(course.root, lesson), say))


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
    from autograder.course.handed_in import time_is_unclear
    from autograder.output.exports.final import differing
    other, own = differing(grades, marks), {grade.student for grade in grades}
    only_there, only_here = sorted(marks.keys() - own), sorted(own - marks.keys())
    undecided = [grade.student for grade in grades if time_is_unclear(grade)]
    replaced = [student for student, mark in marks.items() if mark.replaced]
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
        notes.append("the formgrader still shows late penalties that are older than the score, the due date or the "
                     f"extension of {_named(outdated)}; `autograder grade` brings them up to date")
    if undecided:
        notes.append(f"it is not clear when {_named(undecided)} handed in, so nothing was taken off: look whether it "
                     "is late")
    if replaced:
        notes.append(f"the work of {_named(replaced)} or the checks changed after a person gave points for it; "
                     "those points count: look again")
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
