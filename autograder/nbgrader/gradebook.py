"""Write grades into nbgrader's gradebook: the same rows that `nbgrader autograde` would leave, a batch at a time.

What is known is written, and what is not is left to a person, where the formgrader shows it: an exercise without points
(our own fault, an unreadable file) has no automatic score and needs manual grading. It is never a zero, and never the
score of an earlier run. nbgrader cannot take a cell out of the maximum, so the cell of a skipped exercise is released
as worth 0.

What a person gave stays: manual scores, extra credit, comments. A cell with a manual score needs another look if its
automatic score has changed.
"""
from __future__ import annotations

from collections.abc import Iterable
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import datetime
from math import isfinite
from typing import Any

from autograder.course.extensions import DueDates
from autograder.course.folder import Course
from autograder.course.late import days_late
from autograder.course.settings import FILE, read_settings
from autograder.lessons.kit.lesson import Lesson
from autograder.locale.language import language_for
from autograder.nbgrader.comments import comment_on
from autograder.nbgrader.empty_gradebook import commands_on_path, put_empty_gradebook
from autograder.nbgrader.gradebook_errors import GradebookError, in_words, with_patience
from autograder.nbgrader.models import Notebook, SubmittedAssignment, SubmittedNotebook, models
from autograder.nbgrader.notebook import SourceCell, SourceNotebook, notebook_name, register, source_notebook
from autograder.nbgrader.versions import check_nbgrader
from autograder.records import Grade

NO_RESPONSE = "No response."                # nbgrader's own words for an unchanged solution cell


@dataclass(frozen=True)
class Entry:
    """One student's grade for the gradebook."""

    grade: Grade                            # its student is the name of the folder in submitted/
    handed_in: datetime | None = None       # UTC; None keeps the gradebook's time
    unanswered: frozenset[str] = frozenset()        # solution cells that are still as released


class GradebookWriter:
    """The one writer of a course's gradebook, for one assignment.

    Entering it opens the gradebook, makes it if there is none, and registers the assignment if nbgrader has not done so
    yet. Raises GradebookError or CourseError.
    """

    def __init__(self, course: Course, lesson: Lesson, assignment: str | None = None, language: str = "nl"):
        self.course = course
        self.language = language            # of the comments
        self.lesson = lesson
        self.assignment = assignment or lesson.name
        self._settings = read_settings(course.root)
        self._dates = DueDates(course.root, self.assignment)
        self.source: SourceNotebook         # known once the gradebook is open
        self._exercises = {exercise.grade_id: exercise.name for exercise in lesson.exercises}
        self._url = with_patience(course.db_url)
        self._close = ExitStack()

    def __enter__(self) -> GradebookWriter:
        check_nbgrader()
        from nbgrader.api import Gradebook
        with in_words(self._url), ExitStack() as opened:
            put_empty_gradebook(self._url, self.course.own_mode)
            with commands_on_path():
                gradebook = opened.enter_context(Gradebook(self._url, self.course.course_id))
            self._gradebook, self._db = gradebook, gradebook.db
            registered = self._notebook()
            if registered is None or self._is_half_registered(registered):
                register(self.course, self.lesson, self.assignment, self._url)
                self._db.rollback()         # another session's writes are visible only in a new transaction
            self.source = source_notebook(self._notebook())
            self._check()
            self._db.rollback()
            self._close = opened.pop_all()
        return self

    def __exit__(self, *exception: object) -> None:
        self._close.close()

    def write(self, batch: Iterable[Entry]) -> None:
        """Write these grades in one transaction: all of them, or none (GradebookError)."""
        with in_words(self._url):
            try:
                notebook = self._notebook()
                with self._db.no_autoflush:         # a query must not write a half-made row
                    for entry in batch:
                        self._write(entry, notebook)
                self._db.commit()
            finally:
                self._db.rollback()

    def _notebook(self) -> Notebook | None:
        from nbgrader.api import MissingEntry
        try:
            return self._gradebook.find_notebook(notebook_name(self.lesson, self.assignment), self.assignment)
        except MissingEntry:
            return None

    def _is_half_registered(self, registered: Notebook) -> bool:
        """Whether cells are missing before any work is in: nbgrader was killed while it registered them."""
        known = source_notebook(registered).by_name
        return not registered.submissions and not all(
            name in known and (known[name].grade if name == exercise.grade_id else known[name].solution)
            for exercise in self.lesson.exercises for name in (exercise.grade_id, exercise.name))

    def _check(self) -> None:
        """Refuse a gradebook whose cells are not those of the lesson, before anything is graded for it."""
        for exercise in self.lesson.exercises:
            cell = self.source.by_name.get(exercise.grade_id)
            if cell is None or not cell.grade:
                raise GradebookError(f"the gradebook's assignment {self.assignment!r} has no graded cell "
                                     f"{exercise.grade_id!r}; was it released from another notebook?")
            if cell.points != exercise.worth:
                raise GradebookError(f"the cell {cell.name!r} is worth {cell.points:g} in the gradebook and "
                                     f"{exercise.worth:g} in the lesson and {FILE}; run `autograder release`, which "
                                     "tells the gradebook, and grade again")

    def _write(self, entry: Entry, registered: Notebook) -> None:
        submission = self._submission(entry, registered)
        submitted = next((notebook for notebook in submission.notebooks if notebook.notebook is registered), None)
        if submitted is None:                       # the submission is older than the notebook
            submitted = _new_notebook(registered, submission)
            self._db.add(submitted)
        self._write_scores(entry, registered, submitted)
        self._write_comments(entry, registered, submitted)
        self._db.flush()
        submitted.late_submission_penalty = self._late_penalty(entry.grade.student, submission, submitted)

    def _submission(self, entry: Entry, registered: Notebook) -> SubmittedAssignment:
        student = self._db.get(models().Student, entry.grade.student)
        if student is None:
            student = models().Student(id=entry.grade.student)
            self._db.add(student)
        submission = self._db.query(models().SubmittedAssignment).filter_by(
            assignment_id=registered.assignment_id, student_id=entry.grade.student).one_or_none()
        if submission is None:
            submission = _new_submission(registered, student)
            self._db.add(submission)
        if entry.handed_in is not None:
            submission.timestamp = entry.handed_in
        if (due := registered.assignment.duedate) is not None:
            submission.extension = self._dates.extension(student.id, due) or submission.extension
        return submission

    def _write_scores(self, entry: Entry, registered: Notebook, submitted: SubmittedNotebook) -> None:
        rows = {row.cell_id: row for row in submitted.grades}
        for cell in registered.grade_cells:
            row = rows.get(cell.id) or models().Grade(cell_id=cell.id, notebook=submitted)
            self._db.add(row)               # where it was lost
            before, row.auto_score = row.auto_score, self._score(self.source.by_name[cell.name], entry)
            if row.manual_score is None:
                row.needs_manual_grade = row.auto_score is None
            elif row.auto_score != before:
                row.needs_manual_grade = True

    def _score(self, cell: SourceCell, entry: Entry) -> float | None:
        """What is known about this cell without a person, as nbgrader would read it; None leaves it to a person."""
        if cell.name in self._exercises:
            return cell_points(entry.grade, self._exercises[cell.name], cell.points)
        if cell.solution:
            return 0.0 if cell.name in entry.unanswered else None
        return 0.0 if cell.points == 0 and cell.cell_type == "code" else None

    def _write_comments(self, entry: Entry, registered: Notebook, submitted: SubmittedNotebook) -> None:
        rows = {row.cell_id: row for row in submitted.comments}
        for cell in (*registered.solution_cells, *registered.task_cells):
            row = rows.get(cell.id) or models().Comment(cell_id=cell.id, notebook=submitted)
            self._db.add(row)               # where it was lost
            row.auto_comment = self._comment(cell.name, entry)

    def _comment(self, solution: str, entry: Entry) -> str | None:
        """What the student reads below a solution cell, unless a person writes something else there."""
        if solution in entry.unanswered:
            return NO_RESPONSE
        exercise = next((exercise for exercise in entry.grade.exercises if exercise.name == solution), None)
        return comment_on(exercise, language_for(entry.grade, self.language)) if exercise is not None else None

    def _late_penalty(self, student: str, submission: SubmittedAssignment,
                      submitted: SubmittedNotebook) -> float | None:
        """What [late] of the settings, else the course's own plugin, takes off; None, meaning nothing, by default."""
        due = submission.assignment.duedate
        if due is None:
            return None
        self._db.refresh(submitted, ["score"])
        if self._settings.late.rule != "none":
            days = days_late(self._dates.of(student, due, submission.extension), submission.timestamp, self._settings)
            return self._settings.late.penalty(submitted.score, days) if days else None
        if submission.total_seconds_late <= 0:
            return None
        from nbgrader.preprocessors import AssignLatePenalties
        late: Any = AssignLatePenalties(config=self.course.config)
        late.init_plugin()
        penalty = late.plugin_inst.late_submission_penalty(student, submitted.score, submission.total_seconds_late)
        return None if penalty is None else min(max(penalty, 0), submitted.score)


def cell_points(grade: Grade, exercise: str, worth: float) -> float | None:
    """The points of this exercise within 0..worth; None if they are unknown."""
    if worth == 0:
        return 0.0
    points = next((each.points for each in grade.exercises if each.name == exercise and not each.skipped), None)
    if points is None or not isfinite(points) or grade.status == "unreadable":
        return None
    return min(max(float(points), 0.0), float(worth))


def _new_submission(registered: Notebook, student: Any) -> SubmittedAssignment:
    """A submission with every notebook of the assignment, as nbgrader's add_submission makes it."""
    submission = models().SubmittedAssignment(assignment=registered.assignment, student=student)
    for notebook in registered.assignment.notebooks:
        _new_notebook(notebook, submission)
    return submission


def _new_notebook(notebook: Notebook, submission: SubmittedAssignment) -> SubmittedNotebook:
    """A submitted notebook with an empty row for each of its cells."""
    submitted = models().SubmittedNotebook(notebook=notebook, assignment=submission)
    for cell in (*notebook.grade_cells, *notebook.task_cells):
        models().Grade(cell_id=cell.id, notebook=submitted)
    for cell in (*notebook.solution_cells, *notebook.task_cells):
        models().Comment(cell_id=cell.id, notebook=submitted)
    return submitted
