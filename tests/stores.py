"""The store of a course in the tests: filled by hand, or looked at while a run fills it."""
from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from autograder.course import STORE
from autograder.course.store import Store
from autograder.records import Grade, Submission


def keep(course: Path, *grades: Grade) -> None:
    """Put these grades into the course's store, as a run does that has worked them out."""
    with Store(course) as store:
        for grade in grades:
            store.add(grade, Submission(grade.submission, grade.student, grade.lesson, key=grade.key))


def kept(course: Path) -> int:
    """How many grades the course's store holds, also while it is being filled."""
    path = course / STORE
    if not path.exists():
        return 0
    with closing(sqlite3.connect(path, timeout=30)) as database:
        return database.execute("SELECT count(*) FROM grade").fetchone()[0]
