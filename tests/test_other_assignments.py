"""Assignments that are not ours: our nbgrader_config.py changes nothing about them."""
import logging
from pathlib import Path

import nbformat
import pytest
from nbgrader.converters import GenerateAssignment
from nbgrader.coursedir import CourseDirectory
from nbgrader.preprocessors import ClearSolutions
from traitlets.config import Config, PyFileConfigLoader

from autograder.lessons.kit.course_file import course_file
from autograder.nbgrader.feedback import CarryOwnPage

STUBS = ClearSolutions().code_stub


def configured(**more) -> Config:
    path = course_file("nbgrader_config.py")
    config = PyFileConfigLoader(path.name, str(path.parent)).load_config()
    config.merge(Config(more))
    return config


def written(path: Path, language: str) -> None:
    """An assignment of one cell with a solution, in this language."""
    marks = {"nbgrader": {"grade": False, "solution": True, "locked": False, "grade_id": "a", "schema_version": 3,
                          "task": False}}
    cell = nbformat.v4.new_code_cell("### BEGIN SOLUTION\n42\n### END SOLUTION", metadata=marks)
    path.parent.mkdir(parents=True, exist_ok=True)
    nbformat.write(nbformat.v4.new_notebook(cells=[cell], metadata={"kernelspec": {
        "name": language, "display_name": language, "language": language}}), path)


def generated(course: Path, assignment: str) -> Path:
    config = configured(
        CourseDirectory={"root": str(course), "assignment_id": assignment, "notebook_id": "*"},
        SaveCells={"enabled": False}, GenerateAssignment={"no_database": True})
    log = logging.Logger("generate")
    directory = CourseDirectory(config=config, log=log)
    GenerateAssignment(coursedir=directory, config=config, log=log).start()
    return course / "release" / assignment


def released_cell(notebook: Path) -> str:
    return nbformat.read(notebook, as_version=4).cells[0].source


@pytest.mark.parametrize("language", STUBS)
def test_an_assignment_in_any_language_gets_nbgraders_own_stub(tmp_path, language):
    written(tmp_path / "assignments/week-1/week-1.ipynb", language)
    assert released_cell(generated(tmp_path, "week-1") / "week-1.ipynb") == STUBS[language]


def test_another_notebook_beside_ours_gets_nbgraders_own_stub(tmp_path):
    for name in ("multihead", "extra"):
        written(tmp_path / f"assignments/multihead/{name}.ipynb", "python")
    made = generated(tmp_path, "multihead")
    assert released_cell(made / "multihead.ipynb") == "raise NotImplementedError()"
    assert released_cell(made / "extra.ipynb") == STUBS["python"]


@pytest.mark.parametrize("name", ["page.html", "run.log", ".config", "data.bak", "notes~", "gradebook.db"])
def test_every_file_beside_another_assignment_travels(tmp_path, name):
    written(tmp_path / "assignments/week-1/week-1.ipynb", "python")
    (tmp_path / "assignments/week-1" / name).write_text("x")
    assert (generated(tmp_path, "week-1") / name).read_text() == "x"


def test_every_step_of_feedback_takes_what_nbgrader_sets():
    assert "display_data_priority" in CarryOwnPage.class_trait_names(config=True)
