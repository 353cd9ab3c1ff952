"""What is said of the workers of a cluster and of a scheduler that goes away, without one: its client is made here."""
from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import msgspec
import pytest

from autograder.course.settings import Settings
from autograder.faults import Stopped
from autograder.judge.engine import Limits
from autograder.run import dask_pool
from autograder.run.dask_pool import AWAY, LOOK, ClusterPool
from autograder.run.job import Introduction, Task, about, pack

TASK = Task("multihead", Settings(), Limits())
HERE = about(TASK, "namespaces")


class Client:
    """A scheduler's client with these workers; it counts how often it was asked for them."""

    def __init__(self, **threads: int):
        self.threads, self.status, self.asked = threads, "running", 0
        self.said: dict[str, Any] = dict.fromkeys(threads, pack(Introduction(HERE)))

    def nthreads(self) -> dict[str, int]:
        self.asked += 1
        if self.threads is None:
            raise OSError("no answer")
        return self.threads

    def run(self, function: Any, task: bytes, on_error: str) -> dict[str, Any]:
        assert (task, on_error) == (pack(TASK), "return")
        return self.said


@pytest.fixture
def clock(monkeypatch) -> SimpleNamespace:
    clock = SimpleNamespace(now=1000.0, slept=[])
    clock.monotonic, clock.sleep = lambda: clock.now, clock.slept.append
    monkeypatch.setattr(dask_pool, "time", clock)
    return clock


def pool_of(client: Client) -> tuple[ClusterPool, list[str]]:
    told: list[str] = []
    pool = ClusterPool(TASK, "tcp://10.0.0.1:8786", told.append)
    pool._client, pool._seen = client, dask_pool.time.monotonic()
    return pool, told


def test_the_workers_are_counted_now_and_then(clock):
    client = Client(a=1, b=1, c=1)
    pool, told = pool_of(client)
    pool.check()
    assert (pool.size, client.asked, told) == (3, 1, [])
    clock.now += LOOK - 1
    pool.check()
    assert client.asked == 1
    clock.now += 2
    client.threads = {"a": 1}
    pool.check()
    assert (pool.size, client.asked) == (1, 2)


def test_that_there_are_no_workers_is_told_once_each_time(clock):
    client = Client()
    pool, told = pool_of(client)
    for threads, times in (({}, 1), ({}, 1), ({"a": 1}, 1), ({}, 2)):
        client.threads = threads
        clock.now += 2 * LOOK
        pool.check()
        assert told == ["the scheduler at tcp://10.0.0.1:8786 has no workers; waiting for them"] * times
        assert pool.size == 1


def test_a_scheduler_that_does_not_answer_is_gone(clock):
    client = Client()
    client.threads = None
    with pytest.raises(Stopped, match=r"the scheduler at tcp://10\.0\.0\.1:8786 is gone; what was graded is kept"):
        pool_of(client)[0].check()


def test_a_connection_that_is_made_again_may_take_a_while(clock):
    client = Client(a=1)
    pool, _ = pool_of(client)
    client.status = "connecting"
    clock.now += AWAY - 1
    pool.check()
    assert client.asked == 0
    clock.now += 2
    with pytest.raises(Stopped, match="is gone"):
        pool.check()


def test_a_client_that_was_closed_waits_for_nothing(clock):
    client = Client(a=1)
    pool, _ = pool_of(client)
    client.status = "closed"
    with pytest.raises(Stopped, match="is gone"):
        pool.check()


@pytest.mark.parametrize(("status", "ended"), [("running", [False]), ("closed", [])])
def test_jobs_under_way_are_not_waited_for(clock, status, ended):
    client = Client()
    pool, _ = pool_of(client)
    client.status, found = status, []
    pool._executor = SimpleNamespace(shutdown=lambda wait: found.append(wait))
    pool.__exit__()
    assert found == ended


# --- what the workers say of themselves ---------------------------------------------------------------------------

def test_workers_that_agree_are_taken_and_the_first_is_waited_for(clock):
    client = Client(a=1, b=1)
    pool, told = pool_of(client)
    client.threads, arrived = {}, {"a": 1, "b": 1}
    clock.sleep = lambda seconds: client.threads.update(arrived)
    assert pool._agreed() == HERE
    assert len(told) == 1
    assert "has no workers" in told[0]


def test_several_threads_and_a_lesser_wall_are_told(clock):
    client = Client(a=1, b=2)
    client.said = dict.fromkeys("ab", pack(Introduction(HERE, "there is no bubblewrap")))
    pool, told = pool_of(client)
    pool._agreed()
    assert told == ["some workers have several threads, of which only one is used: start them with --nthreads 1",
                    "isolation is namespaces on the workers: there is no bubblewrap"]


@pytest.mark.parametrize(("other", "words"), [
    ({"numpy": "1.0"}, r"^the worker at b has numpy 1\.0 instead of \S+; install the same version there .*again"),
    ({"isolation": "process"}, r"^the worker at b has isolation process instead of namespaces at a; choose one .*--i"),
])
def test_a_worker_that_differs_is_named_with_the_remedy(clock, other, words):
    client = Client(b=1, a=1)
    client.said["b"] = pack(Introduction(msgspec.structs.replace(HERE, **other)))
    with pytest.raises(Stopped, match=words):
        pool_of(client)[0]._agreed()


@pytest.mark.parametrize(("said", "words"), [
    (ModuleNotFoundError("No module named 'autograder'"), "the worker at a has no autograder, or a different one: No"),
    (RuntimeError("ModuleNotFoundError: autograder"), "the worker at a has no autograder, or a different one"),
    (RuntimeError("no wall here"), "^the worker at a cannot grade: no wall here$"),
])
def test_a_worker_that_cannot_introduce_itself_is_named(clock, said, words):
    client = Client(a=1)
    client.said["a"] = said
    with pytest.raises(Stopped, match=words):
        pool_of(client)[0]._agreed()


# --- what goes there ----------------------------------------------------------------------------------------------

def test_a_job_is_judged_there(clock):
    pool, _ = pool_of(Client(a=1))
    pool._executor = SimpleNamespace(submit=lambda *call: call)
    assert pool.submit(b"a job") == (dask_pool.judge, b"a job")


def test_the_address_may_be_in_the_file_of_the_scheduler(tmp_path):
    (tmp_path / "scheduler.json").write_text('{"id": "Scheduler-1", "address": "tcp://10.0.0.1:8786"}')
    assert dask_pool._address(str(tmp_path / "scheduler.json")) == "tcp://10.0.0.1:8786"
    assert dask_pool._address("tcp://10.0.0.2:8786") == "tcp://10.0.0.2:8786"
