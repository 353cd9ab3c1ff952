"""Keep the solution regions of the source notebooks equal to the reference's bodies, the only place to edit them."""

from collections.abc import Sequence
from pathlib import Path

import nbformat

from autograder.intake.regions import Bodies, editions, read_notebook, region, solution_cells, wanted_bodies
from autograder.lessons.installed import every_lesson
from autograder.lessons.kit.lesson import Lesson


def differences() -> list[str]:
    """One sentence for each solution region of any lesson that is not the reference's body."""
    return [sentence for lesson in every_lesson() for sentence in drift(lesson)]


def write() -> list[Path]:
    """Write the reference's bodies into every lesson's notebooks; returns the notebooks that this changed."""
    return [path for lesson in every_lesson() for path in sync(lesson)]


def drift(lesson: Lesson) -> list[str]:
    """One sentence for each solution region that differs from the reference's body; empty if all agree."""
    wanted = wanted_bodies(lesson)
    return [sentence for path in editions(lesson) for sentence in drift_of(read_notebook(path), wanted, path.name)]


def drift_of(notebook: nbformat.NotebookNode, wanted: Bodies, name: str = "the notebook") -> list[str]:
    """The same for one notebook that is already read."""
    found = {}
    for cell, function in solution_cells(notebook, wanted):
        start, end = region(cell.source.splitlines(), f"{name}, cell {function}")
        found[function] = cell.source.splitlines()[start:end]
    missing = [f"{name} has no solution cell {function!r}" for function in wanted if function not in found]
    differing = [f"{name}, cell {function}: {_first_difference(lines, wanted[function])}"
                 for function, lines in found.items() if lines != list(wanted[function])]
    return missing + differing


def sync(lesson: Lesson) -> list[Path]:
    """Write the reference's bodies into the solution regions; returns the notebooks that this changed."""
    wanted = wanted_bodies(lesson)
    changed = []
    for path in editions(lesson):
        notebook = read_notebook(path)
        if sync_into(notebook, wanted, path.name):
            nbformat.write(notebook, path)
            changed.append(path)
    return changed


def sync_into(notebook: nbformat.NotebookNode, wanted: Bodies, name: str = "the notebook") -> bool:
    """Replace the solution regions of a notebook that is already read; returns whether anything changed."""
    before = [cell.source for cell in notebook.cells]
    for cell, function in solution_cells(notebook, wanted):
        lines = cell.source.splitlines()
        start, end = region(lines, f"{name}, cell {function}")
        cell.source = "\n".join([*lines[:start], *wanted[function], *lines[end:]])
    return before != [cell.source for cell in notebook.cells]


def _first_difference(found: Sequence[str], wanted: Sequence[str]) -> str:
    for number, (here, there) in enumerate(zip(found, wanted, strict=False), start=1):
        if here != there:
            return f"line {number} of the solution is {here.strip()!r}, the reference has {there.strip()!r}"
    return f"the solution has {len(found)} lines, the reference {len(wanted)}"
