"""What it buys to know that an own test keeps nothing: `python -m benchmarks.own_tests [ROUNDS]`.

The same submission is graded with the analysis of its own test and without it, in turn, so that a busy machine is
equally busy for both. Printed are medians in milliseconds: of the clock on the wall, and of the processor time of the
student's processes, which other programs change less.
"""
from __future__ import annotations

import statistics
import sys
import time
from pathlib import Path

from autograder.intake.reading import read
from autograder.judge.engine import Engine
from autograder.judge.own_test import Trials
from autograder.lessons.installed import load_lesson
from autograder.records import Outcome, Subject, Submission
from autograder.sandbox.student import Student

WORK = Path(__file__).parents[1] / "tests" / "submissions" / "right-einsum" / "submission.ipynb"
Times = tuple[float, float, int]


def main() -> None:
    """Print one line for each way."""
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 50
    lesson = load_lesson("multihead")
    (work,) = read([WORK], lesson)
    times: dict[str, list[Times]] = {"with": [], "without": []}
    with Engine(lesson) as engine:
        for ways in range(rounds + 1):
            for way, found in times.items():
                measured = graded(engine, work, analysed=way == "with")
                if ways:                          # the first round warms up
                    found.append(measured)
    print(f"{'analysis':12}{'wall':>10}{'processor':>12}{'processes':>12}")
    for way, found in times.items():
        wall, processor, processes = (statistics.median(column) for column in zip(*found, strict=True))
        print(f"{way:12}{wall:10.1f}{processor:12.1f}{processes:12.0f}")


def graded(engine: Engine, work: Submission, analysed: bool) -> Times:
    """How long one submission takes, and how many processes it has."""
    closed, tried = Student.close, Trials.in_one
    spent: list[float] = []

    def close(self: Student) -> None:
        if self._child is not None:
            spent.append(self._child._clock.computed())
        closed(self)

    def nothing(self: Trials, subject: Subject) -> dict[str, Outcome]:
        return {}
    Student.close = close
    Trials.in_one = tried if analysed else nothing
    try:
        began = time.perf_counter()
        grade = engine.grade(work)
        assert grade.points == grade.max_points, grade
        return (time.perf_counter() - began) * 1000, sum(spent) * 1000, len(spent)
    finally:
        Student.close, Trials.in_one = closed, tried


if __name__ == "__main__":
    main()
