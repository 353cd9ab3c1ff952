"""A large class in which all notebooks differ, judged for real: `python -m benchmarks --scale STUDENTS`.

With two jobs, on a Dask cluster of two processes and on one of four: seconds, the processor time of the process that
reads and writes and of Dask's scheduler, the most memory of that process and of a worker, and how many files were made.
Half a megabyte of disk is used for each student, and given back. A way that takes longer than PATIENCE for each student
is ended.
"""
from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from time import perf_counter
from typing import NamedTuple

from rich.table import Table

from benchmarks import all_differ
from benchmarks.alternatives import MADE
from benchmarks.cluster import on_a_cluster
from benchmarks.measure import AUTOGRADER, FINE

WAYS = {"2 jobs": 0, "a Dask cluster of 2": 2, "a Dask cluster of 4": 4}       # how it is graded -> Dask's workers
DISK = 600_000                                  # bytes for each student
START, PATIENCE = 120.0, 3.0                    # seconds: for the whole, and for each student
LOOK = 0.2                                      # seconds between two looks at the processes
_TICKS = os.sysconf("SC_CLK_TCK")


class Way(NamedTuple):
    """One way to grade the class."""

    how: str
    students: int
    seconds: float
    writer_seconds: float                       # of processor time, in the process that reads and writes
    scheduler_seconds: float                    # and in Dask's scheduler
    writer_mb: float
    worker_mb: float                            # of the largest
    files: int


class Watched:
    """Processes that are looked at now and then: how much time and memory each has used."""

    def __init__(self, writer: int, workers: list[int], scheduler: int | None):
        self.writer, self._workers, self.scheduler = writer, workers, scheduler
        self.mb: dict[int, float] = {}
        self.seconds: dict[int, float] = {}

    def look(self) -> None:
        for pid in {self.writer, *self.workers(), *filter(None, [self.scheduler])}:
            with suppress(OSError, ValueError, IndexError):     # it has just ended
                spent = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
                peak = Path(f"/proc/{pid}/status").read_text().partition("VmHWM:")[2].split()[0]
                self.seconds[pid] = (int(spent[11]) + int(spent[12])) / _TICKS
                self.mb[pid] = max(self.mb.get(pid, 0.0), int(peak) / 1024)

    def workers(self) -> list[int]:
        """Those of the cluster; else the processes that the writer has started, and not what it forked to read."""
        if self._workers:
            return self._workers
        children: list[int] = []
        with suppress(OSError):
            for pid in Path(f"/proc/{self.writer}/task/{self.writer}/children").read_text().split():
                if b"spawn_main" in Path(f"/proc/{pid}/cmdline").read_bytes():
                    children.append(int(pid))
        return children


def measured(students: int) -> Iterator[Way]:
    """The class, graded in each way; SystemExit if there is no room for it, or if it fails."""
    with tempfile.TemporaryDirectory(prefix="autograder-scale-") as folder:
        free = shutil.disk_usage(folder).free
        if free < students * DISK:
            raise SystemExit(f"{students:,} students take {students * DISK / 1e9:.1f} GB, and {folder} has "
                             f"{free / 1e9:.1f}; name a larger disk with TMPDIR")
        course = Path(folder, "course")
        all_differ.make_class(course, students)
        for how, workers in WAYS.items():
            for name in MADE:
                shutil.rmtree(course / name, ignore_errors=True)
                (course / name).unlink(missing_ok=True)
            yield _graded(how, workers, course, students)


def _graded(how: str, workers: int, course: Path, students: int) -> Way:
    before = _files(course)
    if not workers:
        seconds, watched = _run(course, students, ["--jobs", "2"], [])
    else:
        pids: list[int] = []
        with on_a_cluster(workers, pids) as address:
            seconds, watched = _run(course, students, ["--cluster", address], pids)
    found = {pid: mb for pid, mb in watched.mb.items() if pid not in (watched.writer, watched.scheduler)}
    return Way(how, students, seconds, watched.seconds.get(watched.writer, 0.0),
               watched.seconds.get(watched.scheduler or 0, 0.0), watched.mb.get(watched.writer, 0.0),
               max(found.values(), default=0.0), _files(course) - before)


def _run(course: Path, students: int, options: list[str], cluster: list[int]) -> tuple[float, Watched]:
    """`cluster`: the processes of its scheduler and of its workers, if there is one."""
    started, done = perf_counter(), threading.Event()
    with tempfile.TemporaryFile("w+") as said, subprocess.Popen(
            [*AUTOGRADER, "grade", *options, "--json", "answers.jsonl"], cwd=course, stdout=subprocess.DEVNULL,
            stderr=said, text=True) as process:
        watched = Watched(process.pid, cluster[1:], cluster[0] if cluster else None)

        def look() -> None:
            while not done.wait(LOOK):
                watched.look()
        looking = threading.Thread(target=look)
        looking.start()
        try:
            code = process.wait(START + PATIENCE * students)
        except BaseException as error:          # too long, or Ctrl-C: it ends its own workers
            process.terminate()
            if isinstance(error, subprocess.TimeoutExpired):
                raise SystemExit(f"grade {' '.join(options)} took more than {error.timeout:,.0f} seconds") from None
            raise
        finally:
            done.set()
            looking.join()
        if code not in FINE:
            said.seek(0)
            raise SystemExit(f"grade {' '.join(options)} failed: {said.read().strip()[-500:]}")
    return perf_counter() - started, watched


def _files(course: Path) -> int:
    return sum(len(names) for _, _, names in os.walk(course))


def table(ways: list[Way]) -> Table:
    """What a person reads."""
    shown = Table("how", "students", "seconds", "ms each", "writer's CPU", "scheduler's", "writer", "worker", "files",
                  box=None, caption="ms of processor time and MB of the largest")
    for way in ways:
        each = (f"{1000 * value / way.students:.1f}" for value in (
            way.seconds, way.writer_seconds, way.scheduler_seconds))
        shown.add_row(way.how, f"{way.students:,}", f"{way.seconds:.1f}", *each, f"{way.writer_mb:.0f} MB",
                      f"{way.worker_mb:.0f} MB", f"{way.files:,}")
    return shown
