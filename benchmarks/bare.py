"""The least that judging could cost: fork, run the cells, answer the same calls. No judge, no wall, no socket.

What the engine asked of each process is recorded once; then a process with NumPy warm forks a child for each of them,
which does exactly that and ends. Whatever the engine takes beyond it is the price of the wall and of the verdicts.
"""
from __future__ import annotations

import gc
import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing import get_context

import numpy as np

from autograder.judge.engine import Engine
from autograder.records import Submission
from autograder.sandbox import conversation
from autograder.sandbox.wire import wire

Frames = list[bytes]                      # all that one process was sent


@contextmanager
def recording() -> Iterator[list[Frames]]:
    """Everything that the judge sends to each child, by the order in which the children were first spoken to."""
    sent: dict[int, Frames] = {}
    order: list[Frames] = []
    before = conversation.Conversation._exchange

    def exchange(self, body, nonce, deadline, call_back):
        frames = sent.get(id(self))
        if frames is None or self not in alive:
            frames = sent[id(self)] = []
            order.append(frames)
            alive.append(self)
        frames.append(bytes(body))

        def answered(question):
            answer = call_back(question)
            frames.append(bytes(conversation.encode(answer)))
            return answer
        return before(self, body, nonce, deadline, answered if call_back is not None else None)
    alive: list[conversation.Conversation] = []
    conversation.Conversation._exchange = exchange
    try:
        yield order
    finally:
        conversation.Conversation._exchange = before


def recorded(engine: Engine, submissions: list[Submission]) -> list[Frames]:
    """What the engine sends to the processes of these submissions."""
    engine._sandbox.children._take_ahead()      # what it was sent, it was sent before this
    with recording() as order:
        for submission in submissions:
            engine.grade(submission)
    return order


def seconds(processes: list[Frames]) -> float:
    """How long it takes to do the same in forked children of a process that has NumPy and the worker warm."""
    context = get_context("spawn")        # this process has threads and a judge's memory
    with context.Pool(1) as pool:
        pool.apply(_replayed, (processes[:3],))
        return pool.apply(_replayed, (processes,))


def _replayed(processes: list[Frames]) -> float:
    send, receive, main = wire.send, wire.receive, sys.modules["__main__"]
    np.linalg.solve(np.eye(300), np.eye(300))
    _answer(iter(processes[0]))           # what is set up once is set up before the forks
    wire.send, wire.receive, sys.modules["__main__"] = send, receive, main
    gc.collect()
    gc.freeze()
    start = time.perf_counter()
    for frames in processes:
        pid = os.fork()
        if pid == 0:
            try:
                _answer(iter(frames))
            finally:
                os._exit(0)
        os.waitpid(pid, 0)
    return time.perf_counter() - start


def _answer(frames: Iterator[bytes]) -> None:
    from autograder.sandbox.inside import worker
    wire.send = lambda *_: None           # a call-back's question; its answer is the next frame
    wire.receive = lambda *_: next(frames)
    answering = worker.Worker(None)
    for frame in frames:
        answering.reply(frame)
