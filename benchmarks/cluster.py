"""A Dask scheduler with workers on this machine, each a process of its own."""
from __future__ import annotations

import re
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from typing import IO


@contextmanager
def on_a_cluster(workers: int, pids: list[int] | None = None) -> Iterator[str]:
    """The address of a scheduler on the loopback, with so many workers of one thread.

    `pids` gets the process of the scheduler and those of the workers.
    """
    pids = [] if pids is None else pids
    with ExitStack() as stack:
        scheduler = stack.enter_context(_started("scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard"))
        address = _said("the scheduler", scheduler, r"(tcp://127\.0\.0\.1:\d+)")
        pids.append(scheduler.pid)
        for _ in range(workers):
            worker = stack.enter_context(_started("worker", address, "--nthreads", "1", "--no-nanny", "--no-dashboard",
                                                  "--host", "127.0.0.1"))
            _said("the worker", worker, r"(Registered to)")
            pids.append(worker.pid)
        yield address


@contextmanager
def _started(kind: str, *arguments: str) -> Iterator[subprocess.Popen[str]]:
    command = [sys.executable, "-m", "distributed.cli.dask_" + kind, *arguments]
    with subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True) as process:
        try:
            yield process
        finally:
            process.terminate()


def _said(name: str, process: subprocess.Popen[str], pattern: str) -> str:
    """What the process says that matches; it says it when it is ready."""
    for line in process.stderr or ():
        if found := re.search(pattern, line):
            threading.Thread(target=_drain, args=(process.stderr,), daemon=True).start()     # lest it waits for us
            return found[1]
    raise SystemExit(f"{name} ended before it was ready")


def _drain(said: IO[str]) -> None:
    """Read it to its end, or until it is closed."""
    with suppress(ValueError):
        deque(said, 0)
