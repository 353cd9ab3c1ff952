"""Every command works with a lesson of the course's own, as with one that is installed."""
from __future__ import annotations

import io
import json
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from courses import run_nbgrader
from own_course import NAME, hand_in, solved

from autograder import api, cli
from autograder.course.folder import Course
from autograder.judge.checks_version import checks_version
from autograder.lessons.installed import load_lesson, to_carry
from autograder.lessons.trust import distrust


@pytest.fixture
def course(course_with_lesson) -> Path:
    return course_with_lesson


def run(*arguments: str) -> int:
    return cli.run([*map(str, arguments)])


def test_check_grades_a_notebook_of_the_lesson(course, capsys):
    (course / f"{NAME}.ipynb").write_bytes(solved(course))
    assert run("check", f"{NAME}.ipynb", "--json", "-") == 0
    assert json.loads(capsys.readouterr().out)["points"] == 10
    [grade] = api.check(f"{NAME}.ipynb", course=course)
    assert (grade.lesson, grade.points) == (NAME, 10)


def test_grade_and_release_and_export_and_report(course, capsys):
    assert run("release") == 0
    assert capsys.readouterr().out.startswith(
        f"release/{NAME}: {NAME}.ipynb, slips.py, examples.py, selfcheck.py; 10 points; contains none of the ")
    hand_in(course, "student-01", solved(course))
    hand_in(course, "student-02", (course / "release" / NAME / f"{NAME}.ipynb").read_bytes())
    assert run("grade") == 0
    capsys.readouterr()
    assert run("export", "--format", "csv", "--output", "-") == 0
    rows = capsys.readouterr().out.splitlines()
    assert "10" in rows[1]
    assert (course / f"report-{NAME}.html").is_file()
    page = (course / "feedback" / "student-01" / f"{NAME}.html").read_text()
    assert "layer_norm_backward" in page
    assert (course / "autograded" / "student-01" / NAME / f"{NAME}.ipynb").is_file()


def test_a_release_in_which_the_lesson_is_solved_is_refused(course, capsys):
    path = course / "assignments" / NAME / f"{NAME}.ipynb"
    notebook = json.loads(path.read_text())
    cell = next(cell for cell in notebook["cells"] if cell["metadata"].get("nbgrader", {}).get("grade_id") == "given")
    cell["source"] = "import numpy as np\n\n\ndef norm(x, gain, bias, eps):\n    d = x - x.mean(-1, keepdims=True)\n" \
                     "    return gain * d / np.sqrt((d * d).mean(-1, keepdims=True) + eps) + bias, {}\n"
    path.write_text(json.dumps(notebook))
    parameters = load_lesson(NAME, course).exercises[0].telling
    assert parameters is not None
    assert run("release") == 2
    assert "norm computes layer_norm, which students have to write" in capsys.readouterr().err


@pytest.mark.slow
def test_points_of_the_settings_are_those_of_the_lesson(course, capsys):
    (course / "autograder.toml").write_text(f"[lessons.{NAME}.points]\nlayer_norm = 8\n")
    assert run("release") == 0
    assert "; 14 points; " in capsys.readouterr().out
    (course / "work.py").write_bytes((course / "solutions" / f"{NAME}.py").read_bytes())
    assert run("check", "work.py", "--json", "-") == 0
    assert json.loads(capsys.readouterr().out)["points"] == 14


def test_several_processes_grade_the_lesson(course):
    from autograder.run.grade_course import the_class
    from autograder.run.job import Task, about, introduce, pack, unpack_introduction
    hand_in(course, "student-01", solved(course))
    whole = the_class(course, lesson=NAME)
    assert unpack_introduction(introduce(pack(whole.task))).about == about(whole.task, whole.task.limits.wall[0])
    far = Task(NAME, whole.task.settings, whole.task.limits, to_carry(whole.lesson))
    assert about(far, "none") == about(whole.task, "none")


@pytest.mark.slow
def test_verify_proves_the_copy(course, capsys):
    assert run("verify", "--quick") == 0
    assert capsys.readouterr().out.startswith(f"{NAME}: a quick part of the proof holds")


@pytest.mark.slow
def test_a_demo_has_the_lesson_with_it(course, capsys):
    assert run("demo", "class", "--students", "3") in (0, 1)
    assert (course / "class" / "lessons" / NAME / "lesson.py").is_file()
    assert (course / "class" / f"report-{NAME}.html").is_file()
    assert run("demo", "class", "--students", "3") in (0, 1)              # replaces its own


GRADED = """
import sys
sys.path.insert(0, sys.argv[1])
from autograder.integrations.run import main
sys.exit(main(["gradescope", sys.argv[2], "--lesson", sys.argv[3]]))
"""


@pytest.mark.slow
def test_a_package_has_the_lesson_in_its_wheel(course, tmp_path, capsys):
    assert run("package", "gradescope", "--output", "grader.zip") == 0
    with zipfile.ZipFile("grader.zip") as archive:
        (wheel,) = [name for name in archive.namelist() if name.endswith(".whl")]
        with zipfile.ZipFile(io.BytesIO(archive.read(wheel))) as inner:
            inner.extractall(tmp_path / "site")
    root = tmp_path / "gradescope"
    (root / "submission").mkdir(parents=True)
    (root / "submission" / f"{NAME}.ipynb").write_bytes(solved(course))
    done = subprocess.run([sys.executable, "-I", "-c", GRADED, tmp_path / "site", root, NAME], cwd=root, check=False,
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stderr.rstrip().endswith(f"checks {checks_version(load_lesson(NAME, course))}")
    assert sum(test["score"] for test in json.loads((root / "results" / "results.json").read_text())["tests"]) == 10


def asked(monkeypatch, capsys, course: str) -> dict:
    """What the process that nbgrader's own kernel starts answers about the reference."""
    from autograder.nbgrader import kernel
    monkeypatch.setattr(sys, "stdin", io.StringIO(json.dumps({
        "exercise": "layer_norm", "sources": [Path("solutions", f"{NAME}.py").read_text()], "course": course})))
    kernel.main()
    return json.loads(capsys.readouterr().out)


def test_the_kernel_of_nbgrader_comes_to_the_points_of_the_course(course, monkeypatch, capsys):
    (course / "autograder.toml").write_text(f"[lessons.{NAME}.points]\nlayer_norm = 8\n")
    assert asked(monkeypatch, capsys, str(course))["points"] == {"layer_norm": 8, "layer_norm_backward": 6}
    (course / "autograder.toml").unlink()
    distrust(course)
    assert asked(monkeypatch, capsys, str(course))["points"] == {"layer_norm": 4, "layer_norm_backward": 6}


def test_the_kernel_finds_the_course_by_its_lessons(course, monkeypatch):
    from autograder.nbgrader import kernel
    (course / "autograder.toml").unlink()
    place = course / "autograded" / "student-01" / NAME
    place.mkdir(parents=True)
    monkeypatch.chdir(place)
    assert kernel._course() == str(course)


@pytest.mark.slow
def test_the_button_of_the_formgrader_grades_with_the_lesson(course):
    from nbgrader.api import Gradebook
    from nbgrader.converters import Autograde, GenerateFeedback
    assert run("release") == 0
    hand_in(course, "student-01", solved(course))
    there = Course.find(course)
    assert run_nbgrader(Autograde, there, assignment=NAME) == []
    with Gradebook(there.db_url, there.course_id) as gradebook:
        assert gradebook.find_submission(NAME, "student-01").score == 10
    run_nbgrader(GenerateFeedback, there, assignment=NAME)
    assert "srcdoc" in (course / "feedback" / "student-01" / NAME / f"{NAME}.html").read_text()


@pytest.mark.slow
def test_pytest_has_an_item_for_each_check_of_the_lesson(course):
    (course / "student-01.py").write_bytes((course / "solutions" / f"{NAME}.py").read_bytes())
    options = ["-p", "no:cacheprovider", "--submission=student-01.py", f"--submission-lesson={NAME}", "-q"]
    done = subprocess.run([sys.executable, "-m", "pytest", *options], cwd=course, check=False, capture_output=True,
                          text=True)
    assert done.returncode == 0, done.stdout
    assert f"{sum(len(one.checks) for one in load_lesson(NAME, course).exercises)} passed" in done.stdout


def test_new_parts_are_made_in_the_course_and_are_unfinished(course, capsys):
    assert run("new", "exercise", "rms_norm", "--parameters", "x, gain, eps") == 0
    assert run("new", "check", "layer_norm", "zero-gain") == 0
    assert run("new", "mistake", "layer_norm", "gain-halved") == 0
    assert f"new     lessons/{NAME}/checks/rms_norm.py" in capsys.readouterr().out
    assert not (course / "autograder").exists()
    assert not (course / "tests").exists()                  # one test finds every part, where there is one
    assert run("verify") == 3
    said = capsys.readouterr().out
    for words in (f"solutions/{NAME}.py: write rms_norm",
                  f"lessons/{NAME}/checks/layer_norm.py: the check zero-gain is worth nothing",
                  f"lessons/{NAME}/mistakes/layer_norm.py: the mistake gain-halved says TODO",
                  f"assignments/{NAME}-en/{NAME}.ipynb: these cells say TODO"):
        assert words in said


def test_an_exercise_that_calls_an_earlier_one_says_so(course):
    (course / "solutions" / "steps.py").write_text(
        "def first(x):\n    return x\n\n\ndef second(x):\n    return first(x)\n\n\ndef third(x):\n"
        "    return first(second(x))\n")
    assert run("new", "lesson", "steps") == 0
    first, second, third = load_lesson("steps", course).exercises
    assert (first.stand_ins, first.proxied) == ((), ())
    assert (second.stand_ins, second.proxied) == (("first",), ("first",))
    assert (third.stand_ins, third.proxied) == (("first", "second"), ("first", "second"))
    path = course / "solutions" / "steps.py"
    path.write_text(path.read_text() + "\n\ndef fourth(x):\n    return second(x)\n")
    assert run("new", "exercise", "fourth", "--lesson", "steps") == 0
    assert load_lesson("steps", course).exercises[-1].stand_ins == ("second",)


def test_a_function_that_the_solution_has_already_is_the_exercise(course):
    path, notebook = course / "solutions" / f"{NAME}.py", course / "assignments" / f"{NAME}-en" / f"{NAME}.ipynb"
    path.write_text(path.read_text() + '\n\ndef hard(a, b=2):\n    """Add two numbers."""\n    return a + b\n')
    before = path.read_text()
    assert run("new", "exercise", "hard", "--points", "2") == 0
    assert path.read_text() == before
    assert load_lesson(NAME, course).exercises[-1].name == "hard"
    [cell] = [cell for cell in json.loads(notebook.read_text())["cells"] if "def hard(" in "".join(cell["source"])]
    for line in ("def hard(a, b=2):", '"""Add two numbers."""', "return a + b"):
        assert line in "".join(cell["source"])


@pytest.mark.parametrize("written", ["hard = abs", "from operator import neg as hard", "class hard: pass",
                                     "if True:\n    def hard(a): return a"])
def test_a_name_that_the_solution_has_otherwise_is_not_written_over(course, capsys, written):
    path = course / "solutions" / f"{NAME}.py"
    path.write_text(f"{path.read_text()}\n\n{written}\n")
    before = path.read_text()
    assert run("new", "exercise", "hard") == 2
    assert f"solutions/{NAME}.py has hard already, but not as a function that begins" in capsys.readouterr().err
    assert path.read_text() == before


@pytest.mark.parametrize(("arguments", "said"), [
    (["mistake", "split_heads", "x", "--lesson", "multihead"],
     f"multihead is not a lesson of this course; its own are: {NAME}"),
    (["lesson", NAME], f"there is already a lesson '{NAME}'"),
    (["lesson", "Bad"], "'Bad' cannot be the name of a lesson"),
    (["lesson", "half"], "solutions/half.py, line 1: "), (["lesson", "none"], "has no function for students to write"),
    (["lesson", "x" * 61], "at most 60 characters"),
    (["lesson", "sum"], "'sum' cannot be the name of an exercise: the rest of a notebook needs what is called so"),
    (["exercise", "np"], "'np' cannot be the name of an exercise"),
    (["lesson", "random"], ""), (["lesson", "multihead"], "")])
def test_what_a_course_cannot_get_is_one_line(course, capsys, arguments, said):
    (course / "solutions" / "half.py").write_text("def half(\n")
    (course / "solutions" / "none.py").write_text("def _private():\n    pass\n")
    assert run("new", *arguments) == (2 if said else 0)
    line = capsys.readouterr().err
    assert said in line
    assert line.count("\n") == bool(said)
