"""Place the student's cells among the course's: the notebook that a person reads after grading.

Only text is taken from the student's file. Given cells are taken from the course again, each given cell of the course
is there exactly once whatever happened to it, and a student's text cell is shown literally: as Markdown it could carry
a script, and the formgrader shows it on the Jupyter server's own origin.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from autograder.intake.cells import clean
from autograder.intake.own_cells import defines
from autograder.intake.template import normalised, visible
from autograder.nbgrader.notebook import SourceCell, SourceNotebook
from autograder.records import NotebookCell


@dataclass(frozen=True)
class Placed:
    """A cell of the autograded notebook, without its outputs."""

    kind: str                               # "code" or "markdown"
    source: str
    course: SourceCell | None = None        # the cell of the course that it is, if any
    index: int | None = None                # its position in the student's notebook


def placed(source: SourceNotebook, cells: Sequence[NotebookCell], code: Mapping[int, str],
           prose: frozenset[str]) -> list[Placed]:
    """The student's cells in their order, with the course's cells among them.

    `code` is what was graded, by the cells' indices; `prose` holds the course's own texts, normalised.
    """
    courses = _recognised(source, cells, code)
    found = [_placed(cell, courses.get(cell.index), code, prose) for cell in cells]
    return _completed(source, [cell for cell in found if cell is not None])


def unanswered(cells: Iterable[Placed], stubs: frozenset[str]) -> frozenset[str]:
    """The solution cells that are still as they were released; `stubs` are those of the other editions."""
    return frozenset(cell.course.name for cell in cells if cell.course is not None and cell.course.solution
                     and (cell.source == cell.course.source or cell.source in stubs))


def _recognised(source: SourceNotebook, cells: Sequence[NotebookCell],
                code: Mapping[int, str]) -> dict[int, SourceCell]:
    """Which cells are the course's, by index: recognised by their grade_id, else by their text or what they define.

    Of several with the same grade_id it is the last, as in nbgrader.
    """
    marked = {cell.grade_id: cell.index for cell in cells
              if cell.grade_id in source.by_name and not (source.by_name[cell.grade_id].locked and cell.index in code)}
    lost = [cell for cell in source.cells if cell.name not in marked]
    forms = {form: cell.name for cell in lost if cell.locked for form in _forms(cell)}
    solutions = [cell.name for cell in lost if cell.solution and not cell.locked]
    for cell in cells if lost else ():
        if cell.grade_id in marked:
            continue
        name = forms.get(normalised(cell.source)) or next(
            (name for name in solutions if defines(code.get(cell.index, ""), name)), None)
        if name is not None:
            marked[name] = cell.index
    return {index: source.by_name[name] for name, index in marked.items()}


def _forms(cell: SourceCell) -> set[str]:
    """A given cell as it may be in a student's notebook: with or without its hidden tests."""
    return {normalised(cell.source), normalised(visible(cell.source))} - {""}


def _placed(cell: NotebookCell, course: SourceCell | None, code: Mapping[int, str],
            prose: frozenset[str]) -> Placed | None:
    if course is not None and course.locked:
        return Placed(course.cell_type, course.source, course, cell.index)
    kind = course.cell_type if course is not None else "code" if cell.index in code else cell.kind
    words = clean(code.get(cell.index, cell.source))
    if kind == "code":
        return Placed("code", words, course, cell.index)
    if normalised(words) in prose or course is not None and words == course.source:
        return Placed("markdown", words, course, cell.index)
    return Placed("markdown", as_letters(words), course, cell.index)


def as_letters(words: str) -> str:
    """Markdown that shows these words literally, whatever they are."""
    longest = max((len(run) for run in re.findall("~+", words)), default=0)
    fence = "~" * max(3, longest + 1)
    return f"{fence}\n{words}\n{fence}" if words.strip() else ""


def _completed(source: SourceNotebook, cells: list[Placed]) -> list[Placed]:
    """The same cells with each missing given cell added, after the course's cell that it follows."""
    there = {cell.course.name for cell in cells if cell.course is not None}
    completed = list(cells)
    previous: str | None = None
    for cell in source.cells:
        if cell.name not in there and (cell.grade or cell.task or cell.locked):
            completed.insert(_after(completed, previous), Placed(cell.cell_type, cell.source, cell))
            there.add(cell.name)
        if cell.name in there:
            previous = cell.name
    return completed


def _after(cells: list[Placed], name: str | None) -> int:
    return next((place + 1 for place, cell in enumerate(cells)
                 if cell.course is not None and cell.course.name == name), 0)
