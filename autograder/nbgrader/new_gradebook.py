"""Make the gradebook of a course that has none, with the assignment in it: it exists like that, or not at all.

What nbgrader registers of a notebook is kept in the user's cache for the next course with the same notebook, points and
configuration. The kept file can be read by its owner alone: the hidden tests are in it.
"""

import errno
import os
from collections.abc import Iterator
from contextlib import suppress
from copy import deepcopy
from dataclasses import replace
from hashlib import blake2b
from importlib.resources import files
from pathlib import Path

from traitlets.config import Config

from autograder.course.folder import Course
from autograder.lessons.kit.lesson import Lesson
from autograder.nbgrader.database import file_of
from autograder.nbgrader.empty_gradebook import REGISTERED, keep, kept, put_gradebook
from autograder.nbgrader.gradebook import GradebookWriter
from autograder.nbgrader.gradebook_errors import GradebookError
from autograder.nbgrader.notebook import source_path

_STEPS = ("nbgrader.preprocessors.", "autograder.nbgrader.")        # of a release, that read no other file


def make_gradebook(course: Course, lesson: Lesson) -> None:
    """Make a gradebook file if there is none. OSError if this process has too many open files for that."""
    path = file_of(course.db_url)
    if path is None or os.path.lexists(path):
        return
    part = path.with_name(f".{path.name}.part")
    part.unlink(missing_ok=True)
    what = _made_from(course, lesson)
    with suppress(OSError):
        if what and (content := kept(what)) is not None:
            put_gradebook(part, lambda: content, course.own_mode)
    if not part.exists():
        _register(course, lesson, part)
        if what:
            keep(part.read_bytes(), what, 0o600)
    os.replace(part, path)


def asks_nbgrader(course: Course, lesson: Lesson) -> bool:
    """Whether nbgrader itself, which is slow to import, is needed before grades can be written."""
    path = file_of(course.db_url)
    if path is None or os.path.lexists(path):
        return not GradebookWriter(course, lesson).is_registered()
    what = _made_from(course, lesson)
    return not what or kept(what) is None


def _register(course: Course, lesson: Lesson, part: Path) -> None:
    config = deepcopy(course.config)
    config.CourseDirectory.db_url = f"sqlite:///{part}"
    try:
        with GradebookWriter(replace(course, config=config), lesson):
            pass
    except GradebookError as error:
        if error.code == "SQLITE_CANTOPEN" and os.access(part.parent, os.W_OK):     # the file is our own, and new
            raise OSError(errno.EMFILE, "too many open files to make the gradebook") from error
        raise


def _made_from(course: Course, lesson: Lesson) -> str:
    """A name with a digest of all that decides what nbgrader registers; "" where more than that may decide."""
    config = deepcopy(course.config)
    for option in ("db_url", "root"):
        config.CourseDirectory.pop(option, None)
    notebook = source_path(course, lesson, lesson.name).read_bytes()
    if not lesson.home.ours or b"autotest" in notebook.lower() or "IncludeHeaderFooter" in config or not all(
            isinstance(step, str) and step.startswith(_STEPS) for step in _steps(config)):
        return ""
    worth = [(exercise.name, exercise.grade_id, exercise.points, exercise.worth) for exercise in lesson.exercises]
    ours = [path.read_bytes() for path in sorted(Path(str(files("autograder")), "nbgrader").glob("*.py"))]
    made_from = repr((config, course.course_id, lesson.name, worth, notebook, ours)).encode("utf-8", "replace")
    return f"{REGISTERED}-{blake2b(made_from, digest_size=16).hexdigest()}"


def _steps(config: Config) -> Iterator[object]:
    steps = config.get("GenerateAssignment", {}).get("preprocessors", ())
    return iter(steps if isinstance(steps, (list, tuple)) else [None])
