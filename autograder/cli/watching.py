"""Tell an instructor about a run: warnings, the log, where the time went, and how to continue after Ctrl-C."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from autograder.cli.common import say

if TYPE_CHECKING:
    from autograder.records import Left


class Watch:
    """Receives every event of a run, counts what is done, and passes all of it on to the log."""

    def __init__(self, log: Callable[..., None] | None = None):
        self._log = log
        self.done = self.submissions = 0
        self.left: list[Left] = []

    def __call__(self, event: str, **facts: Any) -> None:
        if event == "started":
            self.submissions = facts["submissions"]
        elif event == "graded":
            self.done += 1
        elif event == "not looked at":
            self.left.append(facts["left"])
        elif "message" in facts:
            say(facts["message"])
        if self._log is not None:
            self._log(event, **facts)


@contextmanager
def watched(log: str | None) -> Iterator[Watch]:
    """What receives the events of a run, writing them to this file if there is one."""
    if log is None:
        yield Watch()
        return
    from autograder.output.log import event_log
    with event_log(log, say) as write:
        yield Watch(write)


@contextmanager
def stopping_kindly(watch: Watch) -> Iterator[None]:
    """After Ctrl-C, say what is kept and how to continue."""
    try:
        yield
    except KeyboardInterrupt:
        watch("interrupted")
        raise KeyboardInterrupt(f"stopped: {watch.done} of {watch.submissions} are graded and kept; the same command "
                                "continues from there") from None
    except BaseException as error:
        watch("stopped", reason=str(error) or type(error).__name__)
        raise


@contextmanager
def profiled(wanted: bool) -> Iterator[None]:
    """Measure what happens inside, and print it on standard error."""
    if not wanted:
        yield
        return
    from autograder.stages import profiling
    profile, start = profiling(True), time.perf_counter()
    assert profile is not None
    try:
        yield
    finally:
        elapsed, _ = time.perf_counter() - start, profiling(False)
        from autograder.output.results import print_stages
        from autograder.output.terminal import console
        print_stages(console(sys.stderr), elapsed, profile.seconds, profile.workers)
