"""Grade one student after another through `nbgrader autograde`: what our preprocessors share.

The verdicts, the notebook and the rows of the gradebook are those of `autograder grade`: the same functions make them.
nbgrader only decides who is graded and when.
"""
from __future__ import annotations

import math
import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from traitlets.config import Config

from autograder.atomic import replace_files
from autograder.course.folder import COURSE_SETTINGS, Course
from autograder.course.lock import only_one
from autograder.course.rules import Rules, WarmEngine, rules_of
from autograder.course.store import Store
from autograder.course.submitted import submitted
from autograder.judge.checks_version import checks_version
from autograder.lessons.installed import every_lesson
from autograder.lessons.kit.lesson import Lesson
from autograder.nbgrader.autograded import AutogradedWriter
from autograder.nbgrader.gradebook import Entry, GradebookWriter
from autograder.records import Grade, Submission, Text, text

if TYPE_CHECKING:
    from nbgrader.coursedir import CourseDirectory

NOT_RUN = text("This submission was not run, so there are no points yet; a person has to look at it.")


def lesson_of(assignment: str, notebook: str, course: Path | None) -> Lesson | None:
    """The lesson that this notebook of an assignment is an edition of; None if it is not ours."""
    return next((lesson for lesson in every_lesson(course) if notebook in _notebooks(lesson, assignment)), None)


def notebooks_of(assignment: str, course: Path | None) -> list[str]:
    """The names of an assignment's notebooks, without .ipynb, if it is an edition of a lesson of ours."""
    return [name for lesson in every_lesson(course) for name in _notebooks(lesson, assignment)]


def folder_of(step: Any) -> Path | None:
    """The course in which nbgrader takes this step, of an exporter of a converter."""
    converter = getattr(getattr(step, "parent", None), "parent", None)
    return Path(converter.coursedir.root) if converter is not None else None


def _notebooks(lesson: Lesson, assignment: str) -> list[str]:
    return [path.stem for path in map(Path, lesson.editions.values()) if path.parent.name == assignment]


def course_of(directory: CourseDirectory) -> Course:
    """The course that nbgrader works on, with the options of its command line."""
    config = Config(directory.config)
    config.merge({"CourseDirectory": {name: getattr(directory, name) for name in COURSE_SETTINGS}})
    return Course(Path(directory.root).resolve(), config)


class StudentSession:
    """The grading of one student's submission, which holds the course's lock only while something is written."""

    def __init__(self, course: Course, lesson: Lesson, assignment: str, student: str, language: str = "nl",
                 waiting: Callable[[str], None] | None = None):
        rules = rules_of(course.root)
        lesson = rules.lesson(lesson.name)
        self.course, self.lesson, self.assignment, self.student = course, lesson, assignment, student
        self.language, self._waiting = language, waiting
        self.submission: Submission = submitted(course, lesson, student, assignment, seconds=rules.limits.budget)

    def grade(self, rules: Rules) -> Grade:
        """What the engine says, by a process that stays warm for the next student."""
        return _engine.of(rules, self.lesson.name).grade(self.submission)

    def known(self, rules: Rules) -> Grade:
        """The store's grade of exactly this content, or that it was not run."""
        with Store.reading(self.course.root, self.lesson.name, checks_version(self.lesson, rules.limits.unusual),
                           rules.limits.wall[0]) as store:
            known = store.find(self.submission)
        return known.grade if known is not None else self.ungraded(NOT_RUN)

    def ungraded(self, *notices: Text) -> Grade:
        """A grade without points, so that a person has to look."""
        return Grade(self.submission.name, self.student, self.lesson.name, "broken", None, float(self.lesson.points),
                     notices=(*self.submission.notices, *notices), key=self.submission.key)

    def written(self, grade: Grade) -> dict[str, Any]:
        """Write the rows of the gradebook; returns the notebook with this grade in it, as plain data."""
        with self._alone(), self._gradebook() as gradebook:
            notebook, unanswered = self._writer(gradebook).notebook(self.submission, grade)
            gradebook.write([self._entry(grade, unanswered)])
            if grade.checks:
                with Store(self.course.root) as store:
                    store.add(grade, self.submission)
        return notebook

    def prepared(self, keep: frozenset[str]) -> dict[str, Any]:
        """Make room for a new grade: the notebook without points, and a gradebook that does not know them either.

        Beside the notebook are the course's own files, and of the student's only those to `keep`.
        """
        grade = self.ungraded()
        with self._alone(), self._gradebook() as gradebook:
            writer = self._writer(gradebook)
            notebook, unanswered = writer.notebook(self.submission, grade)
            gradebook.write([self._entry(grade, unanswered)])
            self._tidy(writer.files(self.submission), keep)
        return notebook

    def _tidy(self, files: dict[str, bytes], keep: frozenset[str]) -> None:
        folder = self.course.path("autograded", self.student, self.assignment)
        for where, _, names in os.walk(folder):
            for path in (Path(where, name) for name in names):
                if path.relative_to(folder).as_posix() not in files.keys() | keep:
                    path.unlink()
        replace_files(folder, {name: files[name] for name in files.keys() - keep}, self.course.file_mode)

    def _entry(self, grade: Grade, unanswered: frozenset[str]) -> Entry:
        return Entry(grade, self.submission.handed_in.at, unanswered)

    def _alone(self):
        return only_one(self.course.root, "nbgrader autograde", math.inf, self._waiting)

    def _gradebook(self) -> GradebookWriter:
        return GradebookWriter(self.course, self.lesson, self.assignment, self.language)

    def _writer(self, gradebook: GradebookWriter) -> AutogradedWriter:
        return AutogradedWriter(self.course, self.lesson, gradebook.source, self.language)


_engine = WarmEngine()                          # a server that grades at the press of a button keeps it
