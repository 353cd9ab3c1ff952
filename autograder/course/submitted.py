"""What a student handed in, as nbgrader's folders hold it: one submission among whatever else lies there."""
from __future__ import annotations

from pathlib import Path

from msgspec.structs import replace

from autograder.course.folder import Course
from autograder.intake import read_folder
from autograder.lessons.kit.lesson import Lesson
from autograder.records import Submission, text


def submitted(course: Course, lesson: Lesson, student: str, assignment: str = "") -> Submission:
    """The submission in this student's folder, under its path below submitted/; it says so where none can be read."""
    assignment = assignment or lesson.name
    submission = read_folder(course.path("submitted", student, assignment), student, lesson)
    if is_markup(student):
        submission = replace(submission, cells=(), unreadable=text(
            "The folder's name holds < or >, and the formgrader would show that as part of its page: call the folder "
            "as the student is called."))
    return replace(submission, name=f"{student}/{assignment}/{submission.name}".rstrip("/"), student=student)


def is_markup(student: str) -> bool:
    """Whether a folder's name could be read as HTML: nbgrader's formgrader puts it into its pages as it is."""
    return "<" in student or ">" in student


def raw_notebook(course: Course, submission: Submission) -> bytes | None:
    """The notebook as it was handed in, where it is a file that can be read."""
    student, assignment, *below = Path(submission.name).parts
    path = course.path("submitted", student, assignment).joinpath(*below)
    try:
        return path.read_bytes() if path.suffix == ".ipynb" and path.is_file() else None
    except OSError:
        return None
