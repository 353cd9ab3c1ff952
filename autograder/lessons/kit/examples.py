"""Find the variables of a notebook's example cells: students see them there, but they do not exist when grading."""

import ast
import json
from collections.abc import Iterator

_SCOPES = (ast.FunctionDef, ast.ClassDef, ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


def example_names(notebook: str) -> set[str]:
    """Every name that a given cell of this course notebook assigns."""
    cells = json.loads(notebook)["cells"]
    given = [cell for cell in cells if cell["cell_type"] == "code"
             and not cell["metadata"].get("nbgrader", {}).get("solution", False)]
    return {name for cell in given for name in _given_a_value("".join(cell["source"]))}


def _given_a_value(source: str) -> Iterator[str]:
    """The names that a cell assigns outside its functions; empty for a cell that is not Python."""
    try:
        todo: list[ast.AST] = [ast.parse(source)]
    except SyntaxError:
        return
    while todo:
        node = todo.pop()
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
        todo += [child for child in ast.iter_child_nodes(node) if not isinstance(child, _SCOPES)]
