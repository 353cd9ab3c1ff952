"""How things are measured: whole commands, with their time and the memory of their largest process."""
from __future__ import annotations

import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from threading import Thread
from typing import NamedTuple

AUTOGRADER = (sys.executable, "-m", "autograder")
FINE = (0, 1)                             # 1, of `autograder`: some submissions could not be read


class Ran(NamedTuple):
    """One command."""

    seconds: float
    peak_mb: float                        # of its largest process
    output: str


def run(command: Sequence[str], folder: Path, fine: Sequence[int] = FINE) -> Ran:
    """Run a command in a folder; SystemExit with its last words where it fails."""
    start = time.perf_counter()
    path = os.pathsep.join((str(Path(sys.executable).parent), os.environ.get("PATH", "")))      # nbgrader runs alembic
    with subprocess.Popen(command, cwd=folder, env={**os.environ, "PATH": path}, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True) as process:
        output, errors = _read(process)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    seconds = time.perf_counter() - start
    if process.returncode not in fine:
        raise SystemExit(f"{' '.join(command)} failed: {errors.strip()[-500:]}")
    return Ran(seconds, usage.ru_maxrss / 1024, output)


def _read(process: subprocess.Popen[str]) -> tuple[str, str]:
    """Both streams to their end, without reaping the process."""
    read: dict[str, str] = {}
    threads = [Thread(target=lambda name=name, stream=stream: read.update({name: stream.read()}))
               for name, stream in (("out", process.stdout), ("err", process.stderr))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return read["out"], read["err"]


def cold(folder: Path, *arguments: str) -> float:
    """The median of seven cold starts of `autograder`."""
    return statistics.median(run([*AUTOGRADER, *arguments], folder).seconds for _ in range(7))


def seconds(work: Callable[[], object]) -> float:
    """How long one call takes."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start
