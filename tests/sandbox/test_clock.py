"""Time is what a process computes or sleeps; what other processes take of the machine does not count."""
from __future__ import annotations

import os
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path

import msgspec
import pytest

from autograder.intake.reading import read
from autograder.judge.engine import Engine, Limits
from autograder.lessons.installed import load_lesson
from autograder.records import Call, Cell
from autograder.sandbox import clock
from autograder.sandbox.allowance import Allowance
from autograder.sandbox.clock import Clock, Stint
from autograder.sandbox.student import Sandbox
from autograder.sandbox.wire.wire import DeadlineError

SUBMISSIONS = Path(__file__).parents[1] / "submissions"
SLACK = 0.1  # seconds of a sleep that may pass for waiting for a processor, on a machine that does other things too
BURN = "import time\ndef burn(n):\n    while time.process_time() < n: pass\n    return 1\n"


@contextmanager
def busy_loops():
    """Eight processes that take all the time that they get."""
    loops = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(8)]
    try:
        yield
    finally:
        for loop in loops:
            loop.kill()
        for loop in loops:
            loop.wait()


@pytest.fixture
def busy():
    with busy_loops():
        yield


@pytest.mark.slow
def test_beside_busy_loops_nothing_takes_longer(busy):
    with Sandbox(seconds=1.0, cell_seconds=1.0) as box, box.open([Cell(0, BURN)], modules={}, prelude="") as one:
        outcome = one.answer(Call("burn", (0.6,)))
        assert outcome.status == "answered"
        assert outcome.seconds < 1.0
        assert one.answer(Call("burn", (100.0,))).status == "timed_out"


@pytest.mark.slow
def test_a_cell_is_not_slow_because_the_machine_is(busy):
    with Sandbox(cell_seconds=2.0) as box, box.open([Cell(0, BURN + "burn(0.7)")], modules={}, prelude="") as one:
        assert (one.plan.cells, one.notices) == ({}, ())


@pytest.mark.integration
@pytest.mark.parametrize("name", ["right-loops", "odd-slow-cell", "own-test-nudges-every-number"])
def test_verdicts_are_the_same_beside_busy_loops(name):
    lesson = load_lesson("multihead")
    work = next(read([SUBMISSIONS / name / "submission.ipynb"], lesson))
    with Engine(lesson, Limits(seconds=3.0, cell_seconds=3.0)) as engine:
        idle = engine.grade(work)
        with busy_loops():
            beside = engine.grade(work)
    assert idle.points > 10
    assert msgspec.structs.replace(idle, seconds=0.0) == msgspec.structs.replace(beside, seconds=0.0)


@pytest.mark.parametrize("tier", ["namespaces", "process", "none"])
def test_the_processor_time_of_a_child_is_known(tier):
    with Sandbox(isolation=tier, seconds=5.0) as box, box.open([Cell(0, BURN)], modules={}, prelude="") as one:
        assert one.answer(Call("burn", (0.3,))).seconds > 0.2
        assert one._child._clock.computed() > 0.3
        assert one._child._clock.waited() is not None


def test_who_sleeps_uses_time(hurried):
    allowance = Allowance(10.0)
    one = hurried("import time\ndef nap(n): time.sleep(n)\ndef f(): return 1", allowance=allowance)
    assert one.answer(Call("nap", (0.3,))).seconds >= 0.3 - SLACK
    assert allowance.seconds <= 9.7 + SLACK
    assert one.answer(Call("nap", (100.0,))).status == "timed_out"
    assert one.answer(Call("f", ())).status == "answered"
    assert allowance.seconds <= 9.2 + 2 * SLACK


@pytest.mark.slow
def test_without_the_kernels_statistics_the_wall_clock_ends_it_at_three_limits(monkeypatch):
    monkeypatch.setattr(clock, "_waited", lambda statistics: None)
    source = "import time\ndef nap(n): time.sleep(n)"
    with Sandbox(seconds=1.0) as box, box.open([Cell(0, source)], modules={}, prelude="") as one:
        started = time.monotonic()
        assert one.answer(Call("nap", (0.9,))).status == "answered"
        assert one.answer(Call("nap", (100.0,))).status == "timed_out"
        assert time.monotonic() - started > 3.5


def test_a_process_that_is_not_known_is_timed_by_the_wall_clock():
    started = time.monotonic()                  # before its clock begins, however long this process is kept waiting
    stint = Stint(Clock(-1), 0.02, Allowance())
    with pytest.raises(DeadlineError):
        all(iter(stint.patience, 0.0))
    assert time.monotonic() - started >= 0.06


def test_what_the_judge_does_meanwhile_counts_to_the_allowance_alone():
    pidfd = os.pidfd_open(os.getpid())
    allowance = Allowance(10.0)
    stint = Stint(Clock(pidfd), 5.0, allowance)
    with stint.away():
        until = time.thread_time() + 0.2
        while time.thread_time() < until:
            pass
    os.close(pidfd)
    assert allowance.seconds < 9.81


def test_no_descriptor_of_a_clock_is_left(student):
    one = student("def f(): return 1")
    counts = []
    for _ in range(6):
        one.close()
        assert one.answer(Call("f", ())).status == "answered"
        assert one._sandbox.children._ahead[1].result().alive
        counts.append(len(os.listdir("/proc/self/fd")))
    assert counts[-1] < counts[1] + 4         # what earlier tests left may be closed meanwhile
