"""How long grading takes, beside stock nbgrader on the same class: `make bench`.

Everything is measured in one run on one machine. Ours: one cold `autograder check`, the engine alone, and a class from
files to gradebook, `autograded/` and feedback with 1 and 2 jobs. The alternative: `nbgrader autograde` with its own
kernel, on the first few of the same class, its start-up not counted.
"""
from __future__ import annotations

import argparse
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from rich.console import Console
from rich.table import Table

from autograder.demo import make_class
from autograder.grade import Engine
from autograder.intake import read
from autograder.lesson import load_lesson

COMMAND = [sys.executable, "-m", "autograder"]


def seconds(work: Callable[[], object]) -> float:
    """How long one call takes."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def run(*arguments: str, folder: Path) -> None:
    """One command in a folder; exit code 1 (some submissions could not be read) is fine here."""
    done = subprocess.run(arguments, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1):
        raise SystemExit(f"{' '.join(arguments)} failed: {done.stderr.strip()[-500:]}")


def cold(folder: Path, *arguments: str) -> float:
    """The median of five cold starts."""
    return statistics.median(seconds(lambda: run(*COMMAND, *arguments, folder=folder)) for _ in range(5))


def engine_alone(course: Path) -> tuple[float, float]:
    """Seconds a submission on one warm engine: the median and the 95th percentile."""
    lesson = load_lesson("multihead")
    submissions = list(read([course / "submitted"], lesson))
    with Engine(lesson) as engine:
        engine.grade(submissions[0])
        times = sorted(seconds(lambda one=one: engine.grade(one)) for one in submissions)
    return statistics.median(times), times[int(len(times) * 0.95)]


def whole_class(course: Path, jobs: int) -> float:
    """Seconds for the class from files to gradebook, our start-up counted."""
    for made in ("autograded", "feedback", ".autograder", "gradebook.db"):
        path = course / made
        shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)
    return seconds(lambda: run(*COMMAND, "grade", "--jobs", str(jobs), "--json", "answers.jsonl", folder=course))


def stock(course: Path, folder: Path, students: int) -> tuple[float, int]:
    """Seconds a submission of `nbgrader autograde` with its own kernel, without its start-up, and of how many."""
    shutil.copytree(course, folder, ignore=shutil.ignore_patterns("autograded", "feedback", ".autograder", "*.db"))
    nbgrader = [sys.executable, "-m", "nbgrader"]
    run(*nbgrader, "generate_assignment", "multihead", "--force", folder=folder)
    chosen = [path.name for path in sorted((folder / "submitted").iterdir())
              if (path / "multihead" / "multihead.ipynb").exists()][:students]
    one, more = chosen[:1], chosen[1:]
    first = seconds(lambda: run(*nbgrader, "autograde", "multihead", "--student", one[0], folder=folder))
    started = seconds(lambda: run(*nbgrader, "autograde", "multihead", "--student", one[0], folder=folder))
    rest = [seconds(lambda name=name: run(*nbgrader, "autograde", "multihead", "--student", name, folder=folder))
            for name in more]
    del first                                   # it also makes the database
    return max(0.0, statistics.median(rest) - started), len(more)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--students", type=int, default=100)
    parser.add_argument("--stock", type=int, default=6, help="how many of them stock nbgrader grades too")
    options = parser.parse_args()
    table = Table("what", "seconds", "a submission", title=f"a class of {options.students}")
    with tempfile.TemporaryDirectory() as folder:
        course = Path(folder, "course")
        make_class(course, options.students)
        notebook = next(course.glob("submitted/*/multihead/multihead.ipynb"))
        table.add_row("autograder --help, cold", f"{cold(course, '--help'):.3f}", "")
        table.add_row("autograder check, one notebook, cold", f"{cold(course, 'check', str(notebook)):.3f}", "")
        middle, slowest = engine_alone(course)
        table.add_row("engine alone, 1 process", "", f"{middle * 1000:.1f} ms (p95 {slowest * 1000:.1f} ms)")
        for jobs in (1, 2):
            took = whole_class(course, jobs)
            table.add_row(f"autograder grade, {jobs} job{'s' * (jobs > 1)}", f"{took:.1f}",
                          f"{took / options.students * 1000:.0f} ms")
        each, many = stock(course, Path(folder, "stock"), options.stock)
        table.add_row(f"stock nbgrader autograde, {many} of them", "", f"{each * 1000:.0f} ms without its start-up")
    Console().print(table)


if __name__ == "__main__":
    main()
