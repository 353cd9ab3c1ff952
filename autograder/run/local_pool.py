"""Run worker processes on this machine: an executor that stays usable when one of them is killed.

The processes end as soon as this one lets go of their leash or dies, however that happens.
"""

import errno
import os
import signal
import threading
from concurrent.futures import BrokenExecutor, Executor, Future, ProcessPoolExecutor
from contextlib import ExitStack, suppress
from multiprocessing import Pipe, get_context
from multiprocessing.connection import Connection
from typing import Protocol, Self

from autograder.faults import Stopped, no_semaphore
from autograder.run.job import About, Task, about, judge

SHARE = 8                                # submissions that justify another process, which is slow to start


FEW = (errno.EMFILE, errno.ENFILE)       # files that may be open: the caller waits for those


class Pool(Protocol):
    """Workers for one task, behind any executor."""

    about: About                         # of every worker
    size: int                            # submissions at once
    lost: type[Exception]                # the error of a job whose worker died

    def submit(self, job: bytes) -> Future[bytes]:
        """Have this job done (job.judge)."""
        ...

    def renew(self) -> None:
        """Get ready for the next job after a worker was lost."""
        ...

    def check(self) -> None:
        """Raise Stopped if nothing can come back any more; called now and then while something is under way."""
        ...


class LocalPool:
    """Processes of this machine, each with a warm engine. They start when there is work for them."""

    lost: type[Exception] = BrokenExecutor

    def __init__(self, task: Task, jobs: int, submissions: int):
        self.size = max(1, min(jobs, -(-submissions // SHARE)))
        self.about = about(task, task.limits.wall[0])
        self._executor: Executor | None = None
        self._leash = ExitStack()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *exception: object) -> None:
        self._end(at_once=kind is not None)

    def submit(self, job: bytes) -> Future[bytes]:
        if self._executor is None:
            held, _ = [self._leash.enter_context(end) for end in Pipe(duplex=False)]
            # a fresh process: forking this one could copy held locks
            try:
                self._executor = ProcessPoolExecutor(self.size, mp_context=get_context("spawn"), initializer=on_leash,
                                                     initargs=(held,))
            except OSError as error:
                if error.errno in FEW:
                    raise
                raise Stopped(no_semaphore(error)) from error
        return self._executor.submit(judge, job)

    def renew(self) -> None:
        self._end(at_once=True)

    def check(self) -> None:
        """Nothing to do: the executor itself notices when worker processes die."""

    def _end(self, at_once: bool) -> None:
        if self._executor is not None:
            if not at_once:
                self._executor.shutdown(wait=True)
            self._executor.shutdown(wait=False, cancel_futures=True)
        self._leash.close()
        self._executor = None


def on_leash(leash: Connection) -> None:
    """In a worker process: ignore Ctrl-C, which is for the parent, and end when the parent lets go or dies."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with, args=(leash,), daemon=True).start()


def _end_with(leash: Connection) -> None:
    with suppress(EOFError, OSError):
        leash.recv_bytes()
    os._exit(1)
