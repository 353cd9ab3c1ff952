"""How things are measured: whole commands, with their time and the memory of their largest process."""
from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

AUTOGRADER = (sys.executable, "-m", "autograder")
FINE = (0, 1)                             # 1, of `autograder`: some submissions could not be read
_PEAK = (sys.executable, "-S", str(Path(__file__).with_name("peak.py")))


class Ran(NamedTuple):
    """One command."""

    seconds: float
    peak_mb: float                        # of its largest process
    output: str


def run(command: Sequence[str], folder: Path, fine: Sequence[int] = FINE) -> Ran:
    """Run a command in a folder; SystemExit with its last words where it fails."""
    path = os.pathsep.join((str(Path(sys.executable).parent), os.environ.get("PATH", "")))      # nbgrader runs alembic
    with tempfile.NamedTemporaryFile() as peak:
        start = time.perf_counter()
        done = subprocess.run([*_PEAK, peak.name, *command], cwd=folder, env={**os.environ, "PATH": path},
                              capture_output=True, text=True, check=False)
        seconds = time.perf_counter() - start
        if done.returncode not in fine:
            raise SystemExit(f"{' '.join(command)} failed: {done.stderr.strip()[-500:]}")
        return Ran(seconds, float(peak.read()), done.stdout)


def cold(folder: Path, *arguments: str) -> float:
    """The median of seven cold starts of `autograder`."""
    return statistics.median(run([*AUTOGRADER, *arguments], folder).seconds for _ in range(7))


def seconds(work: Callable[[], object]) -> float:
    """How long one call takes."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start
