"""`nbgrader autograde` with our steps in it: the verdicts, rows and notebooks of `autograder grade`."""
import shutil
from pathlib import Path

import nbformat
import pytest
from courses import cell_of, hand_in, new_course, read_autograded, released, rows, run_nbgrader
from damage import honest
from nbgrader.api import Gradebook
from nbgrader.converters import Autograde, GenerateAssignment, GenerateFeedback
from nbgrader.plugins import LateSubmissionPlugin
from nbgrader.preprocessors import Execute
from nbgrader.utils import determine_grade, is_grade
from notebooks import code, data
from test_gradebook import COMMENTS, GRADES, SUBMITTED
from traitlets.config import Config

from autograder.course.folder import Course
from autograder.nbgrader.preprocessors import GradeWithEngine
from autograder.nbgrader.session import StudentSession
from autograder.run.grade_course import grade_course

FULL = {"test_split_heads": 3.0, "test_merge_heads": 2.0, "test_multihead": 5.0, "test_multihead_backward": 7.0,
        "test_own_test": 3.0}
NOTHING = dict.fromkeys(FULL, 0.0)
UNKNOWN = dict.fromkeys(FULL)


@pytest.fixture
def course(generated, tmp_path) -> Course:
    shutil.copytree(generated.root, tmp_path / "course")
    return Course.find(tmp_path / "course")


def scores(course: Course, student: str = "student-01") -> dict[str, float | None]:
    """The automatic scores of the cells that bring points."""
    found = {row[1]: row for row in rows(course.root / "gradebook.db", GRADES) if row[0] == student}
    for name in FULL:
        assert bool(found[name][5]) == (found[name][2] is None or found[name][3] is not None), name
    return {name: found[name][2] for name in FULL}


def wrong() -> dict:
    """An honest notebook with a split_heads that returns its argument."""
    notebook = honest()
    cell_of(notebook, "split_heads")["source"] = "def split_heads(x, heads):\n    return x"
    return notebook


# --- one verdict --------------------------------------------------------------------------------------------------

def test_nbgrader_reads_our_points_below_every_graded_cell(course):
    for student, notebook in {"student-01": honest(), "student-02": wrong(), "student-03": released()}.items():
        hand_in(course, student, notebook)
    run_nbgrader(Autograde, course)
    for student, expected in {"student-01": FULL, "student-02": FULL | {"test_split_heads": 0.0},
                              "student-03": NOTHING}.items():
        cells = {cell.metadata.nbgrader.grade_id: cell for cell in read_autograded(course, student).cells
                 if is_grade(cell)}
        assert scores(course, student) == expected
        assert {name: determine_grade(cells[name])[0] for name in FULL} == expected
        for name in FULL:
            words, result = cells[name].outputs
            assert words.output_type == "display_data"
            assert words.data["text/html"].startswith("<div")
            assert result.data == {"text/plain": repr(expected[name])}


def test_rows_and_notebooks_are_those_of_autograder_grade(course, tmp_path):
    for student, notebook in {"student-01": honest(), "student-02": wrong()}.items():
        hand_in(course, student, notebook, "2025-03-04 05:06:07 UTC")
    shutil.copytree(course.root, tmp_path / "other")
    other = Course.find(tmp_path / "other")
    run_nbgrader(Autograde, course)
    grade_course(other.root, jobs=1)
    for query in (GRADES, COMMENTS, SUBMITTED):
        assert rows(course.root / "gradebook.db", query) == rows(other.root / "gradebook.db", query) != []
    for student in ("student-01", "student-02"):
        assert read_autograded(course, student) == read_autograded(other, student)
        names = [sorted(path.name for path in each.path("autograded", student, "multihead").iterdir())
                 for each in (course, other)]
        assert names[0] == names[1]


@pytest.mark.slow
def test_a_comment_tells_what_to_think_about_and_is_shown_in_the_feedback(course):
    hand_in(course, "student-01", wrong())
    run_nbgrader(Autograde, course)
    comments = {row[1]: row[2] for row in rows(course.root / "gradebook.db", COMMENTS)}
    assert len(comments["split_heads"]) > 20
    assert comments["merge_heads"] is None
    run_nbgrader(GenerateFeedback, course)
    page = (course.path("feedback", "student-01", "multihead") / "multihead.html").read_text()
    assert comments["split_heads"].splitlines()[0][:15] in page
    assert "autograder-feedback" in page


def test_what_a_person_gave_is_kept_when_graded_again(course):
    hand_in(course, "student-01", wrong())
    run_nbgrader(Autograde, course)
    with Gradebook(course.db_url) as gradebook:
        gradebook.find_grade("test_split_heads", "multihead", "multihead", "student-01").manual_score = 1.5
        gradebook.find_comment("split_heads", "multihead", "multihead", "student-01").manual_comment = "almost"
        gradebook.db.commit()
    run_nbgrader(Autograde, course)
    with Gradebook(course.db_url) as gradebook:
        assert gradebook.find_grade("test_split_heads", "multihead", "multihead", "student-01").score == 1.5
        assert gradebook.find_comment("split_heads", "multihead", "multihead", "student-01").comment == "almost"


# --- nbgrader's own options ---------------------------------------------------------------------------------------

@pytest.mark.slow
def test_without_force_a_graded_submission_is_left_alone(course):
    hand_in(course, "student-01", wrong())
    run_nbgrader(Autograde, course)
    (course.path("submitted", "student-01", "multihead") / "multihead.ipynb").write_bytes(data(honest()))
    run_nbgrader(Autograde, course, force=False)
    assert scores(course)["test_split_heads"] == 0.0
    run_nbgrader(Autograde, course, force=True)
    assert scores(course) == FULL


NO_EXECUTE = {"Execute": {"enabled": False}, "ClearOutput": {"enabled": False}}        # what --no-execute stands for


def test_no_execute_runs_nothing_and_leaves_the_points_to_a_person(course, monkeypatch):
    monkeypatch.setattr(StudentSession, "grade", None)
    notebook = honest()
    for name in FULL:
        cell_of(notebook, name)["outputs"] = [nbformat.v4.new_output("execute_result", {"text/plain": "3.0"})]
    hand_in(course, "student-01", notebook)
    run_nbgrader(Autograde, course, **NO_EXECUTE)
    assert scores(course) == UNKNOWN


@pytest.mark.slow
def test_no_execute_gives_the_points_that_are_known_of_the_same_work(course, monkeypatch):
    hand_in(course, "student-01", wrong())
    run_nbgrader(Autograde, course)
    before = read_autograded(course, "student-01")
    monkeypatch.setattr(StudentSession, "grade", None)
    run_nbgrader(Autograde, course, **NO_EXECUTE)
    assert scores(course) == FULL | {"test_split_heads": 0.0}
    assert read_autograded(course, "student-01") == before


@pytest.mark.parametrize(("timeout", "cell", "call"), [(30, 10, 10), (2, 2, 2), (120, 120, 10), (-1, 3600, 10)])
def test_a_timeout_is_how_long_a_cell_may_take(timeout, cell, call):
    limits = GradeWithEngine(timeout=timeout).rules.limits
    assert (limits.cell_seconds, limits.seconds) == (cell, call)
    assert limits.budget >= cell


def test_a_timeout_is_read_under_the_names_that_nbgrader_has_for_it():
    for name in ("Execute", "ExecutePreprocessor"):
        assert GradeWithEngine(config=Config({name: {"timeout": 7}})).rules.limits.cell_seconds == 7


class HalfOff(LateSubmissionPlugin):
    def late_submission_penalty(self, student_id, score, total_seconds_late):
        return score / 2


@pytest.mark.slow
def test_a_plugin_for_late_work_takes_its_points(course):
    hand_in(course, "student-01", honest(), "2025-03-05 05:06:07 UTC")
    with Gradebook(course.db_url) as gradebook:
        gradebook.update_or_create_assignment("multihead", duedate="2025-03-04 00:00:00 UTC")
    run_nbgrader(Autograde, course, AssignLatePenalties={"plugin_class": HalfOff})
    assert [row[3] for row in rows(course.root / "gradebook.db", SUBMITTED)] == [10.0]


def test_another_assignment_passes_through_nbgraders_own_steps(course):
    cells = [code("def two():\n    ### BEGIN SOLUTION\n    return 2\n    ### END SOLUTION", "two"),
             code("assert two() == 2", "test_two", grade=True, locked=True, solution=False)]
    cells[1]["metadata"]["nbgrader"] |= {"points": 1}
    notebook = nbformat.from_dict({"cells": cells, "nbformat": 4, "nbformat_minor": 4, "metadata": {
        "kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}})
    for folder in (course.path("source", ".", "other"), course.path("submitted", "student-01", "other")):
        folder.mkdir(parents=True)
        nbformat.write(notebook, folder / "other.ipynb")
    run_nbgrader(GenerateAssignment, course, assignment="other")
    run_nbgrader(Autograde, course, assignment="other")
    with Gradebook(course.db_url) as gradebook:
        assert gradebook.find_submission("other", "student-01").score == 1.0


@pytest.mark.slow
def test_of_the_students_other_files_only_those_asked_for_are_kept(course):
    hand_in(course, "student-01", honest())
    folder = course.path("submitted", "student-01", "multihead")
    for name in ("numpy.py", "attention.py", "evil.html", "data/x.csv"):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text("raise SystemExit")
    run_nbgrader(Autograde, course, Autograde={"exclude_overwriting": {"multihead": ["data/x.csv"]}})
    made = course.path("autograded", "student-01", "multihead")
    own = {path.name for path in course.path("source", ".", "multihead").iterdir() if path.is_file()}
    assert {path.relative_to(made).as_posix() for path in made.rglob("*") if path.is_file()} == own | {"data/x.csv"}
    assert {"multihead.ipynb", "attention.py"} <= own
    assert (made / "attention.py").read_bytes() == (
        course.path("source", ".", "multihead") / "attention.py").read_bytes()
    assert scores(course) == FULL


# --- what goes wrong ----------------------------------------------------------------------------------------------

@pytest.mark.parametrize("error", [
    pytest.param(RuntimeError("no wall"), marks=pytest.mark.slow, id="fault"),
    pytest.param(KeyboardInterrupt(), id="Ctrl-C")])
def test_a_regrade_that_fails_leaves_no_old_score(course, monkeypatch, error):
    hand_in(course, "student-01", honest())
    run_nbgrader(Autograde, course)
    assert scores(course) == FULL

    def fail(self, limits):
        raise error
    monkeypatch.setattr(StudentSession, "grade", fail)
    with pytest.raises(BaseException):      # noqa: B017,PT011 (nbgrader's own word for it, or the interrupt)
        run_nbgrader(Autograde, course)
    assert scores(course) == UNKNOWN
    assert not course.path("autograded", "student-01", "multihead").exists()


@pytest.mark.slow
def test_one_submission_that_fails_does_not_stop_the_others(course, monkeypatch):
    for student in ("student-01", "student-02"):
        hand_in(course, student, honest())
    grade = StudentSession.grade

    def fail_once(self, limits):
        if self.student == "student-01":
            raise RuntimeError("a fault")
        return grade(self, limits)
    monkeypatch.setattr(StudentSession, "grade", fail_once)
    with pytest.raises(Exception, match="above traceback"):
        run_nbgrader(Autograde, course)
    assert scores(course, "student-01") == UNKNOWN
    assert scores(course, "student-02") == FULL


def test_the_configuration_has_one_line_that_gives_the_grading_back_to_nbgrader(tmp_path):
    course = new_course(tmp_path)
    path = Path(course.root, "nbgrader_config.py")
    assert "Autograde" in course.config
    path.write_text(path.read_text().replace("ENGINE = True", "ENGINE = False"))
    stock = Course.find(tmp_path)
    assert "autograde_preprocessors" not in stock.config.Autograde
    assert stock.config.Execute.timeout > Execute.timeout.default_value     # the cell waits for a whole grading
    assert Autograde(coursedir=None, config=stock.config).autograde_preprocessors[0] is Execute
