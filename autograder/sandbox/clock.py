"""Measure a student's process: the time it computed, and the time it waited for anything but a processor.

A verdict must not depend on what else the machine does. So the processor time of the process counts, and the time in
which it was blocked (sleeping, say). Time in which it was ready to run while others ran does not count.
"""

import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from io import FileIO

from autograder.sandbox.allowance import Allowance
from autograder.sandbox.wire.wire import DeadlineError

BEHIND_WALL = 3  # without the kernel's statistics, this many times the limit on the wall clock ends it
_LOOK_AGAIN = 0.005                       # seconds, if the process may only be waiting for a processor
_SHORT = 0.002                            # seconds: a shorter time is counted as it is


class _Own(threading.local):
    """What this thread of the judge has open."""

    statistics: FileIO | None = None      # its own schedstat
    number: int | None = None             # the descriptor of that; -1: there is none


_own = _Own()
os.register_at_fork(after_in_child=lambda: vars(_own).clear())


class Clock:
    """Tells how long one child has computed, and how long it has waited for a processor."""

    def __init__(self, pidfd: int):
        self._pid = _pid_of(pidfd)
        self._computed, self._statistics = 0.0, -1
        with suppress(OSError):
            self._statistics = os.open(f"/proc/{self._pid}/schedstat", os.O_RDONLY | os.O_CLOEXEC)
        self.unread = 0.0                 # seconds counted since the readings of `mark`
        self.mark()

    def mark(self) -> None:
        """Store the present readings. Between two questions only what was sent ahead changes them."""
        self.unread, self.before = 0.0, (self.computed(), self.waited())

    def between(self) -> float:
        """Seconds that it has computed since the last question, on what was sent ahead; what follows counts anew."""
        ahead = self.computed() - self.before[0] - self.unread
        if ahead < _SHORT:
            return 0.0
        self.mark()
        return ahead

    def computed(self) -> float:
        """Seconds of processor time of all its threads; the last reading, once it has ended."""
        try:                              # the clock of another process, see clock_getcpuclockid(3)
            if self._pid:
                self._computed = max(self._computed, time.clock_gettime((~self._pid << 3) | 2))
        except OSError:
            pass
        return self._computed

    def waited(self) -> float | None:
        """Seconds in which it was ready but had no processor, up to when it last got one; None if unknown."""
        return _waited(self._statistics)

    def ready(self) -> bool:
        """Whether it computes, or would if it had a processor."""
        try:
            with open(f"/proc/{self._pid}/stat", "rb") as stat:
                return stat.read().rpartition(b")")[2].split()[0] == b"R"
        except (OSError, IndexError):
            return False

    def close(self) -> None:
        """Close the descriptor."""
        if self._statistics >= 0:
            os.close(self._statistics)
            self._statistics = -1


class Stint:
    """The time that a child takes for one question. The judge's own time for it is on the account anyway."""

    def __init__(self, clock: Clock, seconds: float, allowance: Allowance):
        self._clock, self._seconds, self._allowance = clock, seconds, allowance
        self._away, self._looked = 0.0, -1.0
        self._limit = min(seconds, allowance.seconds)
        self._own, self._began = _own_waited(), time.monotonic()

    def used(self) -> float:
        """Seconds so far."""
        passed = self._passed()
        if passed < _SHORT:
            return passed
        (computed, waited), unread, now = self._clock.before, self._clock.unread, self._clock.waited()
        computed = self._clock.computed() - computed - unread
        if waited is None or now is None:
            return max(computed, passed / BEHIND_WALL)
        return max(0.0, computed, passed - (now - waited) - (_own_waited() - self._own))

    def patience(self) -> float:
        """The most seconds to wait before asking again; DeadlineError if none are left."""
        left = self._limit - self._passed()   # what it used is not more, and takes longer to find out
        if left <= 0:
            left = self._limit - self.used()
        if left > 0:
            self._looked = -1.0
            return left
        computed, before = self._clock.computed(), self._looked
        if 0 <= before < computed or not self._clock.ready():
            raise DeadlineError("the time is up")
        self._looked = computed               # it may be waiting for a processor: how long is known once it has one
        return _LOOK_AGAIN

    @contextmanager
    def away(self) -> Iterator[None]:
        """Stop the child's time while the judge answers a question of the child's."""
        began = time.monotonic()
        try:
            yield
        finally:
            self._away += time.monotonic() - began
            self._limit = min(self._seconds, self._allowance.seconds)

    def end(self) -> float:
        """Take what was used from the allowance, and return it."""
        used, passed = self.used(), self._passed()
        self._allowance.charge(used)
        if passed < _SHORT:
            self._clock.unread += used
        else:
            self._clock.mark()
        return used

    def _passed(self) -> float:
        return max(0.0, time.monotonic() - self._began - self._away)


def _pid_of(pidfd: int) -> int:
    """The process's number as seen here (its own namespace may count differently); 0 if unknown."""
    with suppress(OSError), open(f"/proc/self/fdinfo/{pidfd}", encoding="ascii") as lines:
        for line in lines:
            if line.startswith("Pid:"):
                return max(0, int(line.split()[1]))
    return 0


def _waited(statistics: int) -> float | None:
    try:
        return int(os.pread(statistics, 100, 0).split()[1]) / 1e9
    except (OSError, IndexError, ValueError):
        return None


def _own_waited() -> float:
    """How long this thread of the judge waited for a processor: a reply that it saw late was in time."""
    if _own.number is None:
        _own.number = -1
        with suppress(OSError):
            _own.statistics = open("/proc/thread-self/schedstat", "rb", buffering=0)  # noqa: SIM115  ends with the thread
            _own.number = _own.statistics.fileno()
    return _waited(_own.number) or 0.0 if _own.number >= 0 else 0.0
