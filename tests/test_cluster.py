"""A class on a Dask cluster: a real scheduler and workers on this machine's loopback, ended by their ids."""
from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from courses import class_of_roles, rows
from own_course import NAME, hand_in, solved
from waiting import HANGS, eventually

from autograder import cli
from autograder.course.settings import Settings
from autograder.faults import Stopped
from autograder.judge.checks_version import checks_version
from autograder.judge.engine import Limits
from autograder.lessons.installed import load_lesson
from autograder.run import dask_pool as cluster
from autograder.run.dask_pool import ClusterPool
from autograder.run.grade_course import grade_course
from autograder.run.job import Task

#: more than two workers have at hand at the same time, with little to judge; two files that nobody can read
ROLES = ("half_finished", "right", "cut_off", "half_finished", "stripped", "untouched", "renamed", "one_mistake",
         "prints_its_marks", "half_finished", "empty", "half_finished")
TASK = Task("multihead", Settings(), Limits())
ROWS = ("SELECT sa.student_id, c.name, g.auto_score, g.needs_manual_grade FROM grade g "
        "JOIN base_cell c ON c.id = g.cell_id JOIN submitted_notebook n ON n.id = g.notebook_id "
        "JOIN submitted_assignment sa ON sa.id = n.assignment_id")
COMMENTS = ROWS.replace("g.auto_score, g.needs_manual_grade FROM grade g", "g.auto_comment FROM comment g")


@contextmanager
def process(*arguments: str, folder: Path, **environment: str) -> Iterator[subprocess.Popen]:
    """A part of Dask's, in a group of its own that ends with the test."""
    with (folder / f"{time.monotonic_ns()}.log").open("wb") as log:
        started = subprocess.Popen([sys.executable, "-m", *arguments], cwd=folder, stdout=log, stderr=log,
                                   start_new_session=True,
                                   env={**os.environ, "DASK_DISTRIBUTED__DASHBOARD__LINK": "", **environment})
        try:
            yield started
        finally:
            with suppress(ProcessLookupError):
                os.killpg(started.pid, signal.SIGKILL)
            started.wait()


@contextmanager
def scheduler(folder: Path) -> Iterator[tuple[str, subprocess.Popen]]:
    """The address of a scheduler without workers, and its process."""
    file = folder / "scheduler.json"
    with process("distributed.cli.dask_scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard",
                 "--scheduler-file", str(file), folder=folder) as started:
        eventually(lambda: file.exists() and file.read_text().endswith("}"))
        yield json.loads(file.read_text())["address"], started


def worker(address: str, folder: Path, threads: int = 1, nanny: bool = True, **environment: str):
    return process("distributed.cli.dask_worker", address, "--nthreads", str(threads), "--nworkers", "1",
                   "--nanny" if nanny else "--no-nanny", "--no-dashboard", "--local-directory", str(folder),
                   folder=folder, **environment)


@pytest.fixture(scope="module")
def address(tmp_path_factory) -> Iterator[str]:
    """A scheduler with two workers, which may take their time."""
    folder = tmp_path_factory.mktemp("dask")
    with (pytest.MonkeyPatch.context() as patch, scheduler(folder) as (where, _), worker(where, folder, nanny=False),
          worker(where, folder, nanny=False)):
        patch.setattr(cluster, "CONNECT", HANGS)
        yield where


@pytest.fixture(scope="module")
def locally(tmp_path_factory) -> Path:
    """A class that was graded on this machine alone."""
    folder = tmp_path_factory.mktemp("class") / "local"
    class_of_roles(folder, ROLES)
    shutil.copytree(folder, folder.parent / "ungraded")
    grade_course(folder)
    return folder


@pytest.fixture
def course(locally, tmp_path) -> Path:
    """The same class, not graded yet."""
    return shutil.copytree(locally.parent / "ungraded", tmp_path / "course")


def same(one: Path, other: Path) -> None:
    """Both gradebooks and all that students see are equal."""
    for query in (ROWS, COMMENTS):
        assert rows(one / "gradebook.db", query) == rows(other / "gradebook.db", query)
    for folder in ("autograded", "feedback"):
        contents = [{path.relative_to(root): path.read_bytes() for path in (root / folder).rglob("*")
                     if path.is_file()} for root in (one, other)]
        assert contents[0] == contents[1]


@pytest.mark.slow
def test_a_killed_worker_costs_nothing_and_the_gradebook_is_that_of_the_local_pool(address, course, locally):
    workers: set[str] = set()
    killed: list[int] = []

    def watch(event, **facts):
        if event == "graded" and facts["judged"].worker:
            workers.add(facts["judged"].worker)
            if not killed:
                killed.append(int(facts["judged"].worker.partition(":")[2]))
                os.kill(killed[0], signal.SIGKILL)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("autograder.run.dispatch.AHEAD", 1)                   # so that most is still to be sent
        grades = grade_course(course, cluster=address, on_event=watch)
    assert len(grades) == len(ROLES)
    assert killed
    assert not any(worker.endswith(f":{os.getpid()}") for worker in workers)
    same(course, locally)


def test_the_command_takes_the_address(address, course, locally, monkeypatch, capsys):
    monkeypatch.chdir(course)
    assert cli.run(["grade", "--cluster", address, "--json", "grades.jsonl"]) == 1       # some files are damaged
    assert capsys.readouterr().err == ""
    assert len((course / "grades.jsonl").read_text().splitlines()) == len(ROLES)
    same(course, locally)


def test_a_lesson_of_the_course_travels_to_workers_that_do_not_have_it(address, course_with_lesson):
    elsewhere: dict[str, str] = {}

    def watch(event, **facts):
        if event == "graded":
            elsewhere[facts["judged"].worker] = facts["judged"].source
    hand_in(course_with_lesson, "student-01", solved(course_with_lesson))
    [grade] = grade_course(course_with_lesson, lesson=NAME, cluster=address, on_event=watch)
    assert list(elsewhere.values()) == ["judged"]
    assert not next(iter(elsewhere)).endswith(f":{os.getpid()}")
    assert (grade.points, grade.checks) == (10, checks_version(load_lesson(NAME, course_with_lesson)))


@pytest.mark.parametrize("where", ["tcp://127.0.0.1:1", "nonsense", "foo://127.0.0.1:8786", "127.0.0.1:999999", "",
                                   "file.json"])
def test_an_address_where_no_scheduler_is_costs_one_line(course, monkeypatch, capsys, where):
    monkeypatch.setattr(cluster, "CONNECT", 1.0)
    monkeypatch.chdir(course)
    Path("file.json").write_text('["no address"]')
    before = set(threading.enumerate())
    assert cli.run(["grade", "--cluster", where]) == 3
    assert not set(threading.enumerate()) - before              # a client left behind holds up whoever comes next
    said = capsys.readouterr().err.splitlines()
    assert len(said) == 1
    assert said[0].startswith(f"autograder: there is no Dask scheduler at {where}")
    assert not (course / "gradebook.db").exists()


@pytest.mark.integration
def test_a_scheduler_that_vanishes_loses_nothing(tmp_path, course, locally, monkeypatch, capsys):
    monkeypatch.setattr(cluster, "AWAY", 1.0)
    monkeypatch.setattr("autograder.run.dispatch.AHEAD", 1)
    monkeypatch.setenv("DASK_DISTRIBUTED__COMM__TIMEOUTS__CONNECT", "2s")
    done = []
    with scheduler(tmp_path) as (where, started), worker(where, tmp_path):
        def watch(event, **facts):
            if event == "graded" and facts["judged"].worker:
                done.append(facts["judged"].submission.student)
                started.kill()
        with pytest.raises(Stopped, match="scheduler .*(gone|lost).*kept"):
            grade_course(course, cluster=where, on_event=watch)
    assert 0 < len(done) < len(ROLES) - 2
    sources = {}
    grade_course(course, on_event=lambda event, **facts: sources.update(
        {facts["judged"].submission.student: facts["judged"].source} if event == "graded" else {}))
    assert all(sources[student] == "known" for student in done)
    same(course, locally)


def test_other_versions_on_a_worker_are_refused_in_one_line(address, monkeypatch):
    monkeypatch.setattr("numpy.__version__", "1.0")
    with pytest.raises(Stopped, match=r"^the worker at tcp://\S+ has numpy \S+ instead of 1.0; install the same"):
        ClusterPool(TASK, address).__enter__()


@pytest.mark.integration
def test_workers_behind_different_walls_are_refused(address, tmp_path):
    with worker(address, tmp_path, PYTHONPATH=_first_on_path(_with_another_wall(tmp_path))):
        _wait_for_workers(address, 3)
        with pytest.raises(Stopped, match=r"has isolation \w+ instead of \w+ at tcp.*--isolation"):
            ClusterPool(TASK, address).__enter__()
    _wait_for_workers(address, 2)


@pytest.mark.integration
def test_a_worker_without_the_autograder_is_named(tmp_path):
    (tmp_path / "autograder.py").write_text("")             # stands in the way of the package
    with (scheduler(tmp_path) as (where, _), worker(where, tmp_path, PYTHONPATH=_first_on_path(tmp_path)),
          pytest.raises(Stopped, match=r"the worker at tcp://\S+ has no autograder.*install")):
        ClusterPool(TASK, where).__enter__()


@pytest.mark.integration
def test_a_worker_with_several_threads_judges_one_submission_at_a_time(tmp_path, course, locally):
    told = []
    with scheduler(tmp_path) as (where, _), worker(where, tmp_path, threads=3):
        grade_course(course, cluster=where, on_event=lambda event, **facts: told.append(facts.get("message")))
    assert [words for words in told if words] == [
        *[words for words in told if words and "has no workers" in words],
        "some workers have several threads, of which only one is used: start them with --nthreads 1"]
    same(course, locally)


def test_a_cluster_without_dask_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(Stopped, match=r"pip install 'multihead-autograder\[cluster\]'"):
        ClusterPool(TASK, "tcp://127.0.0.1:1").__enter__()


def _with_another_wall(folder: Path) -> Path:
    """A folder whose sitecustomize makes `auto` settle for less, as on a machine without user namespaces."""
    (folder / "site").mkdir()
    (folder / "site" / "sitecustomize.py").write_text(
        "import autograder.sandbox.tiers as tiers\n"
        "tiers._outer = lambda: (None, 'not on this machine')\n")
    return folder / "site"


def _first_on_path(folder: Path) -> str:
    return os.pathsep.join(filter(None, [str(folder), os.environ.get("PYTHONPATH", "")]))


def _wait_for_workers(address: str, number: int) -> None:
    from distributed import Client
    with Client(address, set_as_default=False) as client:
        eventually(lambda: len(client.nthreads()) == number)
