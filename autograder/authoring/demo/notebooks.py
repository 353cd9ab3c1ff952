"""Make the assignment as students get it, and the same with code in its stubs."""

import ast
import json
import re
from collections.abc import Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any, Self

from autograder.lessons.kit.lesson import Lesson

Notebook = dict[str, Any]
_SOLUTION = re.compile(r"(?P<told>^[ \t]*#[^\n]*\n)?^(?P<indent>[ \t]*)### BEGIN SOLUTION.*?### END SOLUTION$",
                       re.MULTILINE | re.DOTALL)
_DEF = re.compile(r"^def .*:$", re.MULTILINE)
_HIDDEN = re.compile(r"\n?^### BEGIN HIDDEN TESTS.*?### END HIDDEN TESTS$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True, eq=False)
class Assignment:
    """The lesson's source notebook; `own` names the functions that students write, in order."""

    lesson: Lesson
    name: str                                   # of the notebook file
    source: Notebook
    own: tuple[str, ...]

    @classmethod
    def of(cls, lesson: Lesson) -> Self:
        """The first edition of the lesson."""
        path = next(iter(lesson.editions.values()))
        source = json.loads(lesson.home.text(path))
        return cls(lesson, PurePosixPath(path).name, source, tuple(exercise.name for exercise in lesson.exercises))

    def filled(self, code: str, left: tuple[str, ...] = (), own_test: str | None = None) -> Notebook:
        """The notebook with the functions of this code in its stubs; those in `left` stay unchanged.

        Whatever else the code defines beside the given modules goes in a cell above the first function that was
        written.
        """
        written = {name: parts for name, parts in functions(code).items() if name in self.own and name not in left}
        if own_test is not None:
            written["own_test"] = written["own_test"][0], own_test
        notebook = deepcopy(self.source)
        for cell in notebook["cells"]:
            if cell["cell_type"] == "code":
                cell["source"] = released("".join(cell["source"]), *written.get(_grade_id(cell), ()))
        helpers = self._helpers(code)
        if helpers and written:
            place = next(i for i, cell in enumerate(notebook["cells"]) if _grade_id(cell) in written)
            notebook["cells"].insert(place, code_cell(helpers, "helpers"))
        return notebook

    def _helpers(self, code: str) -> str:
        """What the code changed in or added to the given modules, for the student's copy in the notebook."""
        given = {ast.unparse(statement) for source in self.lesson.given_sources.values()
                 for statement in ast.parse(source).body}
        ours = {ast.unparse(statement) for statement in ast.parse(self.lesson.reference_source).body} - given
        statements = [(ast.unparse(node), text) for node, text in _statements(code)
                      if not (isinstance(node, ast.FunctionDef) and node.name in self.own)]
        added = [text for same, text in statements if same not in given | ours]
        private = [text for same, text in statements if same in given and text.startswith("def _")]
        return "\n\n\n".join([*added, *private]) if added else ""


def functions(code: str) -> dict[str, tuple[str, str]]:
    """The first line and the body of each function as written; the last definition counts.

    The docstring is not part of the body: that of the stub stays.
    """
    lines = code.splitlines()
    found = {}
    for node in ast.parse(code).body:
        if isinstance(node, ast.FunctionDef):
            first = node.body[0]
            start = first.end_lineno if ast.get_docstring(node) is not None else first.lineno - 1
            found[node.name] = lines[node.lineno - 1], "\n".join(lines[start:node.end_lineno])
    return found


def released(source: str, header: str | None = None, body: str | None = None) -> str:
    """A cell without hidden tests, with this header and body as the solution, or else with the stub."""
    if header is not None and body is not None:
        source = _DEF.sub(lambda _: header, _SOLUTION.sub(lambda _: body, source), count=1)
    return _HIDDEN.sub("", _SOLUTION.sub(r"\g<told>\g<indent>raise NotImplementedError()", source))


def code_cell(source: str, name: str) -> dict[str, Any]:
    """A cell added by the student, without grading metadata."""
    return {"cell_type": "code", "id": name, "metadata": {}, "execution_count": None, "outputs": [], "source": source}


def as_bytes(notebook: Mapping[str, Any]) -> bytes:
    """The notebook as Jupyter saves it."""
    return (json.dumps(notebook, ensure_ascii=False, indent=1) + "\n").encode()


def _statements(code: str) -> Iterator[tuple[ast.stmt, str]]:
    """The statements of a module other than texts and imports, with their source."""
    lines = code.splitlines()
    for node in ast.parse(code).body:
        if not isinstance(node, ast.Expr | ast.Import | ast.ImportFrom):
            yield node, "\n".join(lines[node.lineno - 1:node.end_lineno])


def _grade_id(cell: Mapping[str, Any]) -> str:
    return cell["metadata"].get("nbgrader", {}).get("grade_id", "")
