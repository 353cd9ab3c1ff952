"""Write everything for a class: autograded/, feedback/ and, in batches, the gradebook.

nbgrader takes seconds to import, so that happens only in a run that writes something, and in a thread while the first
submissions are being judged. What an earlier run wrote and is still valid stays.
"""
from __future__ import annotations

import importlib
import threading
from collections.abc import Mapping
from contextlib import ExitStack, suppress
from datetime import datetime
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from autograder.course.folder import Course, CourseError
from autograder.course.mark import with_mark
from autograder.course.store import Store
from autograder.course.submitted import is_markup
from autograder.faults import broken, ends_the_run
from autograder.lessons.kit.lesson import Lesson
from autograder.nbgrader.afterwards import other_ways
from autograder.nbgrader.marks import gradebook_marks
from autograder.nbgrader.notebook import notebook_name
from autograder.nbgrader.pages import write_page
from autograder.nbgrader.standing import Standing
from autograder.records import Grade, Submission
from autograder.stages import stage

if TYPE_CHECKING:
    from autograder.nbgrader.gradebook import Entry

BATCH = 50                                      # submissions per transaction of the gradebook


class _Waiting(NamedTuple):
    """What is already in the files, but not yet in the gradebook."""

    submission: Submission
    entry: Entry
    number: int                                 # of the grade in the store
    mark: str
    paths: list[Path]
    sections: Mapping[str, str] = MappingProxyType({})      # of the page, that were rendered already


class Writers:
    """Keeps and writes one graded submission after another. What the gradebook lacks is written on leaving.

    Whatever ends the run between two steps, the next one finds in the store how far this one came. A submission that
    cannot be kept or written is broken, and that is written in its place, as far as it can be.
    """

    def __init__(self, course: Course, lesson: Lesson, language: str, store: Store):
        self._course, self._lesson, self.language, self._store = course, lesson, language, store
        self._standing = Standing(course, lesson, language, store)
        self._notebook = f"{notebook_name(lesson, lesson.name)}.ipynb"
        self._batch: list[_Waiting] = []
        self._stack = ExitStack()
        self._opened = False
        self._importing: threading.Thread | None = None

    def __enter__(self) -> Writers:
        return self

    def __exit__(self, kind: type[BaseException] | None, *exception: object) -> None:
        with self._stack:
            if kind is None or not issubclass(kind, Exception):         # even after Ctrl-C
                if self._batch:
                    self._write_batch()
                self._standing.save()

    def unchanged(self, student: str, folder: Path) -> Grade | None:
        """This student's last grade, if nothing was put into the folder since, and all that was written is still there.

        If that is unclear, it is done again.
        """
        try:
            self._standing.look_at(student, folder)
            last = self._store.last(student)
            if last is not None and self._standing.untouched(last, student, self.paths(student)):
                return last.grade
        except Exception as error:
            if ends_the_run(error):
                raise
        return None

    def __call__(self, submission: Submission, grade: Grade, shown: bytes = b"") -> None:
        """Keep this grade in the store, and write it unless it was written before. `shown`: what a worker rendered."""
        grade, number = self._keep(submission, grade)
        if is_markup(submission.student):       # not even its name is written
            return
        try:
            self._write(submission, grade, number, shown)
        except Exception as error:
            if ends_the_run(error) or not self._opened:
                raise
            self._write_broken(submission, grade, error)
        if len(self._batch) >= BATCH:
            self._write_batch()

    def _keep(self, submission: Submission, grade: Grade) -> tuple[Grade, int]:
        """Add the grade to the store, or a broken one if that fails; returns it with its number there."""
        with stage("store"):
            try:
                return grade, self._store.add(grade, submission)
            except Exception as error:
                if ends_the_run(error):
                    raise
                grade = broken(grade, error)
                return grade, self._store.add(grade, Submission(
                    submission.name, submission.student, submission.lesson))

    def _write_broken(self, submission: Submission, grade: Grade, error: Exception) -> None:
        grade, number = self._keep(submission, broken(grade, error))
        try:
            self._write(submission, grade, number)
        except Exception as again:              # the gradebook at least
            if ends_the_run(again):
                raise
            self._batch.append(_Waiting(submission, _entry(grade), number, "", []))

    def _write(self, submission: Submission, grade: Grade, number: int, shown: bytes = b"") -> None:
        mark, paths = self._standing.mark(submission), self.paths(submission.student)
        if self._standing.holds(submission.student, number, mark, paths):
            return
        if not self._opened:
            with stage("nbgrader"):
                self._open()
        from autograder.output.rendered import made_of
        with stage("autograded"):
            made = made_of(grade, self.language, shown)
            unanswered = self._autograded.write(submission, grade, made)
        entry = _entry(grade, submission.handed_in.at, unanswered)
        sections = {name: each.section for name, each in made.items()}
        self._batch.append(_Waiting(submission, entry, number, mark, paths, sections))

    def prepare(self) -> None:
        """Start importing what writes a grade: the first grade will be here soon."""
        if self._importing is None:
            self._importing = threading.Thread(
                target=_import, args=(self._course, self._lesson), daemon=True)
            self._importing.start()

    def paths(self, student: str) -> list[Path]:
        """The two files that hold a student's grade."""
        folder, page = (self._course.path(step, student, self._lesson.name) for step in ("autograded", "feedback"))
        return [folder / self._notebook, page.with_suffix(".html")]

    def _open(self) -> None:
        if self._importing is not None:
            self._importing.join()
        from autograder.nbgrader.autograded import AutogradedWriter
        from autograder.nbgrader.gradebook import GradebookWriter
        from autograder.nbgrader.new_gradebook import make_gradebook
        make_gradebook(self._course, self._lesson)
        self._gradebook = self._stack.enter_context(GradebookWriter(
            self._course, self._lesson, language=self.language))
        self._autograded = AutogradedWriter(self._course, self._lesson, self._gradebook.source, self.language)
        self._opened = True

    def _write_batch(self) -> None:
        batch, self._batch = self._batch, []
        with stage("gradebook"):
            try:
                self._gradebook.write([each.entry for each in batch])
                wrote = batch
            except Exception as error:
                wrote = self._one_by_one(batch, error)
        with stage("feedback"):
            wrote = self._write_pages(wrote)
        with stage("gradebook"):
            self._standing.wrote((each.submission.student, each.number, each.mark, each.paths) for each in wrote)

    def _write_pages(self, batch: list[_Waiting]) -> list[_Waiting]:
        """Write the page of each grade with its final mark, which the gradebook knows now; returns those that have one.
        """
        marks = gradebook_marks(self._course, self._lesson, students=[each.submission.student for each in batch])
        ways = other_ways(self._course, self._lesson.name)
        done: list[_Waiting] = []
        for each, grade in zip(batch, with_mark((each.entry.grade for each in batch), marks), strict=True):
            try:
                write_page(self._course, self.paths(grade.student)[1], grade, self.language, ways, each.sections)
                done.append(each)
            except Exception as error:
                if ends_the_run(error):
                    raise
                self._broken_after_all(each, error)
        return done

    def _one_by_one(self, batch: list[_Waiting], error: Exception) -> list[_Waiting]:
        """Those that the gradebook accepts. If it accepts none, as when it is locked, the error is raised."""
        if ends_the_run(error) or isinstance(error, CourseError) and not getattr(error, "of_a_row", False):
            raise error
        wrote: list[_Waiting] = []
        left: list[tuple[_Waiting, Exception]] = []
        for each in batch:
            try:
                self._gradebook.write([each.entry])
                wrote.append(each)
            except Exception as why:
                left.append((each, why))
        for each, why in left:
            self._broken_after_all(each, why)
        return wrote

    def _broken_after_all(self, each: _Waiting, error: Exception) -> None:
        """Mark this submission as broken in the files, and in the gradebook if it accepts that."""
        grade, _ = self._keep(each.submission, broken(each.entry.grade, error))
        for write in (lambda: self._autograded.write(each.submission, grade),
                      lambda: write_page(self._course, self.paths(grade.student)[1], grade, self.language),
                      lambda: self._gradebook.write([_entry(grade)])):
            with suppress(Exception):
                write()


def _entry(grade: Grade, handed_in: datetime | None = None, unanswered: frozenset[str] = frozenset()) -> Entry:
    from autograder.nbgrader.gradebook import Entry
    return Entry(grade, handed_in, unanswered)


def _import(course: Course, lesson: Lesson) -> None:
    """Import in a thread what is slow to import. A failure here recurs, with a message, where it is needed."""
    with suppress(Exception):
        from autograder.nbgrader.new_gradebook import asks_nbgrader
        for name in ("autograder.nbgrader.autograded", "autograder.output.feedback",
                     *(["nbgrader.converters"] if asks_nbgrader(course, lesson) else [])):
            importlib.import_module(name)
