"""Everything that is written for a class: autograded/, feedback/ and, in batches, the gradebook.

nbgrader takes seconds to import, so that happens only in a run that writes something, and in a thread of its own while
the first submissions are being judged. What still stands as an earlier run wrote it stays.
"""
from __future__ import annotations

import importlib
import os
import threading
from collections.abc import Callable
from contextlib import ExitStack, suppress
from copy import deepcopy
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from autograder.atomic import replace_file
from autograder.course.folder import Course, CourseError, timestamp
from autograder.course.submitted import is_markup
from autograder.course.written import Written
from autograder.faults import ends_the_run
from autograder.lessons.kit.lesson import Lesson
from autograder.nbgrader.notebook import notebook_name
from autograder.records import Grade, Submission
from autograder.stages import stage

if TYPE_CHECKING:
    from autograder.nbgrader.gradebook import Entry

BATCH = 50                                      # submissions in one transaction of the gradebook
#: makes the grade of a submission broken, by what failed, and gives the line that the journal holds of it then
Failed = Callable[[Submission, Grade, Exception], tuple[Grade, bytes]]


class _Waiting(NamedTuple):
    """What is in the files already, and not yet in the gradebook."""

    submission: Submission
    entry: Entry
    mark: str
    line: bytes
    paths: list[Path]


class Writers:
    """Writes one graded submission after another. What is not yet in the gradebook is written on leaving.

    Whatever ends the run between two steps, the next one finds in `written` how far this one came. A submission that
    cannot be written is broken (`failed`), and that is written in its place, as far as it can be.
    """

    def __init__(self, course: Course, lesson: Lesson, language: str, written: Written, failed: Failed):
        self._course, self._lesson, self._language, self._written = course, lesson, language, written
        self._failed = failed
        self._batch: list[_Waiting] = []
        self._stack = ExitStack()
        self._opened = False
        self._importing: threading.Thread | None = None

    def __enter__(self) -> Writers:
        return self

    def __exit__(self, kind: type[BaseException] | None, *exception: object) -> None:
        with self._stack:
            if self._batch and (kind is None or not issubclass(kind, Exception)):       # also after Ctrl-C
                self._write_batch()

    def __call__(self, submission: Submission, grade: Grade, line: bytes) -> None:
        """Write this grade, of which the journal holds this line, unless it was written before."""
        if is_markup(submission.student):       # not even its name
            return
        try:
            self._write(submission, grade, line)
        except Exception as error:
            if ends_the_run(error) or not self._opened:
                raise
            self._write_broken(submission, grade, error)
        if len(self._batch) >= BATCH:
            self._write_batch()

    def _write_broken(self, submission: Submission, grade: Grade, error: Exception) -> None:
        grade, line = self._failed(submission, grade, error)
        try:
            self._write(submission, grade, line)
        except Exception as again:              # the gradebook at least
            if ends_the_run(again):
                raise
            self._batch.append(_Waiting(submission, _entry(grade), "", line, []))

    def _write(self, submission: Submission, grade: Grade, line: bytes) -> None:
        student, assignment = submission.student, self._lesson.name
        cells = msgspec.msgpack.encode(submission.notebook)
        mark, paths = self._written.mark(student, line, cells), self.paths(student)
        if self._written.holds(student, mark, line, paths):
            return
        if not self._opened:
            with stage("nbgrader"):
                self._open()
        from autograder.output.feedback import feedback_page
        with stage("autograded"):
            unanswered = self._autograded.write(submission, grade)
        with stage("feedback"):
            replace_file(paths[1], feedback_page(grade, self._language).encode(), 0o644)
        handed_in = timestamp(self._course.path("submitted", student, assignment))
        self._batch.append(_Waiting(submission, _entry(grade, handed_in, unanswered), mark, line, paths))

    def prepare(self) -> None:
        """Begin to import what writes a grade: the first one will be here in a moment."""
        if self._importing is None:
            self._importing = threading.Thread(target=_import, daemon=True)
            self._importing.start()

    def untouched(self, student: str, line: bytes) -> bool:
        """Whether nothing has to be read or written for this student, of whom the journal holds this line."""
        return self._written.untouched(student, line, self.paths(student))

    def paths(self, student: str) -> list[Path]:
        """The two files that a student's grade is in."""
        folder = self._course.path("autograded", student, self._lesson.name)
        page = self._course.path("feedback", student, self._lesson.name)
        return [folder / f"{notebook_name(self._lesson, self._lesson.name)}.ipynb", page.with_suffix(".html")]

    def _open(self) -> None:
        if self._importing is not None:
            self._importing.join()
        from autograder.nbgrader.autograded import AutogradedWriter
        from autograder.nbgrader.gradebook import GradebookWriter
        make_gradebook(self._course, self._lesson)
        self._gradebook = self._stack.enter_context(GradebookWriter(
            self._course, self._lesson, language=self._language))
        self._autograded = AutogradedWriter(self._course, self._lesson, self._gradebook.source, self._language)
        self._opened = True

    def _write_batch(self) -> None:
        batch, self._batch = self._batch, []
        with stage("gradebook"):
            try:
                self._gradebook.write([one.entry for one in batch])
                wrote = batch
            except Exception as error:
                wrote = self._one_by_one(batch, error)
            self._written.wrote((one.submission.student, one.mark, one.line, one.paths) for one in wrote)

    def _one_by_one(self, batch: list[_Waiting], error: Exception) -> list[_Waiting]:
        """Those that the gradebook takes. Where it takes nobody's, as when it is locked, the error is raised."""
        if ends_the_run(error) or isinstance(error, CourseError) and not getattr(error, "of_a_row", False):
            raise error
        wrote: list[_Waiting] = []
        left: list[tuple[_Waiting, Exception]] = []
        for one in batch:
            try:
                self._gradebook.write([one.entry])
                wrote.append(one)
            except Exception as why:
                left.append((one, why))
        for one, why in left:
            self._without_gradebook(one, why)
        return wrote

    def _without_gradebook(self, one: _Waiting, error: Exception) -> None:
        """Say in the files that this one is broken, and let the gradebook have that, if it does."""
        grade, line = self._failed(one.submission, one.entry.grade, error)
        with suppress(Exception):
            self._write(one.submission, grade, line)
        self._batch = []
        with suppress(Exception):
            self._gradebook.write([_entry(grade)])


def _entry(grade: Grade, handed_in: datetime | None = None, unanswered: frozenset[str] = frozenset()) -> Entry:
    from autograder.nbgrader.gradebook import Entry
    return Entry(grade, handed_in, unanswered)


def _import() -> None:
    """In a thread: what is slow to import. What fails here fails again, in words, where it is needed."""
    with suppress(Exception):
        for name in ("nbgrader.converters", "autograder.nbgrader.autograded", "autograder.output.feedback"):
            importlib.import_module(name)


def make_gradebook(course: Course, lesson: Lesson) -> None:
    """Make a gradebook in a file where there is none: it is there, with the assignment in it, or not at all."""
    from sqlalchemy import make_url

    from autograder.nbgrader.gradebook import GradebookWriter
    url = make_url(course.db_url)
    if url.get_backend_name() != "sqlite" or not url.database or Path(url.database).exists():
        return
    path = Path(url.database)
    part = path.with_name(f".{path.name}.part")
    part.unlink(missing_ok=True)
    config = deepcopy(course.config)
    config.CourseDirectory.db_url = f"sqlite:///{part}"
    with GradebookWriter(replace(course, config=config), lesson):
        pass
    os.replace(part, path)
