"""The source notebooks hold the reference's bodies in their solution regions: one solution, written down once.

`python -m autograder.nbgrader.source` writes them there; with `--check` it only says where they differ (exit code 1).
"""
from __future__ import annotations

import ast
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import nbformat

from autograder.course import course_file
from autograder.lesson import UNWRITTEN, Lesson
from autograder.nbgrader.in_step import keep_in_step

BEGIN, END = "### BEGIN SOLUTION", "### END SOLUTION"

Bodies = Mapping[str, Sequence[str]]                    # function name -> the lines of its body


def bodies(code: str) -> dict[str, list[str]]:
    """The bodies of the functions in this code as they are written, without their docstrings."""
    lines = code.splitlines()
    functions = [node for node in ast.parse(code).body if isinstance(node, ast.FunctionDef)]
    return {node.name: lines[_first_line(node):node.end_lineno] for node in functions}


def _first_line(function: ast.FunctionDef) -> int:
    """Where the body starts, counted from 0: after the docstring, where there is one."""
    first = function.body[0]
    return first.end_lineno if ast.get_docstring(function) is not None else first.lineno - 1


def drift(lesson: Lesson) -> list[str]:
    """One sentence for each solution region that is not the reference's body; empty where all agree."""
    wanted = _wanted(lesson)
    return [sentence for path in _editions(lesson) for sentence in drift_of(_read(path), wanted, path.name)]


def drift_of(notebook: nbformat.NotebookNode, wanted: Bodies, name: str = "the notebook") -> list[str]:
    """The same for one notebook that has been read."""
    found = {}
    for cell, function in _solution_cells(notebook, wanted):
        start, end = _region(cell.source.splitlines(), f"{name}, cell {function}")
        found[function] = cell.source.splitlines()[start:end]
    missing = [f"{name} has no solution cell {function!r}" for function in wanted if function not in found]
    differing = [f"{name}, cell {function}: {_first_difference(lines, wanted[function])}"
                 for function, lines in found.items() if lines != list(wanted[function])]
    return missing + differing


def sync(lesson: Lesson) -> list[Path]:
    """Write the reference's bodies into the solution regions; the notebooks that this changed."""
    wanted = _wanted(lesson)
    changed = []
    for path in _editions(lesson):
        notebook = _read(path)
        if sync_into(notebook, wanted, path.name):
            nbformat.write(notebook, path)
            changed.append(path)
    return changed


def sync_into(notebook: nbformat.NotebookNode, wanted: Bodies, name: str = "the notebook") -> bool:
    """Replace the solution regions of a notebook that has been read; whether that changed anything."""
    before = [cell.source for cell in notebook.cells]
    for cell, function in _solution_cells(notebook, wanted):
        lines = cell.source.splitlines()
        start, end = _region(lines, f"{name}, cell {function}")
        cell.source = "\n".join([*lines[:start], *wanted[function], *lines[end:]])
    return before != [cell.source for cell in notebook.cells]


def stubs(lesson: Lesson) -> frozenset[str]:
    """The solution cells of every edition as students get them."""
    wanted = _wanted(lesson)
    return frozenset(_stub(cell.source, f"{path.name}, cell {function}") for path in _editions(lesson)
                     for cell, function in _solution_cells(_read(path), wanted))


def _stub(source: str, where: str) -> str:
    lines = source.splitlines()
    start, end = _region(lines, where)
    begin = lines[start - 1]
    return "\n".join([*lines[:start - 1], f"{begin[:begin.index('#')]}raise {UNWRITTEN}()", *lines[end + 1:]])


def _wanted(lesson: Lesson) -> dict[str, list[str]]:
    """The bodies of the functions that students write."""
    exercises = {exercise.name for exercise in lesson.exercises}
    code = course_file(lesson.reference).read_text(encoding="utf-8")
    return {name: lines for name, lines in bodies(code).items() if name in exercises}


def _editions(lesson: Lesson) -> list[Path]:
    return [course_file(path) for path in lesson.editions.values()]


def _read(path: Path) -> nbformat.NotebookNode:
    return nbformat.read(path, as_version=4)


def _solution_cells(notebook: nbformat.NotebookNode, wanted: Bodies) -> Iterator[tuple[nbformat.NotebookNode, str]]:
    """Each solution cell whose grade_id is one of these functions, with that name."""
    for cell in notebook.cells:
        marks = cell.metadata.get("nbgrader", {})
        if marks.get("solution") and marks.get("grade_id") in wanted:
            yield cell, marks["grade_id"]


def _region(lines: Sequence[str], where: str) -> tuple[int, int]:
    """The lines between the two markers, as a half-open range; ValueError unless each stands there once, in order."""
    stripped = [line.strip() for line in lines]
    if stripped.count(BEGIN) != 1 or stripped.count(END) != 1 or stripped.index(END) < stripped.index(BEGIN):
        raise ValueError(f"{where}: expected one {BEGIN!r} followed by one {END!r}")
    return stripped.index(BEGIN) + 1, stripped.index(END)


def _first_difference(found: Sequence[str], wanted: Sequence[str]) -> str:
    for number, (here, there) in enumerate(zip(found, wanted, strict=False), start=1):
        if here != there:
            return f"line {number} of the solution is {here.strip()!r}, the reference has {there.strip()!r}"
    return f"the solution has {len(found)} lines, the reference {len(wanted)}"


def main(arguments: Sequence[str]) -> int:
    """Write, or with `--check` only compare, the notebooks of every lesson; the exit code."""
    return keep_in_step("autograder.nbgrader.source", drift, sync, "every solution region is the reference's body",
                        arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
