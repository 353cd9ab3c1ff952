"""Keep one account per submission, over all its processes: the time that it may take, and what is stored of it.

Everything that is done for a submission is on it: the time of its own processes, of making and ending them, and the
processor time of the thread that judges it. What is done once for everybody is on nobody's account.
"""
from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from autograder.sandbox.wire.messages import CUT
from autograder.sandbox.wire.wire import WireError

REST = 1.0                                # seconds in which what was answered in time may still be judged


class _Thread(threading.local):
    """What is known about one thread of the judge's."""

    account: Allowance | None = None      # of the submission that it judges
    paused: float | None = None           # what it had worked when it began something for everybody
    shared = 0.0                          # seconds that it worked for everybody


_thread = _Thread()


class UsedUp(Exception):
    """The submission that is being judged has used up its account, and the rest."""


class Allowance:
    """What one submission may still use. The thread that makes it works for this submission from then on."""

    room = 17 * 2**20                     # bytes of answers: 16 MB of numbers, and what frames them
    words = 100_000                       # characters that its cells print and raise; on a page each may become six

    def __init__(self, seconds: float = float("inf"), room: int = room, words: int = words):
        self.room, self.words = room, words
        self._seconds, self._since = seconds, _worked()
        self._over: float | None = None   # what the thread had worked when the account was found used up
        self._lock = threading.Lock()

    @property
    def seconds(self) -> float:
        """What is left, for the thread that made it."""
        return self._seconds - (_worked() - self._since)

    def charge(self, seconds: float) -> None:
        """Take what others than this thread did for it."""
        with self._lock:                  # a bill may come in while another thread makes the next process
            self._seconds -= seconds

    def keep(self, size: int) -> None:
        """Reserve this much room for an answer; WireError if there is not enough."""
        self.room -= size
        if self.room < 0:
            raise WireError("its answers together are too large to be kept")

    def cut(self, words: str) -> str:
        """As much of these words as may still be stored."""
        kept = words if len(words) <= self.words else words[:self.words] + CUT
        self.words = max(0, self.words - len(words))
        return kept

    @contextmanager
    def judging(self) -> Iterator[None]:
        """Let `go_on` look at this account."""
        before, _thread.account = _thread.account, self
        try:
            yield
        finally:
            _thread.account = before

    def may_be_judged(self) -> bool:
        """Whether anything is left, of the time or of the rest after it."""
        if self.seconds > 0:
            return True
        self._over = _worked() if self._over is None else self._over
        return _worked() - self._over <= REST


def go_on() -> None:
    """UsedUp if the submission that this thread judges has no time left: called wherever judging may take long."""
    account = _thread.account
    if account is not None and _thread.paused is None and not account.may_be_judged():
        raise UsedUp


@contextmanager
def for_everybody() -> Iterator[None]:
    """What happens inside is done once and remembered (right answers, tables of mistakes): nobody pays for it."""
    if _thread.paused is not None:
        yield
        return
    _thread.paused = began = time.thread_time()
    try:
        yield
    finally:
        _thread.paused = None
        _thread.shared += time.thread_time() - began


def _worked() -> float:
    """Seconds of processor time of this thread, without what it did for everybody."""
    paused = _thread.paused
    return (time.thread_time() if paused is None else paused) - _thread.shared
