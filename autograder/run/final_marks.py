"""Know the final marks of a course, where there is a gradebook that can be read."""
from __future__ import annotations

from collections.abc import Callable

from autograder.course.folder import Course, CourseError
from autograder.lessons.kit.lesson import Lesson
from autograder.nbgrader.database import NoGradebook
from autograder.nbgrader.marks import gradebook_marks
from autograder.records import Mark


def final_marks(course: Course, lesson: Lesson, told: Callable[[str], None]) -> dict[str, Mark]:
    """student -> the mark; empty without a gradebook. `told` hears why one cannot be read."""
    try:
        return gradebook_marks(course, lesson)
    except CourseError as error:
        if not isinstance(error, NoGradebook):
            told(f"these are the autograder's own points: {error}")
        return {}
