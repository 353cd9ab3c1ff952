"""Examples are locked cells without points; what was released with graded ones, worth 0, is graded all the same."""
from __future__ import annotations

import shutil
from copy import deepcopy
from pathlib import Path
from typing import Any

import nbformat
import pytest
from courses import LESSON, NOTEBOOK, SOURCE, cell_of, grade_of, hand_in, new_course, read_autograded, released
from nbgrader.api import Gradebook
from nbgrader.preprocessors import CheckCellMetadata, OverwriteCells
from notebooks import data

from autograder.authoring.release import release
from autograder.course.folder import Course
from autograder.intake import read_bytes
from autograder.nbgrader.autograded import AutogradedWriter
from autograder.nbgrader.gradebook import Entry, GradebookWriter
from autograder.nbgrader.new_gradebook import make_gradebook
from autograder.nbgrader.registered import AsRegistered

POINTS = {exercise.grade_id for exercise in LESSON.exercises}


def as_before(notebook: dict[str, Any]) -> dict[str, Any]:
    """This notebook as version 0.1 had it: the examples are graded cells worth 0."""
    notebook = deepcopy(notebook)
    for cell in examples(notebook):
        cell["metadata"]["nbgrader"] |= {"grade": True, "points": 0}
    return notebook


def examples(notebook: dict[str, Any]) -> list[dict[str, Any]]:
    return [cell for cell in notebook["cells"]
            if cell["metadata"].get("nbgrader", {}).get("grade_id", "").startswith("example_")]


def graded(notebook: dict[str, Any]) -> set[str]:
    marks = [cell["metadata"].get("nbgrader", {}) for cell in notebook["cells"]]
    return {mark["grade_id"] for mark in marks if mark.get("grade")}


@pytest.fixture(scope="module")
def older(tmp_path_factory) -> Course:
    """A course that released version 0.1 and has one submission in its gradebook; copy it before you change it."""
    course = new_course(tmp_path_factory.mktemp("older"))
    (course.root / NOTEBOOK).write_bytes(data(as_before(SOURCE)))
    make_gradebook(course, LESSON)
    hand_in(course, "student-01", as_before(released()))
    with GradebookWriter(course, LESSON) as writer:
        writer.write([Entry(grade_of("student-01"))])
    return course


@pytest.fixture
def course(older, tmp_path) -> Course:
    return Course.find(shutil.copytree(older.root, tmp_path / "course"))


def test_only_the_cells_that_carry_points_are_graded():
    assert graded(SOURCE) == graded(released()) == POINTS
    assert len(examples(released())) == 10


@pytest.mark.slow
def test_a_release_over_one_that_students_have_handed_in_keeps_its_kinds_of_cells(course):
    shutil.copyfile(Path(__file__).parents[1] / NOTEBOOK, course.root / NOTEBOOK)
    made = release(course.root)
    assert made.points == 20
    assert len(graded(nbformat.read(made.folder / "multihead.ipynb", as_version=4))) == 15
    with Gradebook(course.db_url) as gradebook:
        assert len(gradebook.find_notebook("multihead", "multihead").grade_cells) == 15


@pytest.mark.slow
def test_a_release_that_nobody_handed_in_gets_the_new_kinds(course):
    shutil.copyfile(Path(__file__).parents[1] / NOTEBOOK, course.root / NOTEBOOK)
    with Gradebook(course.db_url) as gradebook:
        gradebook.remove_submission("multihead", "student-01")
    release(course.root)
    with Gradebook(course.db_url) as gradebook:
        assert {cell.name for cell in gradebook.find_notebook("multihead", "multihead").grade_cells} == POINTS


@pytest.mark.parametrize("notebook", [released(), as_before(released())], ids=["new", "older"])
def test_older_and_new_notebooks_read_the_same(notebook):
    submission = read_bytes("multihead.ipynb", data(notebook), LESSON, "student-02")
    expected = read_bytes("multihead.ipynb", data(released()), LESSON, "student-02")
    assert (submission.notices, submission.cells) == ((), expected.cells)


@pytest.mark.parametrize("notebook", [released(), as_before(released())], ids=["new", "older"])
def test_in_an_older_gradebook_each_is_graded_and_shows_a_score_box_for_points_alone(notebook, course):
    with GradebookWriter(course, LESSON) as writer:
        submission = hand_in(course, "student-02", notebook)
        AutogradedWriter(course, LESSON, writer.source).write(submission, grade_of("student-02"))
        writer.write([Entry(grade_of("student-02"))])
    assert graded(read_autograded(course, "student-02")) == POINTS
    with Gradebook(course.db_url) as gradebook:
        found = gradebook.find_submission("multihead", "student-02")
        assert (found.score, found.max_score, found.needs_manual_grade) == (20.0, 20.0, False)
        assert {grade.auto_score for grade in found.notebooks[0].grades if grade.name not in POINTS} == {0.0}


def test_a_missing_example_comes_back(course):
    notebook = released()
    notebook["cells"].remove(cell_of(notebook, "example_W2"))
    with GradebookWriter(course, LESSON) as writer:
        submission = hand_in(course, "student-02", notebook)
        AutogradedWriter(course, LESSON, writer.source).write(submission, grade_of("student-02"))
    assert len(examples(read_autograded(course, "student-02"))) == 10


@pytest.mark.parametrize("handed_in", [released(), as_before(released())], ids=["new", "older"])
@pytest.mark.parametrize("registered", ["new", "older"])
def test_nbgraders_own_steps_take_both_kinds(handed_in, registered, course, tmp_path):
    """With ENGINE = False: they refuse a cell whose kind is not that of the gradebook."""
    if registered == "new":
        course = new_course(tmp_path / "new")
        make_gradebook(course, LESSON)
        with GradebookWriter(course, LESSON) as writer:
            writer.write([Entry(grade_of("student-01"))])
    about = {"db_url": course.db_url, "assignment": "multihead", "notebook": "multihead"}
    notebook, resources = nbformat.from_dict(handed_in), {"nbgrader": about}
    for step in (AsRegistered, OverwriteCells, CheckCellMetadata):
        notebook, resources = step()(notebook, resources)
    assert graded(notebook) == (POINTS if registered == "new" else POINTS | {
        cell["metadata"]["nbgrader"]["grade_id"] for cell in examples(notebook)})
