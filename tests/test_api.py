"""What other programs embed: the same grades as on the command line, as records, and errors that are about the call."""
import inspect
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

import autograder
from autograder import api, check, grade_course, records, verify
from autograder.proof import Claim, Matrix, Proof

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "python.md").read_text(encoding="utf-8")
SOLUTION = ROOT / "solutions" / "multihead.py"
LIMITS = api.Limits(isolation="none")


@pytest.fixture(scope="module")
def grade():
    [grade] = check(SOLUTION, limits=LIMITS)
    return grade


def test_a_submission_becomes_a_record(grade):
    assert isinstance(grade, api.Grade)
    assert (grade.student, grade.lesson, grade.status, grade.points) == ("multihead", "multihead", "graded", 20)
    assert grade.isolation == "none"
    assert msgspec.json.decode(msgspec.json.encode(grade), type=api.Grade) == grade


def test_it_is_the_grade_of_the_command_line(grade, tmp_path):
    done = subprocess.run([sys.executable, "-m", "autograder", "check", "--isolation", "none", "--json", "-", SOLUTION],
                          cwd=tmp_path, env={"PYTHONPATH": str(ROOT)}, capture_output=True, check=True)
    answer = json.loads(done.stdout)
    assert (answer["points"], answer["checks"], answer["key"]) == (grade.points, grade.checks, grade.key)
    assert [[one["verdict"] for one in exercise["verdicts"]] for exercise in answer["exercises"]] == [
        [one.verdict for one in exercise.verdicts] for exercise in grade.exercises]


def test_several_lessons_are_told_apart_and_progress_is_heard():
    heard = []
    grades = check(SOLUTION, ROOT / "solutions" / "layernorm.py", limits=LIMITS,
                   on_grade=lambda grade, done, of: heard.append((grade.lesson, done, of)))
    assert [(grade.lesson, grade.points) for grade in grades] == [("multihead", 20), ("layernorm", 10)]
    assert heard == [("multihead", 1, 2), ("layernorm", 2, 2)]


def test_what_cannot_be_read_is_a_result(tmp_path):
    (tmp_path / "empty.ipynb").touch()
    [grade] = check(tmp_path / "empty.ipynb", limits=LIMITS)
    assert (grade.status, grade.points) == ("unreadable", None)
    assert "empty" in api.translate(grade.notices[-1], "en")


@pytest.fixture
def course(tmp_path):
    """A course in which split_heads is worth 4 and a call may take 7 seconds, with one submission."""
    (tmp_path / "autograder.toml").write_text("[limits]\nseconds = 7\nisolation = 'process'\n"
                                              "[lessons.multihead.points]\nsplit_heads = 4\n")
    (tmp_path / "submitted/student-01/multihead").mkdir(parents=True)
    shutil.copy(ROOT / "assignments/multihead/multihead.ipynb", tmp_path / "submitted/student-01/multihead")
    shutil.copy(ROOT / "nbgrader_config.py", tmp_path)
    return tmp_path


def test_a_course_decides_points_and_limits_and_only_where_it_is_named(course, monkeypatch, grade):
    monkeypatch.chdir(course)
    [of_course] = check(SOLUTION, course=course)
    assert (of_course.points, of_course.isolation) == (21, "process")
    assert check(SOLUTION, limits=LIMITS)[0].points == 20
    [with_limits] = check(SOLUTION, course=course, limits=LIMITS)
    assert (with_limits.points, with_limits.isolation) == (21, "none")
    assert with_limits.checks != grade.checks


@pytest.mark.slow
def test_a_course_is_graded_by_its_own_settings(course):
    [grade] = grade_course(str(course), on_grade=lambda grade, done, of: None)
    assert (grade.student, grade.points, grade.max_points, grade.isolation) == ("student-01", 21, 21, "process")
    assert (course / "feedback/student-01/multihead.html").is_file()
    assert (grade.mark.points, grade.mark.max_points, grade.mark.passed) == (21, 21, True)


def test_errors_are_about_the_call(tmp_path, course):
    with pytest.raises(ValueError, match="there is no lesson 'softmax'"):
        check(SOLUTION, lesson="softmax")
    with pytest.raises(ValueError, match="there is no lesson 'softmax'"):
        verify("softmax")
    with pytest.raises(ValueError, match="there is no folder"):
        grade_course(tmp_path / "nowhere")
    with pytest.raises(ValueError, match="student-99"):
        grade_course(course, students=["student-99"])
    (course / "autograder.toml").write_text("colour = 1")
    with pytest.raises(ValueError, match="colour"):
        check(SOLUTION, course=course)


def test_the_proof_is_a_record():
    proof = Proof("multihead", True, "none", (Claim("so many", 1, 2, ("that one",)),),
                  (Matrix("split_heads", ("one",), frozenset({"one"}), {"a-mistake": frozenset({"one"})}),), {"n": "1"})
    assert not proof.holds
    assert msgspec.json.decode(msgspec.json.encode(proof), type=Proof) == proof


def test_the_package_lists_its_functions_and_has_no_others():
    assert autograder.__all__ == ["check", "grade_course", "verify"]
    assert all(getattr(autograder, name) is getattr(api, name) for name in autograder.__all__)
    with pytest.raises(AttributeError, match="no attribute 'grade'"):
        autograder.grade  # noqa: B018 - it is the access that fails


# --- the page about it ------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("function", [check, grade_course, verify])
def test_the_page_names_every_parameter(function):
    described = re.search(rf"^`{function.__name__}\((.*?)\)`", PAGE, re.MULTILINE | re.DOTALL)[1]
    assert set(re.findall(r"(?:^|, )\*?([a-z_]+)", described)) == set(inspect.signature(function).parameters)


@pytest.mark.parametrize("record", [records.Grade, records.Mark, records.ExerciseGrade, records.Verdict,
                                    records.Diagnosis, records.CellReport, Proof, Claim, Matrix],
                         ids=lambda record: record.__name__)
def test_the_page_names_every_field(record):
    row = re.search(rf"^\| `{record.__name__}` \| (.*) \|$", PAGE, re.MULTILINE)[1]
    assert set(record.__struct_fields__) <= set(re.findall(r"`(\w+)`", row))
