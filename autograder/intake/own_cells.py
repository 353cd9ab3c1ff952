"""Which cells of a notebook are the student's own.

All code cells are, wherever they stand, except those that the course gave: the engine runs its own copy of what it
needs, and flags in the student's file are not trusted. A given cell is known by its grade_id, and where a tool
has stripped that, by its text.
"""
from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

from autograder.intake.cells import NotebookCell
from autograder.intake.names import listed
from autograder.intake.template import Template, normalised
from autograder.lesson import Lesson
from autograder.records import Cell, Text, text

_FENCE = re.compile(r"^```.*$\n?", re.MULTILINE)


def own_cells(cells: list[NotebookCell], template: Template, lesson: Lesson) -> tuple[tuple[Cell, ...], list[Text]]:
    """The student's cells in order, and a notice for everything about them that a reader would not expect."""
    code = [cell for cell in cells if cell.kind == "code"]
    last = {cell.grade_id: cell for cell in code}       # of several with one id nbgrader takes the last as given
    given = [cell for grade_id, cell in last.items() if grade_id in template.given]
    left_out = {cell.index for cell in given}
    own = [cell for cell in code if cell.index not in left_out and normalised(cell.source) not in template.code]
    rescued = _rescued(cells, own, template, lesson)
    notices = [*_changed(given, template), *_repeated(code), *_made_code(rescued), *_missing(own + rescued, lesson)]
    own = sorted((cell for cell in own + rescued if cell.source.strip()), key=lambda cell: cell.index)
    return tuple(Cell(cell.index, cell.source, cell.grade_id) for cell in own), notices


def defines(source: str, name: str) -> bool:
    """Whether a line of the source begins the definition of this function, or assigns to its name, among others."""
    return re.search(rf"^(?:(?:async )?def[ \t]+{name}[ \t]*\(|(?:[\w \t,]*,[ \t]*)?{name}[ \t]*(?:,[\w \t,]*)?=(?!=))",
                     source, re.MULTILINE) is not None


def _rescued(cells: list[NotebookCell], own: list[NotebookCell], template: Template,
             lesson: Lesson) -> list[NotebookCell]:
    """Solutions in cells that became text by accident, for functions that no code cell defines."""
    texts = [cell for cell in cells if cell.kind != "code" and normalised(cell.source) not in template.prose]
    rescued: dict[int, NotebookCell] = {}
    for exercise in lesson.exercises:
        if any(defines(cell.source, exercise.name) for cell in own):
            continue
        for cell in texts:
            if defines(cell.source, exercise.name):
                source = _FENCE.sub("", cell.source)
                rescued[cell.index] = NotebookCell(cell.index, "code", source, cell.grade_id)
    return list(rescued.values())


def _changed(given: list[NotebookCell], template: Template) -> Iterable[Text]:
    changed = [cell.grade_id for cell in given if normalised(cell.source) not in template.given[cell.grade_id]]
    if changed:
        yield text("Given cells were changed: {cells}. What was changed there is not run and not graded; code of your "
                   "own belongs in the other cells.", cells=listed(changed))


def _repeated(code: list[NotebookCell]) -> Iterable[Text]:
    counts = Counter(cell.grade_id for cell in code if cell.grade_id)
    repeated = [grade_id for grade_id, count in counts.items() if count > 1]
    if repeated:
        yield text("These cells stand in the notebook more than once: {cells}. All of them are run in order, and the "
                   "last definition counts.", cells=listed(repeated))


def _made_code(rescued: list[NotebookCell]) -> Iterable[Text]:
    if rescued:
        yield text("Cell {cells} is a text cell but holds a solution, so it was read as code.",
                   cells=listed(str(cell.index + 1) for cell in rescued))


def _missing(own: list[NotebookCell], lesson: Lesson) -> Iterable[Text]:
    ids = {cell.grade_id for cell in own}
    missing = [exercise.name for exercise in lesson.exercises
               if exercise.name not in ids and not any(defines(cell.source, exercise.name) for cell in own)]
    if missing:
        yield text("The solution cell was removed, and no other cell defines the function: {names}.",
                   names=listed(missing))
