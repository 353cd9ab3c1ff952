"""Measure where the time goes: seconds per stage of this process, for `--profile`. Almost free while it is off.

    with stage("cells"):
        ...

A stage inside another is subtracted from it, so that all of them add up to the time that passed.
"""

import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from threading import get_ident

_NOTHING = nullcontext()


class Profile:
    """Seconds by stage; the stage entered last is the one that runs."""

    def __init__(self, clock: Callable[[], float] = time.perf_counter):
        self.seconds: dict[str, float] = defaultdict(float)
        self.workers: Counter[str] = Counter()                  # what other processes measured
        self._clock, self._running, self._since = clock, [""], 0.0
        self.thread = get_ident()

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        self._switch()
        self._running.append(name)
        try:
            yield
        finally:
            self._switch()
            self._running.pop()

    def taken(self) -> dict[str, float]:
        """The seconds since the last call of this."""
        seconds, self.seconds = dict(self.seconds), defaultdict(float)
        return seconds

    def _switch(self) -> None:
        now = self._clock()
        if self._running[-1]:
            self.seconds[self._running[-1]] += now - self._since
        self._since = now


_profile: Profile | None = None                 # of this process, while it is on


def profiling(on: bool, clock: Callable[[], float] = time.perf_counter) -> Profile | None:
    """Turn it on or off in this process."""
    global _profile
    if on != (_profile is not None):
        _profile = Profile(clock) if on else None
    if _profile is not None:
        _profile.thread = get_ident()
    return _profile


def from_worker(seconds: Mapping[str, float]) -> None:
    """Add what a worker measured."""
    if _profile is not None:
        _profile.workers.update(seconds)


def stage(name: str) -> AbstractContextManager[None]:
    """Count what happens inside towards this stage. Only the profiled thread is measured."""
    return _NOTHING if _profile is None or _profile.thread != get_ident() else _profile.stage(name)
