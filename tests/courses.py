"""Course folders for the tests: the lesson's own notebook, its release, and grades made by hand."""
from __future__ import annotations

import logging
import random
import shutil
import sqlite3
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import nbformat
from msgspec.structs import replace
from notebooks import data
from traitlets.config import Config

from autograder.authoring.demo.cast import Cast
from autograder.authoring.demo.notebooks import Assignment
from autograder.course.folder import Course
from autograder.course.handed_in import handed_in
from autograder.intake import read_bytes
from autograder.lessons.installed import load_lesson
from autograder.lessons.kit.course_file import course_file
from autograder.lessons.kit.lesson import Lesson
from autograder.nbgrader.empty_gradebook import commands_on_path
from autograder.records import ExerciseGrade, Grade, Submission, Text, Verdict, text

LESSON = load_lesson("multihead")
NOTEBOOK = "assignments/multihead/multihead.ipynb"
SOURCE: dict[str, Any] = nbformat.read(course_file(NOTEBOOK), as_version=4)


def new_course(folder: Path) -> Course:
    """A course folder with the lesson's assignment and configuration, and no gradebook."""
    shutil.copytree(course_file("assignments"), folder / "assignments",
                    ignore=shutil.ignore_patterns("__pycache__", ".*", "multihead-en"))
    shutil.copy(course_file("nbgrader_config.py"), folder)
    return Course.find(folder)


def run_nbgrader(converter: type, course: Course, force: bool = True, assignment: str = "multihead",
                 student: str = "*", said: list[str] | None = None, **sections: dict) -> list[str]:
    """Run a command of nbgrader's by the course's own configuration; what it logged as a warning or worse.

    `said` holds that already while the command runs.
    """
    from nbgrader.coursedir import CourseDirectory
    log, said = logging.Logger("nbgrader", logging.WARNING), [] if said is None else said
    handler = logging.Handler()
    handler.emit = lambda record: said.append(record.getMessage())
    log.addHandler(handler)
    config = course.config.copy()
    config.merge(Config(sections))
    directory = CourseDirectory(config=config, root=str(course.root), assignment_id=assignment, student_id=student,
                                log=log)
    with commands_on_path():
        converter(coursedir=directory, config=config, log=log, force=force).start()
    return said


def released() -> dict[str, Any]:
    """What students get: no solutions, no hidden tests."""
    return nbformat.read(course_file("release/multihead/multihead.ipynb"), as_version=4)


def hand_in(course: Course, student: str, notebook: dict | bytes, time: str = "") -> Submission:
    """Put a notebook into submitted/<student>/multihead, and read it back as a submission."""
    folder = course.path("submitted", student, "multihead")
    folder.mkdir(parents=True, exist_ok=True)
    raw = notebook if isinstance(notebook, bytes) else data(notebook)
    (folder / "multihead.ipynb").write_bytes(raw)
    if time:
        (folder / "timestamp.txt").write_text(time)
    submission = read_bytes(f"{student}/multihead/multihead.ipynb", raw, LESSON, student)
    return replace(submission, handed_in=handed_in(folder))


def class_of_roles(folder: Path, roles: Sequence[str], lesson: Lesson = LESSON, seed: int = 7) -> Course:
    """A course folder with a student for each of these roles of `autograder demo`, who handed this lesson in."""
    course = new_course(folder) if not (folder / "nbgrader_config.py").exists() else Course.find(folder)
    cast = Cast(Assignment.of(lesson), random.Random(seed))
    for number, role in enumerate(roles, start=1):
        place = course.path("submitted", f"student-{number:02}", lesson.name)
        place.mkdir(parents=True)
        for name, content in getattr(cast, f"_{role}")().items():
            (place / name).write_bytes(content)
    return course


def cell_of(notebook: dict, grade_id: str) -> dict:
    """The cell of a notebook with this grade_id."""
    return next(cell for cell in notebook["cells"] if cell["metadata"].get("nbgrader", {}).get("grade_id") == grade_id)


def read_autograded(course: Course, student: str) -> nbformat.NotebookNode:
    """The autograded notebook of this student, valid by nbformat's own schema."""
    path = course.path("autograded", student, "multihead") / "multihead.ipynb"
    notebook = nbformat.read(path, as_version=4)
    nbformat.validate(notebook)
    return notebook


def grade_of(student: str, points: Sequence[float | None] = (3, 2, 5, 7, 3), status: str = "graded",
             **more: Any) -> Grade:
    """A grade with these points for the five exercises; "skipped" in the place of points for one that is not graded."""
    exercises = tuple(_exercise(exercise.name, one, exercise.points)
                      for exercise, one in zip(LESSON.exercises, points, strict=True))
    total = None if None in points else sum(one for one in points if one != "skipped")
    return Grade(f"{student}/multihead/multihead.ipynb", student, "multihead", status, total, 20.0, exercises, **more)


def _exercise(name: str, points: Any, worth: float) -> ExerciseGrade:
    if points == "skipped":
        return ExerciseGrade(name, None, worth, (), skipped=True)
    word = "broken" if points is None else "passed" if points == worth else "wrong"
    message = None if word == "passed" else text("what was <seen>")
    return ExerciseGrade(name, points, worth, (Verdict("value", Text(f"the value of {name}"), word, points, worth,
                                                       "own", message),))


def rows(database: Path, query: str) -> list[tuple]:
    """What this query finds in a gradebook, in order."""
    connection = sqlite3.connect(database)
    try:
        return sorted(connection.execute(query).fetchall(), key=repr)
    finally:
        connection.close()


def as_stock(course: Course) -> Course:
    """The same course folder with the grading given back to nbgrader's own kernel."""
    path = course.root / "nbgrader_config.py"
    path.write_text(path.read_text().replace("ENGINE = True", "ENGINE = False"))
    return Course.find(course.root)
