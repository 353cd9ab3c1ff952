"""The judge's own faults while a class is graded: the run goes on or stops with a line, and the next one completes it.

Whatever is killed, full or missing, nobody gets a mark by it, and no process and no temporary file is left.
"""
from __future__ import annotations

import os
import shlex
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from courses import class_of_roles, rows
from stores import kept
from test_gradebook import COMMENTS, GRADES
from test_wall import descendants, gone
from waiting import HANGS, eventually

from autograder import cli
from autograder.cli.common import BROKEN, DONE

REPOSITORY = Path(__file__).parents[1]
#: two for each of the processes that judge, and little to judge
ROLES = ("half_finished", "right", "stripped", "untouched", "one_mistake", "half_finished")
#: the command, with two processes that judge even so small a class
RUN = ("from autograder import cli; from autograder.run import local_pool\nlocal_pool.SHARE = 1\n"
       "if __name__ == '__main__': cli.main()")
ROOT = pytest.mark.skipif(os.geteuid() != 0 or not shutil.which("unshare"), reason="only root can mount")


@pytest.fixture(scope="session")
def untouched(made_once) -> Path:
    """A class that nobody has graded."""
    return made_once("faults", lambda folder: class_of_roles(folder / "course", ROLES)) / "course"


@pytest.fixture
def course(untouched: Path, tmp_path: Path) -> Path:
    (tmp_path / "tmp").mkdir()
    return shutil.copytree(untouched, tmp_path / "course")


@pytest.fixture(scope="session")
def undisturbed(untouched: Path, computed_once) -> dict[str, object]:
    """What is there after a run in which nothing happened."""
    def compute(folder: Path) -> dict[str, object]:
        course = shutil.copytree(untouched, folder / "course")
        complete(course)
        return results(course)
    return computed_once("undisturbed-by-faults", compute)


def complete(course: Path) -> None:
    """A run in this process, whose engine is warm; nothing happens to it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(course)
        assert cli.run(["grade", "--jobs", "1", "--lang", "en"]) == DONE


def started(course: Path, *before: str) -> subprocess.Popen[str]:
    environment = {**os.environ, "PYTHONPATH": str(REPOSITORY), "TMPDIR": str(course.parent / "tmp")}
    return subprocess.Popen([*before, sys.executable, "-c", RUN, "grade", "--jobs", "2", "--lang", "en"], cwd=course,
                            env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)


def graded(course: Path, *before: str) -> tuple[int, str]:
    """The exit code, and what stands on standard error."""
    run = started(course, *before)
    _, said = run.communicate(timeout=HANGS)
    return run.returncode, said


def results(course: Path) -> dict[str, object]:
    """The rows of the gradebook, every autograded notebook, and the names of all files."""
    files = sorted(str(path.relative_to(course)) for path in course.rglob("*")
                   if path.is_file() and "__pycache__" not in path.parts)
    return {"grades": rows(course / "gradebook.db", GRADES), "comments": rows(course / "gradebook.db", COMMENTS),
            "notebooks": {path.parts[-3]: path.read_bytes() for path in course.glob("autograded/*/*/*.ipynb")},
            "files": set(files)}


def while_grading(course: Path) -> tuple[subprocess.Popen[str], set[int]]:
    """A run of which some students are finished, and all of its processes."""
    run = started(course)
    eventually(lambda: kept(course) >= 2, lambda: run.poll() is not None and run.stderr.read())
    return run, descendants(run.pid)


def of(family: set[int], words: str) -> list[int]:
    """Those whose command holds these words."""
    found = []
    for pid in sorted(family):
        try:
            line = Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode()
        except OSError:
            continue
        found += [pid] if words in line else []
    return found


def kill(pids: list[int]) -> None:
    for pid in pids:
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            continue


def assert_clean_end(run: subprocess.Popen[str], family: set[int], course: Path) -> None:
    _, said = run.communicate(timeout=HANGS)
    assert run.returncode in (DONE, BROKEN), said
    assert "Traceback" not in said
    assert len(said.splitlines()) <= (1 if run.returncode == BROKEN else 2), said
    assert_nothing_left(family, course)


def assert_nothing_left(family: set[int], course: Path) -> None:
    assert gone(family)
    assert list((course.parent / "tmp").iterdir()) == []


# --- something is killed ------------------------------------------------------------------------------------------

@pytest.mark.parametrize("how_many", [pytest.param(1, marks=pytest.mark.integration),
                                      pytest.param(2, marks=pytest.mark.slow)])
def test_a_worker_process_that_is_killed_costs_time_only(course: Path, undisturbed: dict[str, object],
                                                         how_many: int) -> None:
    run, family = while_grading(course)
    workers = of(family, "multiprocessing.spawn")
    assert len(workers) == 2
    kill(workers[:how_many])
    assert_clean_end(run, family, course)
    complete(course)
    assert results(course) == undisturbed


@pytest.mark.slow
def test_all_processes_end_with_the_command_and_the_next_run_completes_it(course: Path,
                                                                          undisturbed: dict[str, object]) -> None:
    run, family = while_grading(course)
    run.kill()
    run.communicate(timeout=HANGS)
    assert len(family) > 4
    assert_nothing_left(family, course)
    complete(course)
    assert results(course) == undisturbed


@pytest.mark.slow
def test_zygotes_that_are_killed_again_and_again_never_cost_a_mark(course: Path,
                                                                   undisturbed: dict[str, object]) -> None:
    run, family = while_grading(course)
    for _ in range(8):
        now = descendants(run.pid)
        family |= now
        kill(of(now, "autograder.sandbox.inside.zygote"))
        time.sleep(0.2)
    assert_clean_end(run, family, course)
    if run.returncode == BROKEN:
        assert all(row in undisturbed["grades"] or row[2] is None for row in rows(course / "gradebook.db", GRADES))
    complete(course)
    assert results(course) == undisturbed


# --- something is full or missing ---------------------------------------------------------------------------------

def on_a_small_disk(course: Path, kilobytes: int) -> list[str]:
    """A command's beginning: the course lies on a disk with that much room, from which it is copied back in the end."""
    place = shlex.quote(str(course))
    return ["unshare", "--mount", "sh", "-c", " && ".join([
        "mount --make-rprivate /", f"cp -a {place} {place}.copy", f"mount -t tmpfs -o size={kilobytes}k small {place}",
        f"cp -a {place}.copy/. {place}", f"cd {place}"])
        + f'; "$@"; code=$?; rm -rf {place}.copy; cp -a {place} {place}.copy; exit $code', "sh"]


@pytest.fixture(scope="module")
def size(untouched: Path) -> int:
    """Kilobytes of the class, as a disk counts them."""
    return sum(4 * -(-path.stat().st_size // 4096) + 4 for path in untouched.rglob("*"))


@ROOT
@pytest.mark.parametrize("room", [pytest.param(60, marks=pytest.mark.integration),
                                  pytest.param(400, marks=pytest.mark.slow)])
def test_a_full_disk_stops_the_run_and_the_next_one_completes_it(course: Path, undisturbed: dict[str, object],
                                                                 size: int, room: int) -> None:
    code, said = graded(course, *on_a_small_disk(course, size + room))
    assert (code, len(said.splitlines())) == (BROKEN, 1), said
    assert "Traceback" not in said
    shutil.rmtree(course)
    Path(f"{course}.copy").rename(course)
    complete(course)
    assert results(course) == undisturbed


@ROOT
@pytest.mark.integration
def test_a_folder_for_temporary_files_is_not_needed(course: Path, undisturbed: dict[str, object]) -> None:
    place = shlex.quote(str(course))
    setting = " && ".join(["mount --make-rprivate /", "mount --bind /tmp /tmp", "mount -o remount,ro,bind /tmp",
                           "mount -t tmpfs -o ro nothing /var/tmp", f"mount --bind {place} {place}",
                           f"mount -o remount,rw,bind {place}", f"cd {place}"])
    assert graded(course, "unshare", "--mount", "sh", "-c", f'{setting} && "$@"', "sh") == (DONE, "")
    assert results(course) == undisturbed


@pytest.mark.parametrize("descriptors", [pytest.param(8, marks=pytest.mark.slow),
                                         pytest.param(16, marks=pytest.mark.integration)])
def test_a_lack_of_descriptors_never_costs_a_mark(course: Path, undisturbed: dict[str, object],
                                                  descriptors: int) -> None:
    code, said = graded(course, "sh", "-c", f'ulimit -n {descriptors}; "$@"', "sh")
    assert code in (DONE, BROKEN), said
    assert "Traceback" not in said
    complete(course)
    assert results(course) == undisturbed

