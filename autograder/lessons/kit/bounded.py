"""Bound how long a lesson's own code may take, so that an endless loop in it is said and no command hangs."""

import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

SECONDS = 5.0                                   # of processor time; a solution needs milliseconds
PATIENCE = 6                                    # times as long if it waits for something, or others use the processor


class TooLong(BaseException):
    """It was stopped after so many seconds. No Exception, which the code might catch itself."""

    def __init__(self, seconds: float):
        super().__init__(f"stopped after {seconds:g} seconds")


@contextmanager
def bounded(seconds: float | None = None) -> Iterator[None]:
    """Stop what runs in here with TooLong; outside the main thread, which alone has signals, nothing is bounded."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    most = SECONDS if seconds is None else seconds
    began, used = time.monotonic(), time.process_time()

    def look(number: int, frame: FrameType | None) -> None:
        if time.process_time() - used >= most or time.monotonic() - began >= PATIENCE * most:
            raise TooLong(most)
    swallowed = sys.unraisablehook

    def unraised(what: "sys.UnraisableHookArgs") -> None:
        if not isinstance(what.exc_value, TooLong):         # a callback of the collector lost it: the next look is soon
            swallowed(what)
    sys.unraisablehook = unraised
    handler = signal.signal(signal.SIGALRM, look)
    before, interval = signal.setitimer(signal.ITIMER_REAL, most, most / 10)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, handler)
        sys.unraisablehook = swallowed
        if before:                              # somebody else's clock runs on
            signal.setitimer(signal.ITIMER_REAL, max(before - (time.monotonic() - began), 1e-3), interval)
