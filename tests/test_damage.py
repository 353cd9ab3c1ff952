"""Whatever happened to a notebook, its work is graded and its class is graded to the end, both ways."""
import shutil
from pathlib import Path

import pytest
from courses import LESSON, read_autograded, rows, run_nbgrader
from damage import DAMAGE, UNREADABLE, honest
from nbgrader.converters import Autograde, GenerateFeedback
from nbgrader.utils import determine_grade, is_grade
from test_gradebook import COMMENTS, GRADES, SUBMITTED
from test_hook import FULL, UNKNOWN, scores

from autograder.course.folder import Course
from autograder.run.grade_course import grade_course

pytestmark = pytest.mark.slow

#: damage that nothing had to be repaired for, since a kernel would not notice it either
SILENT = {"solution_cell_deleted_and_written_elsewhere", "cells_split_in_two", "cells_upside_down",
          "text_cells_turned_to_code", "ids_unknown", "schema_version_old", "schema_version_new", "kernelspec_null",
          "kernelspec_strange", "in_a_folder_of_its_own", "lines_without_ends", "lines_in_lists_of_lists",
          "crlf_in_the_file", "crlf_in_the_cells", "format_4_0", "format_4_99", "no_cell_ids", "cell_ids_doubled",
          "outputs_of_20_mb", "outputs_broken", "vs_code", "deepnote", "jupyterlite", "widget_state"}


@pytest.fixture(scope="session")
def both(computed_once, generated) -> tuple[Course, Course, dict]:
    """A class in which each student has another damage, graded by `autograder grade` and by nbgrader's command."""
    return computed_once("damaged", lambda root: damaged(root, generated))


def damaged(root: Path, generated: Course) -> tuple[Course, Course, dict]:
    course = Course.find(shutil.copytree(generated.root, root / "grade"))
    files = {name: make(honest()) for name, make in DAMAGE.items()} | UNREADABLE
    for name, made in files.items():
        for file, content in made.items():
            path = course.path("submitted", name, "multihead") / file
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
    shutil.copytree(course.root, root / "hook")
    hook = Course.find(root / "hook")
    grades = {grade.student: grade for grade in grade_course(course.root)}
    run_nbgrader(Autograde, hook)
    return course, hook, grades


@pytest.mark.parametrize("name", DAMAGE)
def test_damaged_work_gets_its_points_both_ways(both, name):
    course, hook, grades = both
    assert (grades[name].status, grades[name].points) == ("graded", 20.0)
    assert scores(course, name) == scores(hook, name) == FULL
    cells = {cell.metadata.nbgrader.grade_id: cell for cell in read_autograded(hook, name).cells if is_grade(cell)}
    assert {test: determine_grade(cells[test])[0] for test in FULL} == FULL


@pytest.mark.parametrize("name", sorted(DAMAGE.keys() - SILENT))
def test_a_repair_is_a_notice(both, name):
    assert both[2][name].notices


@pytest.mark.parametrize("name", UNREADABLE)
def test_what_nobody_can_read_is_left_to_a_person_with_a_reason(both, name):
    course, hook, grades = both
    assert (grades[name].status, grades[name].points) == ("unreadable", None)
    assert scores(course, name) == scores(hook, name) == UNKNOWN
    assert len(read_autograded(hook, name).cells[0].source) > 20


@pytest.mark.parametrize("query", [GRADES, COMMENTS, SUBMITTED], ids=["grades", "comments", "notebooks"])
def test_no_row_differs_between_the_two_ways(both, query):
    ours, hook = (rows(course.root / "gradebook.db", query) for course in both[:2])
    assert ours == hook
    assert {row[0] for row in ours} == DAMAGE.keys() | UNREADABLE.keys()


@pytest.mark.parametrize("name", ["graded_cells_duplicated", "colab", "empty"])
def test_nbgrader_makes_feedback_of_what_was_damaged(both, name):
    run_nbgrader(GenerateFeedback, both[1], student=name)
    page = (both[1].path("feedback", name, "multihead") / "multihead.html").read_text()
    assert all(exercise.name in page for exercise in LESSON.exercises)
