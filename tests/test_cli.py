"""The command line: what it prints where, and how it leaves."""
import json
import os
import signal
import subprocess
import sys
import time
import tomllib
from pathlib import Path
from types import ModuleType, SimpleNamespace

import by_hand
import pytest
from sampled import by_turns

import autograder
from autograder import cli
from autograder.proof import unfinished

ROOT = Path(__file__).parent.parent
PROGRAM = [sys.executable, str(ROOT / "tests" / "by_hand.py")]
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT)}


@pytest.fixture(autouse=True)
def course(tmp_path, monkeypatch):
    """An empty folder to work in, and the engine by hand."""
    for name, module in by_hand.modules().items():
        monkeypatch.setitem(sys.modules, name, module)
    monkeypatch.chdir(tmp_path)
    for name in ("ok.py", "fine.py", "unreadable.py", "broken.py", "explodes.py", "slow.py"):
        (tmp_path / name).write_text("")
    return tmp_path


def run(*arguments):
    return cli.run(list(arguments))


# --- exit codes ---------------------------------------------------------------------------------------------------

@pytest.mark.parametrize(("files", "code"), [
    (["ok.py"], 0), (["ok.py", "unreadable.py"], 1), (["unreadable.py", "broken.py"], 3), (["broken.py", "ok.py"], 3)])
def test_exit_code_says_how_the_worst_submission_went(files, code):
    assert run("check", *files) == code


def test_a_missing_file_is_a_submission_that_cannot_be_read_and_the_rest_is_graded(tmp_path):
    (tmp_path / "solution.py").write_text("def split_heads(x, heads): ...")
    command = [sys.executable, "-m", "autograder", "check", "nowhere.ipynb", "solution.py", "--json", "-"]
    done = subprocess.run(command, env=ENVIRONMENT, capture_output=True, text=True, cwd=tmp_path, check=False)
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert done.returncode == 1
    assert [(one["status"], one["points"]) for one in answers] == [("unreadable", None), ("graded", 0)]
    assert len(answers[0]["notices"]) == 1


def test_a_broken_verdict_in_a_graded_submission_is_exit_3():
    assert cli.exit_code([by_hand.with_verdict("broken")]) == 3


def test_low_marks_are_exit_0():
    assert cli.exit_code([by_hand.with_verdict("wrong")]) == 0


@pytest.mark.parametrize("arguments", [
    ["check"], ["check", "ok.py", "--seconds", "nan"], ["check", "ok.py", "--seconds", "0"],
    ["check", "ok.py", "--memory", "-1"], ["check", "ok.py", "--lang", "fr"], ["check", "ok.py", "--isolation", "some"],
    ["grade"], ["grade", "--jobs", "0"], ["demo", "--students", "0"], ["unknown"], ["--unknown"]])
def test_wrong_usage_is_exit_2_and_one_line(arguments, capsys):
    assert run(*arguments) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1


def test_without_a_command_there_is_help_and_exit_2(capsys):
    assert run() == 2
    assert "check" in capsys.readouterr().err


def test_an_exception_is_exit_3_and_one_line(capsys, monkeypatch):
    monkeypatch.delenv("AUTOGRADER_TRACEBACK", raising=False)
    assert run("check", "explodes.py") == 3
    assert capsys.readouterr().err == (
        "autograder: broken: RuntimeError: no more (AUTOGRADER_TRACEBACK=1 shows where)\n")


def test_the_traceback_is_there_when_asked_for(capsys, monkeypatch):
    monkeypatch.setenv("AUTOGRADER_TRACEBACK", "1")
    assert run("check", "explodes.py") == 3
    assert "Traceback" in capsys.readouterr().err


# --- the answer ---------------------------------------------------------------------------------------------------

def test_json_on_standard_output_is_all_there_is(capsys):
    assert run("check", "--json", "-", "ok.py", "unreadable.py") == 1
    out, err = capsys.readouterr()
    assert [json.loads(line)["status"] for line in out.splitlines()] == ["graded", "unreadable"]
    assert err == ""


def test_one_submission_has_its_table_and_no_summary(capsys):
    run("check", "--lang", "en", "ok.py")
    out = capsys.readouterr().out
    assert "17.5 / 20" in out
    assert "submissions graded" not in out


def test_several_submissions_end_with_a_summary(capsys):
    run("check", "--lang", "en", "ok.py", "fine.py")
    assert "2 of 2 submissions graded" in capsys.readouterr().out


def test_dutch_unless_told_otherwise(capsys):
    run("check", "ok.py")
    assert "totaal" in capsys.readouterr().out


def test_without_a_wall_the_answer_says_so(capsys):
    run("check", "--isolation", "none", "ok.py")
    assert "NOT ISOLATED" in capsys.readouterr().out
    run("check", "--isolation", "none", "--json", "-", "ok.py")
    assert json.loads(capsys.readouterr().out)["isolation"] == "none"


def test_options_reach_the_engine(monkeypatch):
    seen = []
    monkeypatch.setattr(by_hand.Engine, "__enter__", lambda engine: seen.append(engine.limits) or engine)
    run("check", "ok.py", "--seconds", "2.5", "--memory", "256", "--isolation", "process")
    assert seen == [by_hand.Limits(2.5, 256, "process")]


def test_paths_are_named_as_they_were_given(capsys):
    run("check", "--json", "-", "./ok.py")
    assert json.loads(capsys.readouterr().out)["submission"] == "./ok.py"


def test_a_course_is_graded_where_one_stands(course, capsys):
    for name in ("student-01", "student-02"):
        (course / "submitted" / name).mkdir(parents=True)
    assert run("grade", "--lang", "en", "--json", "out.jsonl", "--student", "student-02") == 0
    out = capsys.readouterr().out
    assert "1 submission graded" in out
    assert "The class on one page: report.html" in out
    assert "feedback/student-02/multihead.html" in out
    assert [json.loads(line)["student"] for line in Path("out.jsonl").read_text().splitlines()] == ["student-02"]


# --- the file for the answer --------------------------------------------------------------------------------------

def test_a_json_file_is_written_whole(course):
    assert run("check", "--json", "out.jsonl", "ok.py", "unreadable.py") == 1
    assert len(Path("out.jsonl").read_text().splitlines()) == 2
    assert not list(course.glob(".out.jsonl-*"))


def test_a_failure_loses_nothing_that_was_there(course):
    Path("out.jsonl").write_text("earlier\n")
    assert run("check", "--json", "out.jsonl", "ok.py", "explodes.py") == 3
    assert Path("out.jsonl").read_text() == "earlier\n"
    assert not list(course.glob(".out.jsonl-*"))


def test_a_link_stays_a_link():
    Path("real.jsonl").write_text("earlier\n")
    Path("link.jsonl").symlink_to("real.jsonl")
    assert run("check", "--json", "link.jsonl", "ok.py") == 0
    assert Path("link.jsonl").is_symlink()
    assert json.loads(Path("real.jsonl").read_text())["points"] == 17.5


def test_a_device_can_take_the_json():
    assert run("check", "--json", "/dev/null", "ok.py") == 0
    assert Path("/dev/null").is_char_device()


@pytest.mark.parametrize("target", ["nowhere/out.jsonl", ".", "ok.py/out.jsonl", "ok.py", ""])
def test_a_bad_target_is_found_out_before_anything_is_graded(target, capsys, monkeypatch):
    monkeypatch.setattr(by_hand.Engine, "grade", lambda *_: pytest.fail("graded all the same"))
    assert run("check", "--json", target, "ok.py") == 2
    assert capsys.readouterr().err.count("\n") == 1
    assert Path("ok.py").read_text() == ""


@pytest.mark.parametrize("target", ["work.json", "./work.json", "link.json", "hard.json"])
def test_a_target_that_is_a_submission_is_refused_before_anything_is_graded(target, capsys, monkeypatch):
    monkeypatch.setattr(by_hand.Engine, "grade", lambda *_: pytest.fail("graded all the same"))
    Path("work.json").write_text("work")
    Path("link.json").symlink_to("work.json")
    os.link("work.json", "hard.json")
    assert run("check", "ok.py", "work.json", "--json", target) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert "would be overwritten" in err
    assert Path("work.json").read_text() == "work"


@pytest.mark.parametrize("target", ["class/a.ipynb.txt", "class/a.IPYNB"])
def test_a_target_that_is_a_notebook_in_a_folder_is_refused(target, course):
    (course / "class").mkdir()
    Path(target).write_text("work")
    assert run("check", "class", "--json", target) == 2
    assert Path(target).read_text() == "work"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
def test_a_disk_that_is_full_is_exit_2_and_one_line(capsys):
    assert run("check", "--json", "/dev/full", "ok.py") == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert "cannot write /dev/full: No space left on device" in err


# --- the lesson itself --------------------------------------------------------------------------------------------

@pytest.fixture
def proof(monkeypatch):
    """What the proof of the lesson came to, and how it was asked for."""
    answer = SimpleNamespace(holds=True, asked=[])
    module = ModuleType("autograder.proof")
    module.verify = lambda lesson, limits, quick, progress: answer.asked.append((lesson.name, quick)) or answer
    module.render = lambda proof, table: "all mistakes" if table else "the claims"
    monkeypatch.setitem(sys.modules, "autograder.proof", module)
    return answer


def test_a_lesson_that_holds_is_exit_0(proof, capsys):
    assert run("verify") == 0
    assert proof.asked == [("multihead", False)]
    assert capsys.readouterr() == ("the claims\n", "")


def test_a_lesson_with_a_hole_is_exit_3_and_shown(proof, capsys):
    proof.holds = False
    assert run("verify", "--quick", "--table") == 3
    assert proof.asked == [("multihead", True)]
    assert capsys.readouterr() == ("all mistakes\n", "")


def test_a_demo_needs_a_folder_that_is_free(monkeypatch, capsys):
    module = ModuleType("autograder.authoring.demo")

    def make_class(folder, students, lesson, where):
        raise FileExistsError(f"{folder} is there already, with {students} students wanted")

    module.make_class = make_class
    monkeypatch.setitem(sys.modules, "autograder.authoring.demo", module)
    assert run("demo", "--students", "7", "here") == 2
    assert "here is there already, with 7 students wanted" in capsys.readouterr().err


def test_a_demo_is_graded_at_once(monkeypatch, capsys):
    module = ModuleType("autograder.authoring.demo")
    module.make_class = lambda folder, students, lesson, where: [
        (folder / "submitted" / f"student-{number:02}").mkdir(parents=True) for number in range(1, students + 1)]
    monkeypatch.setitem(sys.modules, "autograder.authoring.demo", module)
    assert run("demo", "--students", "3", "--lang", "en") == 0
    out = capsys.readouterr().out
    assert "3 of 3 submissions graded" in out
    assert "demo-class/feedback/student-01/multihead.html" in out


@pytest.fixture
def release(monkeypatch):
    """What takes the place of the release: it answers with the names that it was asked for."""
    asked = []
    module = ModuleType("autograder.authoring.release")

    def make(course, name):
        asked.append(name)
        return SimpleNamespace(folder=course / "release" / name, files=("multihead.ipynb",), points=20.0,
                               secret_lines=9)

    module.release = make
    monkeypatch.setitem(sys.modules, "autograder.authoring.release", module)
    monkeypatch.setitem(sys.modules, unfinished.__name__, unfinished)       # which wants the whole engine
    return asked


def test_a_release_says_what_was_released(release, course, capsys):
    (course / "assignments" / "multihead").mkdir(parents=True)
    assert run("release") == 0
    assert release == ["multihead"]
    assert capsys.readouterr().out == (
        "release/multihead: multihead.ipynb; 20 points; contains none of the 9 secret lines\n")


def test_a_message_of_clicks_loses_its_full_stop(capsys):
    assert run("package", "github") == 2
    said = capsys.readouterr().err
    assert " (see autograder package github --help)\n" in said
    assert ". (see" not in said


def test_a_release_that_leaks_is_refused_in_one_line(release, monkeypatch, capsys):
    def leaks(course, name):
        raise ValueError("line 3 of the solution is in the release")

    monkeypatch.setattr(sys.modules["autograder.authoring.release"], "release", leaks)
    assert run("release") == 2
    assert capsys.readouterr().err == (
        "autograder release: line 3 of the solution is in the release (see autograder release --help)\n")


def test_the_reference_gets_full_marks_from_the_real_engine():
    done = subprocess.run([sys.executable, "-m", "autograder", "check", "--json", "-", "solutions/multihead.py"],
                          cwd=ROOT, env=ENVIRONMENT, capture_output=True, text=True, check=True)
    grade = json.loads(done.stdout)
    assert (grade["status"], grade["points"], grade["student"]) == ("graded", 20, "multihead")


# --- the shell ----------------------------------------------------------------------------------------------------

def test_a_reader_that_leaves_ends_it_quietly(course):
    with subprocess.Popen([*PROGRAM, "check", *["ok.py"] * 2000], cwd=course, env=ENVIRONMENT,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as program:
        program.stdout.readline()
        program.stdout.close()
        assert program.stderr.read() == ""
        assert program.wait() == 141


@pytest.mark.parametrize(("number", "code", "says"), [(signal.SIGINT, 130, "stopped\n"), (signal.SIGTERM, 143, "")])
def test_a_signal_ends_it_cleanly(course, number, code, says):
    Path("out.jsonl").write_text("earlier\n")
    with subprocess.Popen([*PROGRAM, "check", "--json", "out.jsonl", "slow.py"], cwd=course, env=ENVIRONMENT,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as program:
        while not list(course.glob(".out.jsonl-*")):
            assert program.poll() is None, program.stderr.read()
            time.sleep(0.01)
        program.send_signal(number)
        assert program.stderr.read() == says
        assert program.wait() == code
    assert Path("out.jsonl").read_text() == "earlier\n"
    assert not list(course.glob(".out.jsonl-*"))


@pytest.mark.parametrize("closed", by_turns([">&-", "2>&-", "<&-", ">&- 2>&-", "<&- >&- 2>&-"], 4, 1))
@pytest.mark.parametrize(("arguments", "code"), [
    ("check ok.py", 0), *(pytest.param(*one, marks=pytest.mark.slow) for one in [
        ("check ok.py unreadable.py", 1), ("check", 2), ("check explodes.py", 3),
        ("check ok.py --json out.jsonl", 0)])])
def test_a_closed_stream_changes_no_exit_code(course, closed, arguments, code):
    done = subprocess.run(["sh", "-c", f'"$@" {closed}', "sh", *PROGRAM, *arguments.split()], cwd=course,
                          env=ENVIRONMENT, capture_output=True, text=True, check=False)
    assert done.returncode == code
    assert "Traceback" not in done.stderr
    assert "None" not in done.stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
def test_json_to_standard_output_on_a_full_disk_is_exit_2_and_one_line(course):
    with open("/dev/full", "wb") as full:
        done = subprocess.run([*PROGRAM, "check", "ok.py", "--json", "-"], cwd=course, env=ENVIRONMENT, stdout=full,
                              stderr=subprocess.PIPE, text=True, check=False)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)


def test_a_terminal_without_unicode_gets_question_marks(course):
    done = subprocess.run([*PROGRAM, "check", "ok.py"], cwd=course, env={**ENVIRONMENT, "PYTHONIOENCODING": "ascii"},
                          capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert "17.5 / 20" in done.stdout


def test_help_imports_nothing_heavy():
    code = ("import sys; from autograder.cli import run; assert run(['--help']) == 0; "
            "heavy = {'numpy', 'rich', 'nbgrader', 'jinja2', 'msgspec', 'IPython'}; print(heavy & set(sys.modules))")
    done = subprocess.run([sys.executable, "-c", code], env=ENVIRONMENT, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "set()"


def test_json_is_answered_without_what_draws_at_a_terminal(course):
    code = ("import sys, by_hand; from autograder.cli import run; sys.modules.update(by_hand.modules()); "
            "assert run(['check', '--json', '-', 'ok.py']) == 0; print({'rich', 'jinja2'} & set(sys.modules))")
    environment = {**ENVIRONMENT, "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "tests")])}
    done = subprocess.run([sys.executable, "-c", code], cwd=course, env=environment, capture_output=True, text=True,
                          check=True)
    assert done.stdout.splitlines()[-1] == "set()"


def test_the_version_is_the_one_of_the_package():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert autograder.__version__ == project["version"]
