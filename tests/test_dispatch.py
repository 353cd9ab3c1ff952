"""Each submission gets its grade from where it is cheapest, and a worker that dies costs time and nothing else."""
from __future__ import annotations

import errno
import os
import signal
from concurrent.futures import BrokenExecutor, Future

import msgspec
import pytest
from courses import LESSON
from damage import honest
from notebooks import data
from test_hook import wrong

from autograder.course.settings import Settings
from autograder.course.store import Store
from autograder.faults import Stopped
from autograder.intake import read_bytes
from autograder.judge.engine import Limits
from autograder.records import Cell, Grade, Submission, text
from autograder.run import dispatch, local_pool
from autograder.run.dispatch import Dispatcher, Judged
from autograder.run.job import About, Done, Job, Task, Unsuitable, about, judge, pack
from autograder.run.local_pool import LocalPool

TASK = Task("multihead", Settings(), Limits(isolation="none"))
DEADLY = "import ctypes"


class FakePool:
    """Answers when it is looked at. A submission with deadly code takes all that are under way down with it."""

    about = About("1", "checks", "3.11", "2.4", "none")
    size, lost = 2, BrokenExecutor

    def __init__(self) -> None:
        self.jobs: list[Submission] = []
        self.broken = False
        self._pending: list[tuple[Future[bytes], Submission]] = []

    def submit(self, job: bytes) -> Future[bytes]:
        if self.broken:
            raise BrokenExecutor
        future: Future[bytes] = Future()
        submission = msgspec.msgpack.decode(job, type=Job).submission
        self.jobs.append(submission)
        self._pending.append((future, submission))
        return future

    def renew(self) -> None:
        self.broken = False

    def check(self) -> None:
        pending, self._pending = self._pending, []
        self.broken = any(cell.source == DEADLY for _, submission in pending for cell in submission.cells)
        for future, submission in pending:
            if self.broken:
                future.set_exception(BrokenExecutor())
            else:
                future.set_result(pack(Done(_grade(submission), "host:1")))


def _grade(submission: Submission) -> Grade:
    return Grade(submission.name, submission.student, "multihead", "graded", float(len(submission.key)), 20.0,
                 notices=(*submission.notices, text("said while it ran")), checks="checks", seconds=0.25,
                 key=submission.key)


def work(student: str, source: str = "x = 1", index: int = 0, **more) -> Submission:
    return Submission(f"{student}/multihead/multihead.ipynb", student, "multihead", (Cell(index, source),),
                      key=more.pop("key", source), **more)


@pytest.fixture
def pool(monkeypatch) -> FakePool:
    monkeypatch.setattr(dispatch, "LOOK", 0)
    return FakePool()


@pytest.fixture
def store(tmp_path):
    with Store(tmp_path, "multihead", "checks", "none") as opened:
        yield opened


def run(pool: FakePool, store: Store, *submissions: Submission, force: bool = False, told=None) -> list[Judged]:
    found = []
    for one in Dispatcher(pool, TASK, store, force, told=(told if told is not None else []).append
                          ).judged(submissions):
        store.add(one.grade, one.submission)
        found.append(one)
    return sorted(found, key=lambda one: one.submission.student)


# --- whose work it is ---------------------------------------------------------------------------------------------

def test_a_worker_never_learns_whose_work_it_is(pool, store):
    run(pool, store, work("student-01", notices=(text("repaired"),), language="nl"))
    assert pool.jobs == [Submission("", "", "multihead", (Cell(0, "x = 1"),), key="x = 1")]


def test_what_fails_meanwhile_is_no_fault_of_the_submission_under_way(pool, store):
    def failing() -> None:
        raise ZeroDivisionError
    with pytest.raises(ZeroDivisionError):
        next(Dispatcher(pool, TASK, store, meanwhile=failing).judged([work("student-01")]))


def test_the_same_work_is_judged_once_while_it_is_under_way(pool, store):
    first, second = run(pool, store, work("student-01"), work("student-02"))
    assert len(pool.jobs) == 1
    assert (first.source, first.copy_of, second.source, second.copy_of) == ("judged", "", "copied", "student-01")


@pytest.mark.parametrize("force", [False, True])
def test_the_same_work_is_judged_once_in_a_run(pool, store, force):
    others = [work(f"student-{number:02}", f"x = {number}") for number in range(2, 60)]
    found = run(pool, store, work("student-01"), *others, work("student-99"), force=force)
    assert len(pool.jobs) == 59
    assert found[-1].copy_of == "student-01"


def test_a_copy_is_graded_like_any_other_submission(pool, store):
    notices = (text("repaired"), text("renamed"))
    first, second = run(pool, store, work("student-01", notices=notices[:1], language="nl"),
                        work("student-02", notices=notices[1:], language="en"))
    assert first.grade.notices == (text("repaired"), text("said while it ran"))
    alone = run(FakePool(), store, work("student-02", notices=notices[1:], language="en"), force=True)
    assert second.grade == alone[0].grade


def test_the_same_cells_in_other_places_are_judged_by_themselves(pool, store):
    run(pool, store, work("student-01"), work("student-02", index=4))
    assert len(pool.jobs) == 2


def test_what_was_judged_before_is_not_judged_again_unless_it_must_be(pool, store):
    run(pool, store, work("student-01"))
    assert [one.source for one in run(pool, store, work("student-01"))] == ["known"]
    assert [one.source for one in run(pool, store, work("student-01"), force=True)] == ["judged"]
    assert len(pool.jobs) == 2


def test_notices_about_an_earlier_file_do_not_come_back(pool, store):
    run(pool, store, work("student-01", notices=(text("renamed"),)))
    [again] = run(pool, store, work("student-01"))
    assert again.grade.notices == (text("said while it ran"),)


def test_what_cannot_be_read_needs_no_worker(pool, store):
    [one] = run(pool, store, work("student-01", key="", unreadable=text("empty")))
    assert (one.grade.status, one.grade.points, one.grade.notices, pool.jobs) == (
        "unreadable", None, (text("empty"),), [])


def test_only_so_many_are_read_ahead(pool, store):
    read, most = [], []

    def class_of(number):
        for index in range(number):
            read.append(index)
            yield work(f"student-{index:03}", f"x = {index % 50}")
    for done, one in enumerate(Dispatcher(pool, TASK, store).judged(class_of(500)), start=1):
        store.add(one.grade, one.submission)
        most.append(len(read) - done)
    assert done == 500
    assert max(most) <= (dispatch.WAITING + 1) * dispatch.AHEAD * pool.size


# --- workers that die ---------------------------------------------------------------------------------------------

def test_a_submission_that_ends_its_worker_twice_is_broken_and_not_the_run(pool, store):
    told: list[str] = []
    found = run(pool, store, *(work(f"student-{number:02}", f"x = {number}") for number in range(1, 6)),
                work("student-06", DEADLY), *(work(f"student-{number:02}", f"x = {number}") for number in range(7, 30)),
                told=told)
    assert [one.grade.status for one in found if one.submission.student != "student-06"] == ["graded"] * 28
    broken = found[5].grade
    assert (broken.student, broken.status, broken.points) == ("student-06", "broken", None)
    assert {verdict.verdict for exercise in broken.exercises for verdict in exercise.verdicts} == {"broken"}
    assert "died" in told[0]
    assert "student-06 ended its worker process twice" in told[1]


def test_copies_of_what_ends_workers_end_no_more_of_them(pool, store):
    told: list[str] = []
    found = run(pool, store, work("student-01", DEADLY), work("student-02", DEADLY),
                *(work(f"student-{number:02}", f"x = {number}") for number in range(3, 40)), work("student-40", DEADLY),
                told=told)
    assert [one.submission.student for one in found if one.grade.status == "broken"] == [
        "student-01", "student-02", "student-40"]
    assert len(told) == 2


def test_workers_that_all_die_stop_the_run(pool, store):
    with pytest.raises(Stopped, match="10 worker processes died one after the other.*memory.*kept"):
        run(pool, store, *(work(f"student-{number:02}", DEADLY, index=number) for number in range(1, 40)))


def test_a_worker_of_other_versions_refuses():
    lesson = about(TASK, "none")
    other = msgspec.structs.replace(lesson, numpy="1.0", checks="0123")
    with pytest.raises(Unsuitable, match=r"the worker .* has checks \w+ instead of 0123, numpy .* instead of 1.0"):
        judge(pack(Job(TASK, other, work("student-01"))))


def test_a_small_class_starts_few_workers():
    assert [LocalPool(TASK, 64, submissions).size for submissions in (1, 8, 9, 30, 10_000)] == [1, 1, 2, 4, 64]


def test_a_machine_without_semaphores_stops_the_run_and_names_what_it_lacks(monkeypatch):
    def refuse(*given, **more):
        raise OSError(errno.EROFS, "Read-only file system")
    monkeypatch.setattr(local_pool, "ProcessPoolExecutor", refuse)
    with LocalPool(TASK, 2, 100) as pool, pytest.raises(Stopped, match=r"/dev/shm \(Read-only file system\)"):
        pool.submit(b"")


@pytest.mark.integration
def test_a_worker_process_that_is_killed_costs_nothing_but_time(store):
    submissions = [read_bytes(f"{number}.ipynb", data(_numbered(wrong() if number % 3 else honest(), number)), LESSON)
                   for number in range(24)]
    told: list[str] = []
    points = {}
    with LocalPool(TASK, 2, len(submissions)) as pool:
        for one in Dispatcher(pool, TASK, store, told=told.append).judged(submissions):
            if not points:
                os.kill(int(one.worker.partition(":")[2]), signal.SIGKILL)
            points[int(one.submission.student)] = one.grade.points
    assert points == {number: 17.0 if number % 3 else 20.0 for number in range(24)}
    assert len(told) == 1
    assert told[0].startswith("a worker process died")


def _numbered(notebook: dict, number: int) -> dict:
    """The same work, but no copy."""
    cell = {"cell_type": "code", "id": "own", "metadata": {}, "execution_count": None, "outputs": [],
            "source": f"number = {number}"}
    return {**notebook, "cells": [*notebook["cells"], cell]}
