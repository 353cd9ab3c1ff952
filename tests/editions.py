"""The editions of the multi-head lesson: their notebooks, their cells, and the modules beside them."""
from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import nbformat

from autograder.lessons.installed import load_lesson
from autograder.lessons.kit.course_file import course_file
from autograder.lessons.kit.lesson import changed

LESSON = load_lesson("multihead")
EDITIONS = {language: course_file(path) for language, path in LESSON.editions.items()}
RELEASES = {language: course_file(f"release/{path.parent.name}/{path.name}") for language, path in EDITIONS.items()}


def read(path: Path) -> nbformat.NotebookNode:
    return nbformat.read(path, as_version=4)


def code_cells(path: Path) -> dict[str, nbformat.NotebookNode]:
    """The code cells in order, by their grade_id; those of the student's own to play with by their id."""
    return {cell.metadata.get("nbgrader", {}).get("grade_id", cell.id): cell
            for cell in read(path).cells if cell.cell_type == "code"}


@contextmanager
def beside(language: str) -> Iterator[None]:
    """The modules beside this edition's notebook can be imported, and nothing of them is left afterwards."""
    names, folder = set(LESSON.beside), str(EDITIONS[language].parent)
    kept = {name: sys.modules.pop(name) for name in names if name in sys.modules}
    sys.path.insert(0, folder)
    try:
        yield
    finally:
        sys.path.remove(folder)
        for name in names:
            sys.modules.pop(name, None)
        sys.modules.update(kept)


def solved(*edits: tuple[str, str], **more) -> dict:
    """What a kernel holds after the cells of a student who wrote the reference with these lines changed."""
    names = {"__name__": "__main__"}
    exec(changed(*edits)(LESSON.reference_source), names)
    names.update(more)
    return names


def overwritten(code: str) -> dict:
    """The same after a cell with this code; `reference_NAME` are the reference's functions in it."""
    names = solved()
    names |= {f"reference_{name}": names[name] for name in
              ("split_heads", "merge_heads", "multihead", "multihead_backward", "own_test", "attention")}
    exec(compile(code, "<the student's cell>", "exec"), names)
    return names
