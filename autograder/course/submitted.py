"""Read what a student handed in from nbgrader's folders: one submission among whatever else is there."""
from __future__ import annotations

import os
from pathlib import Path

from msgspec.structs import replace

from autograder.course.folder import Course, unclear_time
from autograder.intake import read_folder
from autograder.intake.names import label
from autograder.lessons.kit.lesson import Lesson
from autograder.records import Grade, Submission, Text, text


def submitted(course: Course, lesson: Lesson, student: str, assignment: str = "") -> Submission:
    """The submission in this student's folder, under its path below submitted/; it says so if none can be read."""
    assignment = assignment or lesson.name
    folder = course.path("submitted", student, assignment)
    link = _link(course, folder)
    submission = read_folder(folder, student, lesson) if link is None else _not_followed(link, student, lesson)
    if submission.unreadable is None:
        submission = _unless_shared(course, submission, student, folder, assignment)
    if is_markup(student):
        submission = replace(submission, cells=(), unreadable=text(
            "The folder's name holds < or >, and the formgrader would show that as part of its page: call the folder "
            "as the student is called."))
    return replace(submission, name=f"{student}/{assignment}/{submission.name}".rstrip("/"), student=student)


_UNCLEAR = text("when this was handed in was not understood ({said}), so look whether it is late", said="")


def asking_about_the_time(grade: Grade, course: Course, assignment: str) -> Grade:
    """The grade, for a person if it is not clear when the work was handed in: that never means on time by itself."""
    said = unclear_time(course.path("submitted", grade.student, assignment))
    others = tuple(why for why in grade.for_a_person if why.template != _UNCLEAR.template)
    unclear = () if said is None else (Text(_UNCLEAR.template, {"said": label(said)}),)
    return replace(grade, for_a_person=(*others, *unclear)) if unclear or others != grade.for_a_person else grade


def _link(course: Course, folder: Path) -> Path | None:
    """The first folder from submitted/ down to the student's work that is a link."""
    top = course.root / course.setting("submitted_directory")
    below = [one for one in (folder, *folder.parents) if one != top and one.is_relative_to(top)]
    return next((one for one in reversed(below or [folder]) if one.is_symlink()), None)


def _not_followed(link: Path, student: str, lesson: Lesson) -> Submission:
    return Submission("", student, lesson.name, unreadable=text(
        "The folder {name} is a link, which is not followed: it may lead to the work of somebody else. Put the "
        "files themselves there.", name=link.name))


def _unless_shared(course: Course, submission: Submission, student: str, folder: Path, assignment: str) -> Submission:
    """The submission, unless its file is another student's, hard-linked into this folder later."""
    path = folder / submission.name
    try:
        state = path.stat(follow_symlinks=False)
        if state.st_nlink < 2:
            return submission
        others = [other for other, place in course.submissions(assignment) if other != student
                  and _holds(place, state) and place.stat().st_ctime_ns <= path.parent.stat().st_ctime_ns]
    except OSError:                         # the file is in an archive
        return submission
    return submission if not others else Submission(submission.name, student, submission.lesson, unreadable=text(
        "The file {name} is one and the same as that of {other} (a hard link). Put the student's own file there.",
        name=submission.name, other=others[0]))


def _holds(folder: Path, state: os.stat_result) -> bool:
    """Whether the file with this state is in the folder."""
    return any(os.path.samestat(os.stat(os.path.join(where, name), follow_symlinks=False), state)
               for where, _, names in os.walk(folder) for name in names)


def is_markup(student: str) -> bool:
    """Whether a folder's name could be read as HTML: nbgrader's formgrader inserts it into its pages unescaped."""
    return "<" in student or ">" in student


