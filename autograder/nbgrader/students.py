"""Read who is in nbgrader's gradebook, as `nbgrader db student add` put them there; nbgrader is not imported."""

from contextlib import suppress

from autograder.course.folder import Course
from autograder.nbgrader.database import reading
from autograder.nbgrader.gradebook_errors import GradebookError
from autograder.output.class_list import Person

_STUDENTS = "SELECT id, coalesce(first_name, ''), coalesce(last_name, ''), coalesce(email, '') FROM student"


def gradebook_students(course: Course) -> dict[str, Person]:
    """Everyone in the gradebook; nobody if there is none that can be read."""
    with suppress(GradebookError), reading(course.db_url) as db:
        return {student: Person(student, f"{first} {last}".strip(), email)
                for student, first, last, email in db.rows(_STUDENTS)}
    return {}
