"""Whether memory stays flat as a class grows: `python -m benchmarks.memory [STUDENTS...]`, 1,000 and 10,000 by default.

A class is graded from files to gradebook, `autograded/` and feedback by this process alone. What the workers would
answer is canned, a grade of the usual size for each student's own work: they hold one submission at a time whatever
the class, and judging ten thousand would take most of the time here. Ends with exit code 1 if the largest class takes
over ten per cent more than the smallest. The figures of the last run stand in memory.json beside this file.
"""
from __future__ import annotations

import json
import resource
import subprocess
import sys
import tempfile
import time
from concurrent.futures import Future
from pathlib import Path
from typing import Self

import msgspec
from rich.console import Console
from rich.table import Table

from autograder.authoring.demo.notebooks import Assignment, as_bytes, code_cell
from autograder.intake import read_bytes
from autograder.judge.engine import Engine, Limits
from autograder.lessons.installed import load_lesson
from autograder.lessons.kit.course_file import course_file
from autograder.run.job import Done, Job, Task, about, pack

FIGURES = Path(__file__).with_suffix(".json")
LESSON = load_lesson("multihead")
ALLOWED = 1.1


class Canned:
    """A pool whose workers know their one answer: the grade of an untouched notebook."""

    size, lost = 2, ChildProcessError

    def __init__(self, task: Task, jobs: int, submissions: int):
        self.about = about(task, "none")
        nobodys = read_bytes("", as_bytes(_assignment().filled("", left=_assignment().own)), LESSON, "")
        with Engine(LESSON, Limits(isolation="none")) as engine:
            self._grade = msgspec.structs.replace(engine.grade(nobodys), checks=self.about.checks)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        """There is nothing to end."""

    def submit(self, job: bytes) -> Future[bytes]:
        key = msgspec.msgpack.decode(job, type=Job).submission.key
        future: Future[bytes] = Future()
        future.set_result(pack(Done(msgspec.structs.replace(self._grade, key=key), "canned")))
        return future

    def renew(self) -> None:
        """No worker is ever lost."""

    def check(self) -> None:
        """Everything is ready at once."""


def _assignment() -> Assignment:
    return Assignment.of(LESSON)


def make_class(folder: Path, students: int) -> None:
    """A class in which no two hand in the same."""
    (folder / "nbgrader_config.py").write_bytes(course_file("nbgrader_config.py").read_bytes())
    notebook = _assignment().filled("", left=_assignment().own)
    for number in range(students):
        own = {**notebook, "cells": [*notebook["cells"], code_cell(f"number = {number}", "own")]}
        path = folder / "submitted" / f"student-{number:05}" / "multihead" / "multihead.ipynb"
        path.parent.mkdir(parents=True)
        path.write_bytes(as_bytes(own))


def grade(folder: Path) -> None:
    """Grade it as `autograder grade --json` does, and print the CPU seconds and the peak in MB."""
    from autograder.output.answers import answers
    from autograder.run import grade_course
    grade_course.LocalPool = Canned
    start = time.process_time()
    with answers(str(folder / "grades.jsonl"), "nl", each=False) as answer:
        answer.all(grade_course.grade_course(folder, limits=Limits(isolation="none"), on_grade=answer.progress))
    print(json.dumps([time.process_time() - start, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024]))


def measured(students: int) -> dict[str, float]:
    """The figures of a class of this size, graded in a process of its own; then again, with nothing new."""
    with tempfile.TemporaryDirectory(prefix="autograder-memory-") as folder:
        make_class(Path(folder), students)
        (first, peak), (again, peak_again) = (_in_a_process(folder) for _ in range(2))
    return {"students": students, "seconds": round(first, 1), "mb": round(peak, 1),
            "seconds again": round(again, 1), "mb again": round(peak_again, 1)}


def _in_a_process(folder: str) -> list[float]:
    command = [sys.executable, "-m", "benchmarks.memory", "--grade", folder]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"grading {folder} failed: {done.stderr.strip()[-500:]}")
    return json.loads(done.stdout.splitlines()[-1])


def main(arguments: list[str]) -> int:
    if arguments[:1] == ["--grade"]:
        grade(Path(arguments[1]))
        return 0
    figures = [measured(students) for students in sorted(map(int, arguments or ["1000", "10000"]))]
    FIGURES.write_text(json.dumps(figures, indent=1) + "\n")
    table = Table("students", "CPU s", "peak MB", "CPU s, nothing new", "peak MB", box=None)
    for one in figures:
        table.add_row(*(f"{value:,.10g}" for value in one.values()))
    Console().print(table)
    return max(one["mb"] for one in figures) > ALLOWED * figures[0]["mb"]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
