"""Write an exercise's cells in the source notebook of an edition, and a notebook without exercises."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import nbformat
from nbformat.v4 import new_code_cell, new_markdown_cell
from nbformat.v4 import new_notebook as _new_notebook

from autograder.authoring.new.checkout import CannotMake
from autograder.intake.regions import BEGIN, END

KERNEL = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
          "language_info": {"name": "python"}}
REPLACE = {"nl": "Schrijf: vervang de regel hieronder door je eigen code.",
           "en": "Write: replace the line below by your own code."}
LEAVE = {"nl": "Deze cel geeft je punten voor {}. Laat hem leeg.",
         "en": "This cell gives you your points for {}. Leave it empty."}


#: the table that a release brings up to date with the points of the lesson and of the course
POINTS = {"nl": "## Punten\n\n| functie | punten |\n|---|---|", "en": "## Points\n\n| function | points |\n|---|---|"}


@dataclass(frozen=True)
class Function:
    """A function that students write, as its solution has it; without one there is everything to do."""

    name: str
    points: int
    parameters: str
    about: str = '"""TODO: the fact, with its shapes."""'       # its docstring, as written
    body: tuple[str, ...] = ("    raise NotImplementedError",)
    names: frozenset[str] = frozenset()         # what it mentions, beyond its parameters

    def relying(self, earlier: Iterable[str]) -> str:
        """The arguments of its Exercise that say which earlier ones it calls: an error in those costs nothing here."""
        used = "".join(f'"{name}", ' for name in earlier if name in self.names and name != self.name).rstrip()
        used = used if used.count(",") == 1 else used.removesuffix(",")
        return f", stand_ins=({used}), proxied=({used})" if used else ""

    @property
    def words(self) -> dict[str, Any]:
        return {"name": self.name, "points": self.points, "parameters": self.parameters}


def new_notebook(lesson: str, language: str) -> nbformat.NotebookNode:
    """A notebook with the given cell and no exercise yet."""
    notebook = _new_notebook(metadata=nbformat.from_dict(KERNEL))
    notebook.cells = [_text("introduction", f"# TODO: {lesson}\n\nTODO: what this is about, and what students can do "
                                            "afterwards"),
                      _code("given", "import numpy as np", "given", locked=True),
                      _text("points", POINTS[language])]
    return notebook


def with_exercise(notebook: nbformat.NotebookNode, function: Function, language: str) -> nbformat.NotebookNode:
    """The notebook in this language with the exercise after all others, and its point cell at the end."""
    name, cells = function.name, notebook.cells
    if any(cell.metadata.get("nbgrader", {}).get("grade_id") == name for cell in cells):
        raise CannotMake(f"a notebook already has a cell {name!r}")
    place = _after_the_last_exercise(cells)
    slug = name.replace("_", "-")
    own = [_text(f"{slug}-text", f"## TODO: `{name}`\n\nTODO: what the function has to do"),
           _code(slug, _stub(function, language), name, solution=True),
           _code(f"example-{slug}", f"# TODO: an example with numbers\nassert {name} is not None", f"example_{name}",
                 locked=True)]
    for cell in cells:
        if cell.cell_type == "markdown" and cell.source.startswith(POINTS[language]):
            cell.source += f"\n| `{name}` | {function.points} |"
    notebook.cells = [*cells[:place], *own, *cells[place:], _points(function, language, slug)]
    return notebook


def _after_the_last_exercise(cells: list[nbformat.NotebookNode]) -> int:
    """The position after the last example, solution or given cell."""
    marks = [cell.metadata.get("nbgrader", {}) for cell in cells]
    return 1 + max((place for place, mark in enumerate(marks) if mark and not mark.get("points")), default=-1)


def _stub(function: Function, language: str) -> str:
    body = "\n".join(function.body)
    return (f"def {function.name}({function.parameters}):\n    {function.about}\n    # {REPLACE[language]}\n"
            f"    {BEGIN}\n{body}\n    {END}")


def _points(function: Function, language: str, slug: str) -> nbformat.NotebookNode:
    source = (f"# {LEAVE[language].format(function.name)}\n### BEGIN HIDDEN TESTS\n"
              f'from autograder.nbgrader.kernel import points; points("{function.name}")\n### END HIDDEN TESTS')
    return _code(f"test-{slug}", source, f"test_{function.name}", grade=True, locked=True, points=function.points)


def _text(id: str, source: str) -> nbformat.NotebookNode:
    return new_markdown_cell(source, id=id)


def _code(id: str, source: str, grade_id: str, *, grade: bool = False, locked: bool = False, solution: bool = False,
          points: int | None = None) -> nbformat.NotebookNode:
    """A code cell with nbgrader's metadata."""
    marks: dict[str, Any] = {"grade": grade, "grade_id": grade_id, "locked": locked}
    marks |= {} if points is None else {"points": points}
    marks |= {"schema_version": 3, "solution": solution, "task": False}
    return new_code_cell(source, id=id, metadata={"nbgrader": marks})
