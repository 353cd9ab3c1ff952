"""Hold the course's notebook as nbgrader's gradebook knows it, and register it there.

nbgrader itself registers the notebook (GenerateAssignment with SaveCells), in a temporary folder, so that every row is
what `nbgrader generate_assignment` would have left.
"""
from __future__ import annotations

import logging
import os
import shutil
import sys
import tempfile
from copy import deepcopy
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from traitlets.config import Config

from autograder.course.folder import Course, CourseError, read_config
from autograder.lessons.kit.course_file import course_file
from autograder.lessons.kit.lesson import Lesson
from autograder.nbgrader.gradebook_errors import GradebookError, in_words

if TYPE_CHECKING:
    from nbgrader.coursedir import CourseDirectory


@dataclass(frozen=True)
class SourceCell:
    """A cell that nbgrader manages. Its source includes the hidden tests, but no solution."""

    name: str                               # its grade_id
    cell_type: str                          # "code" or "markdown"
    source: str
    locked: bool
    checksum: str | None = None
    grade: bool = False
    solution: bool = False
    task: bool = False
    points: float = 0.0                     # its maximum

    @property
    def takes_a_score(self) -> bool:
        """Whether a score can be given here: below a cell worth 0 nbgrader turns every score into 0."""
        return self.grade and (self.points > 0 or self.solution or self.cell_type != "code")


@dataclass(frozen=True)
class SourceNotebook:
    """The cells that nbgrader manages, in order, and the notebook's kernel."""

    assignment: str
    name: str                               # of the file, without .ipynb
    cells: tuple[SourceCell, ...]
    kernelspec: dict[str, Any]

    @cached_property
    def by_name(self) -> dict[str, SourceCell]:
        return {cell.name: cell for cell in self.cells}


def notebook_name(lesson: Lesson, assignment: str) -> str:
    """The name of this assignment's notebook, without .ipynb."""
    return _edition(lesson, assignment).stem


def _edition(lesson: Lesson, assignment: str) -> Path:
    """The course file of this assignment's notebook: an assignment is named after its edition's folder."""
    editions = [Path(path) for path in lesson.editions.values()]
    return next((path for path in editions if path.parent.name == assignment), editions[0])


def source_path(course: Course, lesson: Lesson, assignment: str) -> Path:
    """The source notebook: the course's, or the one that comes with the lesson."""
    edition = _edition(lesson, assignment)
    own = course.path("source", ".", assignment) / edition.name
    return own if own.is_file() else lesson.home.path(str(edition))


def register(course: Course, lesson: Lesson, assignment: str, db_url: str) -> None:
    """Let nbgrader put the assignment's notebook into the gradebook; CourseError, in one line, if it refuses."""
    from autograder.nbgrader.worth import with_points
    name = notebook_name(lesson, assignment)
    with tempfile.TemporaryDirectory(prefix="autograder-") as temporary:
        config = with_points(_staged(course, lesson, assignment, Path(temporary)), course.root, lesson)
        config.CourseDirectory.update(
            db_url=db_url, course_id=course.course_id, assignment_id=assignment, notebook_id=name,
            root=str(course.root), source_directory=f"{temporary}/source", release_directory=f"{temporary}/release")
        config.CourseDirectory.pop("directory_structure", None)
        generate(config, "register")


def generate(config: Config, what: str) -> CourseDirectory:
    """Run nbgrader's own generate step; CourseError, with the last that nbgrader said, if it refuses.

    Its log is collected instead of printed.
    """
    from nbgrader.converters import GenerateAssignment
    from nbgrader.converters.base import NbGraderException
    from nbgrader.coursedir import CourseDirectory
    from sqlalchemy.exc import DatabaseError
    said: list[str] = []
    failed: list[BaseException] = []            # with which nbgrader's exception has no tie

    def note(record: logging.LogRecord) -> None:
        said.append(record.getMessage())
        failed.extend(filter(None, [sys.exception()]))
    handler = logging.Handler()
    handler.emit = note
    log = logging.Logger("autograder.nbgrader", logging.ERROR)
    log.addHandler(handler)
    directory = CourseDirectory(config=config, log=log)
    try:
        GenerateAssignment(coursedir=directory, config=config, log=log, force=True).start()
    except NbGraderException as error:
        with in_words(directory.db_url):
            if failed and isinstance(failed[-1], GradebookError | DatabaseError):
                raise failed[-1] from error
        lines = [line.strip() for line in "\n".join(said).splitlines() if ": " in line]
        raise CourseError(f"nbgrader cannot {what} {directory.assignment_id!r}: {[error, *lines][-1]}") from error
    return directory


def _staged(course: Course, lesson: Lesson, assignment: str, temporary: Path) -> Config:
    """Put the source notebook into the temporary folder: the course's, or the one that comes with the lesson.

    Returns the configuration that belongs to it.
    """
    notebook, config = source_path(course, lesson, assignment), Config()
    if not notebook.is_relative_to(course.path("source", ".", assignment)):
        config = read_config(course_file("nbgrader_config.py").parent)
    config.merge(deepcopy(course.config))
    folder = temporary / "source" / assignment
    os.makedirs(folder)
    shutil.copyfile(notebook, folder / notebook.name)
    return config
