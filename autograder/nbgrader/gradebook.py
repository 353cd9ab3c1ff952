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
from autograder.nbgrader.database import Writer, reading, writing
from autograder.nbgrader.empty_gradebook import commands_on_path, put_empty_gradebook
from autograder.nbgrader.gradebook_errors import GradebookError, in_words, with_patience
from autograder.nbgrader.notebook import SourceCell, SourceNotebook, notebook_name, register
from autograder.nbgrader.rows import Registered, SubmittedRows, has_course, registered, submitted_rows
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
        self._db: Writer
        self._close = ExitStack()

    def __enter__(self) -> GradebookWriter:
        check_nbgrader()
        if not self.is_registered():
            self._register()
        with in_words(self.course.db_url), ExitStack() as opened:
            self._db = opened.enter_context(writing(self.course.db_url))
            self.source = self._known().source
            self._check()
            self._db.rollback()
            self._close = opened.pop_all()
        return self

    def __exit__(self, *exception: object) -> None:
        self._close.close()

    def write(self, batch: Iterable[Entry]) -> None:
        """Write these grades in one transaction: all of them, or none (GradebookError)."""
        with in_words(self.course.db_url):
            try:
                known = self._known()
                for entry in batch:
                    self._write(entry, known)
                self._db.commit()
            finally:
                self._db.rollback()

    # --- the assignment -------------------------------------------------------------------------------------------

    def _known(self) -> Registered:
        return registered(self._db, self.assignment, notebook_name(self.lesson, self.assignment))

    def is_registered(self) -> bool:
        """Whether nbgrader has put the course and its notebook into the gradebook, whole. Where that is not certain,
        nbgrader itself looks, which takes a second to import.
        """
        try:
            with reading(self.course.db_url) as db:
                known = registered(db, self.assignment, notebook_name(self.lesson, self.assignment))
                return has_course(db, self.course.course_id) and not self._is_half(known)
        except GradebookError:
            return False

    def _is_half(self, known: Registered) -> bool:
        """Whether cells are missing before any work is in: nbgrader was killed while it registered them."""
        cells = known.source.by_name
        return not known.any_work and not all(
            name in cells and (cells[name].grade if name == exercise.grade_id else cells[name].solution)
            for exercise in self.lesson.exercises for name in (exercise.grade_id, exercise.name))

    def _register(self) -> None:
        """Let nbgrader make the gradebook, and put into it what it lacks of the course and its notebook."""
        from nbgrader.api import Gradebook
        url = with_patience(self.course.db_url)
        with in_words(url):
            put_empty_gradebook(url, self.course.own_mode)
            with commands_on_path(), Gradebook(url, self.course.course_id):
                pass
            if not self.is_registered():
                register(self.course, self.lesson, self.assignment, url)

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

    # --- one submission -------------------------------------------------------------------------------------------

    def _write(self, entry: Entry, known: Registered) -> None:
        given = None if known.due is None else self._dates.extension(entry.grade.student, known.due)
        mine = submitted_rows(self._db, known, entry.grade.student, entry.handed_in, given)
        mine.keep_scores((cell, self._score(self.source.by_name[cell.name], entry)) for cell in known.cells
                         if cell.graded)
        mine.keep_comments((cell, self._comment(cell.name, entry)) for cell in known.cells if cell.commented)
        mine.keep_penalty(self._late_penalty(entry.grade.student, known, mine))

    def _score(self, cell: SourceCell, entry: Entry) -> float | None:
        """What is known about this cell without a person, as nbgrader would read it; None leaves it to a person."""
        if cell.name in self._exercises:
            return cell_points(entry.grade, self._exercises[cell.name], cell.points)
        if cell.solution:
            return 0.0 if cell.name in entry.unanswered else None
        return 0.0 if cell.points == 0 and cell.cell_type == "code" else None

    def _comment(self, solution: str, entry: Entry) -> str | None:
        """What the student reads below a solution cell, unless a person writes something else there."""
        if solution in entry.unanswered:
            return NO_RESPONSE
        exercise = next((exercise for exercise in entry.grade.exercises if exercise.name == solution), None)
        return comment_on(exercise, language_for(entry.grade, self.language)) if exercise is not None else None

    def _late_penalty(self, student: str, known: Registered, mine: SubmittedRows) -> float | None:
        """What [late] of the settings, else the course's own plugin, takes off; None, meaning nothing, by default."""
        if known.due is None:
            return None
        if self._settings.late.rule != "none":
            days = days_late(self._dates.of(student, known.due, mine.extension), mine.timestamp, self._settings)
            return self._settings.late.penalty(mine.score, days) if days else None
        due = known.due if mine.extension is None else known.due + mine.extension
        seconds = 0.0 if mine.timestamp is None else (mine.timestamp - due).total_seconds()
        if seconds <= 0:
            return None
        from nbgrader.preprocessors import AssignLatePenalties
        late: Any = AssignLatePenalties(config=self.course.config)
        late.init_plugin()
        penalty = late.plugin_inst.late_submission_penalty(student, mine.score, seconds)
        return None if penalty is None else min(max(penalty, 0), mine.score)


def cell_points(grade: Grade, exercise: str, worth: float) -> float | None:
    """The points of this exercise within 0..worth; None if they are unknown."""
    if worth == 0:
        return 0.0
    points = next((each.points for each in grade.exercises if each.name == exercise and not each.skipped), None)
    if points is None or not isfinite(points) or grade.status == "unreadable":
        return None
    return min(max(float(points), 0.0), float(worth))
