"""What the walls cost: `python -m benchmarks.wall [ROUNDS]`.

A submission here is a fresh process, the reference's cells and thirty calls that are compared with what is expected.
The tiers take turns, so that a busy machine is equally busy for all of them. What is printed are medians; of what the
walls add, the median of the differences within a turn. A kill is timed from the end of the limit until the judge goes
on.
"""
from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable
from contextlib import ExitStack
from operator import sub

import numpy as np

from autograder.lessons.installed import load_lesson
from autograder.records import Call, Cell
from autograder.sandbox.student import Sandbox
from autograder.sandbox.tiers import TIERS, NoIsolation

CALLS = 30
LIMIT, PATIENCE = 0.1, 20.0               # seconds, of the calls that hang and of the others
LESSON = load_lesson("multihead")
X = np.random.default_rng(0).normal(size=(2, 5, 12))
HANGS = "def hang():\n    while True: pass\n"
HOLDS = "hoard = bytearray(400_000_000)\nfor at in range(0, len(hoard), 4096): hoard[at] = 1\n" + HANGS


def main() -> None:
    """Measure every tier that this machine can have, and print one line for each."""
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    with ExitStack() as running:
        boxes = {tier: running.enter_context(box) for tier, box in sandboxes()}
        boots = {tier: milliseconds(lambda box=box: one_submission(box)) for tier, box in boxes.items()}
        times = {tier: [] for tier in boxes}
        for _ in range(rounds):
            for tier, box in boxes.items():
                times[tier].append(milliseconds(lambda box=box: one_submission(box)))
        print(f"{'tier':12}{'first':>9}{'a submission':>15}{'walls add':>12}{'kill':>8}{'with 400 MB':>13}   ms")
        for tier, box in boxes.items():
            added = statistics.median(map(sub, times[tier], times["none"]))
            print(f"{tier:12}{boots[tier]:9.0f}{statistics.median(times[tier]):15.2f}{added:+12.2f}"
                  f"{overshoot(box, HANGS):8.1f}{overshoot(box, HOLDS, 3):13.1f}")


def sandboxes() -> list[tuple[str, Sandbox]]:
    """A sandbox for each tier."""
    found = []
    for tier in TIERS:
        try:
            found.append((tier, Sandbox(isolation=tier, seconds=PATIENCE)))
        except NoIsolation as missing:
            print(missing)
    return found


def one_submission(box: Sandbox) -> None:
    """Load the four functions, ask thirty questions, compare each answer, and kill the process."""
    expected = X.reshape(2, 5, 3, 4).swapaxes(1, 2)
    with box.open([Cell(0, LESSON.reference_source)], modules=LESSON.given_sources, prelude=LESSON.prelude) as student:
        for _ in range(CALLS):
            assert np.array_equal(student.answer(Call("split_heads", (X, 3))).value, expected)


def overshoot(box: Sandbox, source: str, times: int = 9) -> float:
    """Milliseconds from the end of the limit until a hanging call is over: the median."""
    taken = []
    box.seconds = LIMIT
    for _ in range(times):
        with box.open([Cell(0, source)], modules={}, prelude="") as student:
            taken.append(milliseconds(lambda student=student: student.answer(Call("hang", ()))))
    return statistics.median(taken) - LIMIT * 1000


def milliseconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return (time.perf_counter() - start) * 1000


if __name__ == "__main__":
    main()
