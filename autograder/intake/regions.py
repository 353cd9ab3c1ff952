"""Find the solution regions of the source notebooks, and what students get instead."""
from __future__ import annotations

import ast
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from autograder.lessons.kit.lesson import UNWRITTEN, Lesson

if TYPE_CHECKING:
    import nbformat

BEGIN, END = "### BEGIN SOLUTION", "### END SOLUTION"

Bodies = Mapping[str, Sequence[str]]                    # function name -> the lines of its body


def bodies(code: str) -> dict[str, list[str]]:
    """The bodies of the functions in this code as written, without their docstrings."""
    lines = code.splitlines()
    functions = [node for node in ast.parse(code).body if isinstance(node, ast.FunctionDef)]
    return {node.name: lines[_first_line(node):node.end_lineno] for node in functions}


def _first_line(function: ast.FunctionDef) -> int:
    """Where the body starts, counted from 0: after the docstring, if there is one."""
    first = function.body[0]
    return first.end_lineno or first.lineno if ast.get_docstring(function) is not None else first.lineno - 1


def stubs(lesson: Lesson) -> frozenset[str]:
    """The solution cells of every edition as students get them, read without nbformat, which is slow to import."""
    wanted = wanted_bodies(lesson)
    return frozenset(_stub("".join(cell["source"]), f"{path.name}, cell {function}") for path in editions(lesson)
                     for cell, function in solution_cells(json.loads(path.read_bytes()), wanted))


def _stub(source: str, where: str) -> str:
    lines = source.splitlines()
    start, end = region(lines, where)
    begin = lines[start - 1]
    return "\n".join([*lines[:start - 1], f"{begin[:begin.index('#')]}raise {UNWRITTEN}()", *lines[end + 1:]])


def wanted_bodies(lesson: Lesson) -> dict[str, list[str]]:
    """The bodies of the functions that students write."""
    exercises = {exercise.name for exercise in lesson.exercises}
    code = lesson.home.path(lesson.reference).read_text(encoding="utf-8")
    return {name: lines for name, lines in bodies(code).items() if name in exercises}


def editions(lesson: Lesson) -> list[Path]:
    return [lesson.home.path(path) for path in lesson.editions.values()]


def read_notebook(path: Path) -> nbformat.NotebookNode:
    import nbformat
    return nbformat.read(path, as_version=4)


def solution_cells(notebook: Mapping[str, Any], wanted: Bodies) -> Iterator[tuple[Any, str]]:
    """Each solution cell whose grade_id is one of these functions, with that name."""
    for cell in notebook["cells"]:
        marks = cell["metadata"].get("nbgrader", {})
        if marks.get("solution") and marks.get("grade_id") in wanted:
            yield cell, marks["grade_id"]


def region(lines: Sequence[str], where: str) -> tuple[int, int]:
    """The lines between the two markers, as a half-open range; ValueError unless each occurs once, in order."""
    stripped = [line.strip() for line in lines]
    if stripped.count(BEGIN) != 1 or stripped.count(END) != 1 or stripped.index(END) < stripped.index(BEGIN):
        raise ValueError(f"{where}: expected one {BEGIN!r} followed by one {END!r}")
    return stripped.index(BEGIN) + 1, stripped.index(END)
