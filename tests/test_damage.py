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

#: of these `make test-all` has a class, `make test-integration` one of all
SOME = {*list(DAMAGE)[::6], *list(UNREADABLE)[::5], "graded_cells_duplicated", "colab", "empty"}

#: damage that nothing had to be repaired for, since a kernel would not notice it either
SILENT = {"solution_cell_deleted_and_written_elsewhere", "cells_split_in_two", "cells_upside_down",
          "text_cells_turned_to_code", "ids_unknown", "schema_version_old", "schema_version_new", "kernelspec_null",
          "kernelspec_strange", "in_a_folder_of_its_own", "lines_without_ends", "lines_in_lists_of_lists",
          "crlf_in_the_file", "crlf_in_the_cells", "format_4_0", "format_4_99", "no_cell_ids", "cell_ids_doubled",
          "outputs_of_20_mb", "outputs_broken", "vs_code", "deepnote", "jupyterlite", "widget_state"}


@pytest.fixture(scope="session")
def both(request, computed_once, generated) -> tuple[Course, Course, dict]:
    """A class in which each student has another damage, graded by `autograder grade` and by nbgrader's command."""
    names = SOME if request.param == "some" else {*DAMAGE, *UNREADABLE}
    return computed_once(f"damaged-{request.param}", lambda root: damaged(root, generated, names))


def of_the_class(names):
    """A test for each of these students, in either class."""
    return pytest.mark.parametrize(("both", "name"), [
        *(pytest.param("some", name, marks=pytest.mark.slow, id=f"some-{name}") for name in names if name in SOME),
        *(pytest.param("all", name, marks=pytest.mark.integration, id=f"all-{name}") for name in names)],
        indirect=["both"])


def damaged(root: Path, generated: Course, names: set[str]) -> tuple[Course, Course, dict]:
    course = Course.find(shutil.copytree(generated.root, root / "grade"))
    files = {name: DAMAGE[name](honest()) if name in DAMAGE else UNREADABLE[name] for name in names}
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


@of_the_class(DAMAGE)
def test_damaged_work_gets_its_points_both_ways(both, name):
    course, hook, grades = both
    assert (grades[name].status, grades[name].points) == ("graded", 20.0)
    assert scores(course, name) == scores(hook, name) == FULL
    cells = {cell.metadata.nbgrader.grade_id: cell for cell in read_autograded(hook, name).cells if is_grade(cell)}
    assert {test: determine_grade(cells[test])[0] for test in FULL} == FULL


@of_the_class(sorted(DAMAGE.keys() - SILENT))
def test_a_repair_is_a_notice(both, name):
    assert both[2][name].notices


@of_the_class(UNREADABLE)
def test_what_nobody_can_read_is_left_to_a_person_with_a_reason(both, name):
    course, hook, grades = both
    assert (grades[name].status, grades[name].points) == ("unreadable", None)
    assert scores(course, name) == scores(hook, name) == UNKNOWN
    assert len(read_autograded(hook, name).cells[0].source) > 20


@pytest.mark.parametrize("both", [pytest.param("some", marks=pytest.mark.slow),
                                  pytest.param("all", marks=pytest.mark.integration)], indirect=True)
@pytest.mark.parametrize("query", [GRADES, COMMENTS, SUBMITTED], ids=["grades", "comments", "notebooks"])
def test_no_row_differs_between_the_two_ways(both, query):
    ours, hook = (rows(course.root / "gradebook.db", query) for course in both[:2])
    assert ours == hook
    assert {row[0] for row in ours} == both[2].keys()


@of_the_class(["graded_cells_duplicated", "colab", "empty"])
def test_nbgrader_makes_feedback_of_what_was_damaged(both, name):
    run_nbgrader(GenerateFeedback, both[1], student=name)
    page = (both[1].path("feedback", name, "multihead") / "multihead.html").read_text()
    assert all(exercise.name in page for exercise in LESSON.exercises)
