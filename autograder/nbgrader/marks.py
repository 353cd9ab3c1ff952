"""Read the final marks from nbgrader's gradebook, through nbgrader's own models; nothing is written there.

A mark is nbgrader's score of the assignment (a manual score replaces the automatic one, extra credit is added) less the
late penalty, and never below 0, as in `nbgrader export`. While a cell waits for a person there is no mark.
"""
from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from autograder.course.folder import Course
from autograder.course.settings import LateSettings, read_settings
from autograder.lessons.kit.lesson import Lesson
from autograder.nbgrader.gradebook import GradebookError, in_words, with_patience
from autograder.nbgrader.models import Assignment, SubmittedAssignment, models
from autograder.nbgrader.notebook import notebook_name
from autograder.nbgrader.versions import check_nbgrader
from autograder.records import Mark

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

Cell = tuple[str, float | None, float]              # its display name, its points, and its maximum


def gradebook_marks(course: Course, lesson: Lesson, assignment: str | None = None) -> dict[str, Mark]:
    """The mark of each student who has a submission in the gradebook. Raises GradebookError."""
    check_nbgrader()
    name = assignment or lesson.name
    with _reading(course.db_url) as db:
        found = _assignment(db, name, course.db_url)
        cells = _cells(db, found, _exercises(lesson, name))
        late = read_settings(course.root).late
        return {each.student_id: _mark(each, cells.get(each.student_id, []), late) for each in _submissions(db, found)}


def _assignment(db: Session, name: str, url: str) -> Assignment:
    found = db.query(models().Assignment).filter_by(name=name).one_or_none()
    if found is None:
        raise GradebookError(f"the gradebook {_shown(url)} has no assignment {name!r}; run `autograder grade` first")
    return found


def _submissions(db: Session, assignment: Assignment) -> list[SubmittedAssignment]:
    from sqlalchemy.orm import undefer
    kind = models().SubmittedAssignment
    sums = (kind.score, kind.max_score, kind.late_submission_penalty)
    return (db.query(kind).filter_by(assignment_id=assignment.id).options(*map(undefer, sums))
            .order_by(kind.student_id).all())


def _cells(db: Session, assignment: Assignment, exercises: Mapping[tuple[str, str], str]) -> dict[str, list[Cell]]:
    """The graded cells of each student that can earn points or wait for a person, in the order of the lesson."""
    api = models()
    grade, submission = api.Grade, api.SubmittedAssignment
    rows = (db.query(submission.student_id, api.Notebook.name, api.BaseCell.name, grade.score, grade.max_score,
                     grade.needs_manual_grade, grade.auto_score, grade.manual_score)
            .select_from(grade).join(api.BaseCell, api.BaseCell.id == grade.cell_id)
            .join(api.SubmittedNotebook, api.SubmittedNotebook.id == grade.notebook_id)
            .join(api.Notebook, api.Notebook.id == api.SubmittedNotebook.notebook_id)
            .join(submission, submission.id == api.SubmittedNotebook.assignment_id)
            .filter(submission.assignment_id == assignment.id))
    places = {name: place for place, name in enumerate(exercises.values())}
    found: dict[str, list[Cell]] = {}
    for student, notebook, cell, score, worth, needs, auto, manual in rows:
        known = not needs and (auto is not None or manual is not None)
        if worth or score or not known:
            name = exercises.get((notebook, cell), cell)
            found.setdefault(student, []).append((name, float(score) if known else None, float(worth)))
    return {student: sorted(cells, key=lambda cell: (places.get(cell[0], len(places)), cell[0]))
            for student, cells in found.items()}


def _exercises(lesson: Lesson, assignment: str) -> dict[tuple[str, str], str]:
    """(notebook, cell) -> the exercise whose points the cell carries."""
    notebook = notebook_name(lesson, assignment)
    return {(notebook, exercise.grade_id): exercise.name for exercise in lesson.exercises}


def _mark(submission: SubmittedAssignment, cells: list[Cell], late: LateSettings) -> Mark:
    score, penalty = float(submission.score), float(submission.late_submission_penalty)
    waiting = tuple(name for name, points, _ in cells if points is None)
    points = None if waiting or not cells else max(0.0, score - penalty)
    return Mark(submission.student_id, points, float(submission.max_score),
                {name: (points, worth) for name, points, worth in cells}, penalty, waiting,
                late.rule != "none" and abs(late.penalty(score, _seconds_late(submission)) - penalty) > 1e-6)


def _seconds_late(submission: Any) -> float:
    """nbgrader's own number, which an assignment without a due date lacks when there is an extension."""
    return submission.total_seconds_late if submission.assignment.duedate is not None else 0.0


@contextmanager
def _reading(url: str) -> Iterator[Session]:
    """A session on an existing gradebook: nbgrader's own way of opening one would create it."""
    from sqlalchemy import create_engine, make_url
    from sqlalchemy.orm import Session
    where = make_url(url)
    if where.get_backend_name() == "sqlite" and not (where.database and Path(where.database).is_file()):
        raise GradebookError(f"there is no gradebook {_shown(url)}; run `autograder grade` first")
    engine = create_engine(with_patience(url))
    try:
        with in_words(url), Session(engine) as session:
            yield session
    finally:
        engine.dispose()


def _shown(url: str) -> str:
    from sqlalchemy import make_url
    return make_url(url).set(query={}).render_as_string(hide_password=True)
