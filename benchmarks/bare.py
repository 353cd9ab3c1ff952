"""The least that judging could cost: fork, run the cells, answer the same calls. No judge, no wall, no socket.

What the engine asked of each process is recorded once; then a process with NumPy warm forks a child for each of them,
which does exactly that and ends. Whatever the engine takes beyond it is the price of the wall and of the verdicts.
"""
from __future__ import annotations

import gc
import os
import socket
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from multiprocessing import get_context
from typing import NamedTuple

import numpy as np

from autograder.judge.engine import Engine
from autograder.records import Submission
from autograder.sandbox import conversation
from autograder.sandbox.inside import worker
from autograder.sandbox.inside.lesson import Prepared
from autograder.sandbox.wire import wire

Frames = list[bytes]                      # all that one process was sent


@contextmanager
def recording() -> Iterator[list[Frames]]:
    """Everything that the judge sends to each child, by the order in which the children were first spoken to."""
    sent: dict[conversation.Conversation, Frames] = {}
    order: list[Frames] = []
    before = conversation.Conversation._send

    def send(self, body, stint=None):
        if self not in sent:
            order.append(sent.setdefault(self, []))
        sent[self].append(bytes(body))
        return before(self, body, stint)
    conversation.Conversation._send = send
    try:
        yield order
    finally:
        conversation.Conversation._send = before


class Recorded(NamedTuple):
    """What the processes of some submissions were sent, and the lessons that they began with, by number."""

    processes: list[Frames]
    lessons: dict[int, bytes]


def recorded(engine: Engine, submissions: list[Submission]) -> Recorded:
    """What the engine sends to the processes of these submissions."""
    children = engine._sandbox.children
    children._take_ahead()                # what that one was sent, it was sent before this
    with recording() as order:
        for submission in submissions:
            engine.grade(submission)
    servers = children._servers.values()
    return Recorded(order, {number: lesson for server in servers for lesson, number in server._lessons.items()})


def seconds(work: Recorded, forked: bool) -> float:
    """How long it takes to do the same in a process that has NumPy, the worker and the lesson warm.

    Without forks, everything is done in that one process, one after another: nothing can take less.
    """
    context = get_context("spawn")        # this process has threads and a judge's memory
    with context.Pool(1) as pool:
        return pool.apply(_replayed, (work, forked))


def _replayed(work: Recorded, forked: bool) -> float:
    send, receive, main = wire.send, wire.receive, sys.modules["__main__"]
    np.linalg.solve(np.eye(300), np.eye(300))
    lessons = {number: Prepared(lesson) for number, lesson in work.lessons.items()}
    _answer(iter(work.processes[0]), lessons)           # what is set up once is set up before it counts
    gc.collect()
    gc.freeze()
    start = time.perf_counter()
    for frames in work.processes:
        if not forked:
            _answer(iter(frames), lessons)
            continue
        pid = os.fork()
        if pid == 0:
            try:
                _answer(iter(frames), lessons)
            finally:
                os._exit(0)
        os.waitpid(pid, 0)
    took = time.perf_counter() - start
    wire.send, wire.receive, sys.modules["__main__"] = send, receive, main
    return took


def _answer(frames: Iterator[bytes], lessons: Mapping[int, Prepared]) -> None:
    wire.send = lambda *_: None           # a call-back's question; its answer is the next frame
    wire.receive = lambda *_: next(frames)
    judge, ours = socket.socketpair()     # nothing goes through it
    with judge, ours, suppress(SystemExit, KeyboardInterrupt):
        answering = worker.Worker(ours, lessons)
        for frame in frames:
            answering.reply(frame)
