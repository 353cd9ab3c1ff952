"""Read the final marks from nbgrader's gradebook; nothing is written there.

A score is nbgrader's: a manual score replaces the automatic one, and extra credit is added. nbgrader itself is not
imported here: that takes longer than everything else.
"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Any

from autograder.course.extensions import DueDates
from autograder.course.folder import Course, CourseError
from autograder.course.late import days_late
from autograder.course.mark import Earned, make_mark
from autograder.course.settings import read_settings
from autograder.lessons.kit.lesson import Lesson
from autograder.nbgrader.database import NoGradebook, Reader, one_of, reading, shown
from autograder.nbgrader.gradebook_errors import GradebookError
from autograder.nbgrader.notebook import notebook_name
from autograder.nbgrader.versions import check_nbgrader
from autograder.records import Mark

_ASSIGNMENT = "SELECT id, duedate FROM assignment WHERE name = :name"
_OF = "WHERE sa.assignment_id = :id"
_SUBMISSIONS = (
    "SELECT sa.student_id, sa.timestamp, sa.extension, coalesce(sum(sn.late_submission_penalty), 0.0) AS penalty "
    f"FROM submitted_assignment sa LEFT JOIN submitted_notebook sn ON sn.assignment_id = sa.id {_OF} "
    "{only} GROUP BY sa.id, sa.student_id, sa.timestamp, sa.extension ORDER BY sa.student_id")
_CELLS = (
    "SELECT sa.student_id, n.name, b.name, g.auto_score, g.manual_score, coalesce(g.extra_credit, 0.0), "
    "g.needs_manual_grade, coalesce(gc.max_score, tc.max_score, 0.0) FROM grade g "
    "JOIN base_cell b ON b.id = g.cell_id LEFT JOIN grade_cells gc ON gc.id = b.id "
    "LEFT JOIN task_cells tc ON tc.id = b.id "
    "JOIN submitted_notebook sn ON sn.id = g.notebook_id JOIN notebook n ON n.id = sn.notebook_id "
    f"JOIN submitted_assignment sa ON sa.id = sn.assignment_id {_OF} {{only}}")
_NOTEBOOKS = ("SELECT sa.student_id, n.name, sn.id FROM submitted_notebook sn JOIN notebook n ON n.id = sn.notebook_id "
              f"JOIN submitted_assignment sa ON sa.id = sn.assignment_id {_OF}")
_WORTH = ("SELECT coalesce(sum(coalesce(gc.max_score, tc.max_score, 0.0)), 0.0) FROM base_cell b "
          "LEFT JOIN grade_cells gc ON gc.id = b.id LEFT JOIN task_cells tc ON tc.id = b.id "
          "JOIN notebook n ON n.id = b.notebook_id WHERE n.assignment_id = :id")


def gradebook_marks(course: Course, lesson: Lesson, assignment: str | None = None,
                    students: Sequence[str] | None = None) -> dict[str, Mark]:
    """The mark of each student, or of these, who has a submission in the gradebook. Raises GradebookError."""
    check_nbgrader()
    name = assignment or lesson.name
    settings, dates = read_settings(course.root), DueDates(course.root, name)
    with reading(course.db_url) as db:
        found, due = _assignment(db, name, course.db_url)
        worth = float(_rows(db, _WORTH, found)[0][0])
        cells = _cells(db, found, _exercises(lesson, name), students)
        marks = {}
        for student, handed_in, extension, penalty in _submissions(db, found, students):
            days = days_late(dates.of(student, due, extension), handed_in, settings)
            marks[student] = make_mark(student, _earned(cells.get(student, []), worth, days, float(penalty)), settings,
                                       lesson.name)
        return marks


def final_marks(course: Course, lesson: Lesson, told: Callable[[str], None]) -> dict[str, Mark]:
    """student -> the mark; empty without a gradebook. `told` hears why one cannot be read."""
    try:
        return gradebook_marks(course, lesson)
    except CourseError as error:
        if not isinstance(error, NoGradebook):
            told(f"these are the autograder's own points: {error}")
        return {}


def formgrader_pages(course: Course, lesson: Lesson) -> dict[str, str]:
    """student -> the address where a person gives points for this student's notebook, in the formgrader."""
    address = read_settings(course.root).formgrader.rstrip("/")
    with suppress(GradebookError), reading(course.db_url) as db:
        found, _ = _assignment(db, lesson.name, course.db_url)
        return {student: f"{address}/submissions/{submitted}/"
                for student, name, submitted in _rows(db, _NOTEBOOKS, found)
                if name == notebook_name(lesson, lesson.name)}
    return {}


def due_date(course: Course, assignment: str) -> datetime | None:
    """When the assignment is due by the gradebook, in UTC; None if that is not set, or there is no gradebook yet."""
    with suppress(GradebookError), reading(course.db_url) as db:
        return _assignment(db, assignment, course.db_url)[1]
    return None


def dates_in_gradebook(course: Course, assignment: str) -> tuple[datetime | None, list[tuple[str, timedelta | None]]]:
    """When the assignment is due by the gradebook, and each student's extension there. Raises GradebookError."""
    with reading(course.db_url) as db:
        found, due = _assignment(db, assignment, course.db_url)
        return due, [(student, extension) for student, _, extension, _ in _submissions(db, found)]


def _rows(db: Reader, query: str, assignment: str, students: Sequence[str] | None = None,
          **times: Sequence[str]) -> list[Sequence[Any]]:
    """The rows of this assignment; of a query with `{only}` those of these students."""
    among, values = one_of(students or ())
    only = "" if students is None else f"AND sa.student_id IN {among}"
    return list(db.rows(query.format(only=only), {"id": assignment, **values}, **times))


def _assignment(db: Reader, name: str, url: str) -> tuple[str, datetime | None]:
    """The assignment's id in the gradebook, and when it is due."""
    found = list(db.rows(_ASSIGNMENT, {"name": name}, moments=["duedate"]))
    if not found:
        raise NoGradebook(f"the gradebook {shown(url)} has no assignment {name!r}; run `autograder grade` first")
    return found[0][0], found[0][1]


def _submissions(db: Reader, assignment: str, students: Sequence[str] | None = None) -> list[Sequence[Any]]:
    return _rows(db, _SUBMISSIONS, assignment, students, moments=["timestamp"], spans=["extension"])


def _cells(db: Reader, assignment: str, exercises: Mapping[tuple[str, str], str],
           students: Sequence[str] | None = None) -> dict[str, list[tuple]]:
    """The graded cells of each student, in the order of the lesson: the name of the exercise, then the columns."""
    places = {name: place for place, name in enumerate(exercises.values())}
    found: dict[str, list[tuple]] = {}
    for student, notebook, cell, *columns in _rows(db, _CELLS, assignment, students):
        found.setdefault(student, []).append((exercises.get((notebook, cell), cell), *columns))
    return {student: sorted(cells, key=lambda cell: (places.get(cell[0], len(places)), cell[0]))
            for student, cells in found.items()}


def _exercises(lesson: Lesson, assignment: str) -> dict[tuple[str, str], str]:
    """(notebook, cell) -> the exercise whose points the cell carries."""
    notebook = notebook_name(lesson, assignment)
    return {(notebook, exercise.grade_id): exercise.name for exercise in lesson.exercises}


def _earned(cells: Sequence[tuple], worth: float, days: int, penalty: float) -> Earned:
    """What these cells add up to. A manual score counts, also where the work was replaced since: that is said."""
    exercises: dict[str, tuple[float | None, float]] = {}
    waiting, replaced, score, automatic = [], [], 0.0, []
    for name, auto, manual, extra, needs, most in cells:
        points = auto if manual is None else manual
        if points is not None:
            score += points + extra
        if auto is not None:
            automatic.append(auto)
        if manual is not None and needs:
            replaced.append(name)
        known = manual is not None or auto is not None and not needs
        if not known:
            waiting.append(name)
        if most or points or extra or not known:
            exercises[name] = (float(points + extra) if known else None, float(most))
    return Earned(score, worth, sum(automatic) if automatic else None, exercises, tuple(waiting), tuple(replaced),
                  bool(exercises), days, penalty)
