"""Faults of the judge's own: never an answer of the student's, and the next submission is graded as if nothing was."""
from __future__ import annotations

import errno
import os
import resource

import pytest
from sampled import by_turns
from test_attacks import POINTS, short_lesson, submission

from autograder.judge.engine import Engine, Limits
from autograder.sandbox import conversation, forkserver, student
from autograder.sandbox.wire import messages, wire

WRONG = "def split_heads(x, heads): return x"                             # so that the reference stands in as well
PLACES = {
    "receiving": (wire, "receive"), "sending": (wire, "send"), "decoding": (messages, "_decode"),
    "recording": (student, "outcome_of"), "forking": (forkserver.ForkServer, "fork"),
    "killing": (conversation.Conversation, "close"), "waiting": (wire, "_wait"),
}
FAULTS = [MemoryError(), OSError(errno.EMFILE, os.strerror(errno.EMFILE)), OSError(errno.EIO, os.strerror(errno.EIO))]


@pytest.fixture(scope="module")
def engine():
    with Engine(short_lesson(), Limits(seconds=20.0)) as engine:
        yield engine


def counted(monkeypatch, place, fail_at, fault):
    """Let the call of this number fail; the list that comes back has an item for each call."""
    owner, name = PLACES[place]
    original, calls = getattr(owner, name), []

    def failing(*args, **named):
        calls.append(name)
        if len(calls) == fail_at:
            raise fault
        return original(*args, **named)
    monkeypatch.setattr(owner, name, failing)
    return calls


@pytest.mark.parametrize("fault", [
    pytest.param(fault, id=name, marks=[pytest.mark.slow] * (name != "memory"))
    for name, fault in zip(("memory", "descriptors", "input and output"), FAULTS, strict=True)])
@pytest.mark.parametrize("place", by_turns(PLACES, 3, 1))
def test_a_fault_of_the_judges_is_never_a_mark(engine, monkeypatch, place, fault):
    with monkeypatch.context() as patch:
        calls = counted(patch, place, 0, fault)
        undisturbed = engine.grade(submission(WRONG))
    assert (undisturbed.status, undisturbed.points) == ("graded", 7.0)
    assert calls
    for fail_at in {1, 2, len(calls) // 3, len(calls) // 2, len(calls)}:
        with monkeypatch.context() as patch:
            counted(patch, place, fail_at, fault)
            grade = engine.grade(submission(WRONG))
        assert (grade.status, grade.points) in {("broken", None), ("graded", 7.0)}
        honest = engine.grade(submission())
        assert (honest.status, honest.points) == ("graded", POINTS)


@pytest.mark.parametrize("room", by_turns(range(8), 3, 1))
def test_a_judge_without_descriptors_is_broken_or_grades_rightly(engine, room):
    assert engine.grade(submission()).points == POINTS
    for server in engine._sandbox.children._servers.values():
        if room % 2:                                                      # with and without a zygote to begin with
            server.close()
    wrong, before = submission(WRONG), resource.getrlimit(resource.RLIMIT_NOFILE)
    opened = len(os.listdir("/proc/self/fd")) - 1
    resource.setrlimit(resource.RLIMIT_NOFILE, (_lowest_free() + room, before[1]))
    try:
        grade = engine.grade(wrong)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)
    assert (grade.status, grade.points) in {("broken", None), ("graded", 7.0)}
    assert grade.status == "broken" or room > 0
    assert engine.grade(submission()).points == POINTS
    assert len(os.listdir("/proc/self/fd")) - 1 <= opened + 4             # a zygote has three, and its thread one


def _lowest_free() -> int:
    """The number that the next descriptor gets."""
    descriptor = os.open(os.devnull, os.O_RDONLY)
    os.close(descriptor)
    return descriptor
