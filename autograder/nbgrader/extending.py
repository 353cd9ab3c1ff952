"""Tell nbgrader's gradebook who has more time, so that the formgrader and nbgrader's own commands know it too."""

from collections.abc import Mapping
from contextlib import suppress
from datetime import datetime

from autograder.course.folder import Course
from autograder.nbgrader.database import NoGradebook, connected
from autograder.nbgrader.marks import due_date

_EXTEND = ("UPDATE submitted_assignment SET extension = :extension WHERE student_id = :student AND assignment_id = "
           "(SELECT id FROM assignment WHERE name = :assignment)")


def set_extensions(course: Course, assignment: str, until: Mapping[str, datetime | None]) -> None:
    """Give these students until then (UTC), or nothing more; only for work that the gradebook knows already.

    What is handed in later gets its extension when it is graded.
    """
    import sqlalchemy
    due = due_date(course, assignment)
    if due is None:
        return
    statement = sqlalchemy.text(_EXTEND).bindparams(sqlalchemy.bindparam("extension", type_=sqlalchemy.Interval))
    with suppress(NoGradebook), connected(course.db_url) as db:
        for student, moment in until.items():
            db.execute(statement, {"extension": None if moment is None else moment - due, "student": student,
                                   "assignment": assignment})
        db.commit()
