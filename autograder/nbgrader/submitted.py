"""What a student handed in, as nbgrader's folders hold it: one submission among whatever else lies there."""
from __future__ import annotations

from pathlib import Path

from msgspec.structs import replace

from autograder.intake import read_folder
from autograder.lesson import Lesson
from autograder.nbgrader.course import Course
from autograder.records import Submission


def submitted(course: Course, lesson: Lesson, student: str, assignment: str = "") -> Submission:
    """The submission in this student's folder, under its path below submitted/; it says so where none can be read."""
    assignment = assignment or lesson.name
    submission = read_folder(course.path("submitted", student, assignment), student, lesson)
    return replace(submission, name=f"{student}/{assignment}/{submission.name}".rstrip("/"), student=student)


def raw_notebook(course: Course, submission: Submission) -> bytes | None:
    """The notebook as it was handed in, where it is a file that can be read."""
    student, assignment, *below = Path(submission.name).parts
    path = course.path("submitted", student, assignment).joinpath(*below)
    try:
        return path.read_bytes() if path.suffix == ".ipynb" and path.is_file() else None
    except OSError:
        return None
