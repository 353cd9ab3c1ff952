"""Add to Python source where the addition belongs, leaving the existing code untouched."""

import ast

from autograder.authoring.new.checkout import CannotMake

WIDTH = 120


def before(source: str, name: str, code: str) -> str:
    """`code` on its own lines before the assignment to this name, with two blank lines around it."""
    lines, node = source.splitlines(), _assignment(source, name)
    top = "\n".join(lines[:node.lineno - 1]).rstrip()
    return f"{top}\n\n\n{code.strip()}\n\n\n" + "\n".join(lines[node.lineno - 1:]) + "\n"


def appended(source: str, name: str, element: str) -> str:
    """The tuple of this name with one more element, on the last line if there is room."""
    node = _assignment(source, name)
    return _with_element(source, node.value, element, len(name) + len(" = ("))


def with_mistake(source: str, entry: str) -> str:
    """The last tuple of mistakes with this entry at its end; `entry` is already indented."""
    groups = [node for node in ast.parse(source).body if isinstance(node, ast.Assign)
              and isinstance(node.value, ast.Tuple) and any(isinstance(item, ast.Call) for item in node.value.elts)]
    if not groups:
        raise CannotMake("expected a tuple of Mistake(...) in the file of mistakes, and found none")
    lines, end = source.splitlines(), _last_line(groups[-1].value)
    return "\n".join([*lines[:end - 1], entry.rstrip("\n"), *lines[end - 1:]]) + "\n"


def with_argument(source: str, call: str, argument: str, element: str) -> str:
    """The tuple given as this keyword argument of a call, with one more element on its own line."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == call:
            for keyword in node.keywords:
                if keyword.arg == argument and isinstance(keyword.value, ast.Tuple):
                    lines, end = source.splitlines(), _last_line(keyword.value)
                    return "\n".join([*lines[:end - 1], element, *lines[end - 1:]]) + "\n"
    raise CannotMake(f"expected a call of {call} with a tuple {argument}=(...), and found none")


def importing(source: str, module: str, name: str, full: str = "") -> str:
    """The source with this name among those imported from the module, which may be called by its full name, sorted."""
    for node in ast.parse(source).body:
        called = "." * node.level + (node.module or "") if isinstance(node, ast.ImportFrom) else ""
        if isinstance(node, ast.ImportFrom) and called in (module, full or module):
            names = sorted({alias.name for alias in node.names} | {name})
            line = f"from {called} import {', '.join(names)}"
            if len(line) > WIDTH:
                line = f"from {called} import (\n" + "".join(f"    {imported},\n" for imported in names) + ")"
            lines = source.splitlines()
            return "\n".join([*lines[:node.lineno - 1], line, *lines[node.end_lineno:]]) + "\n"
    raise CannotMake(f"expected an import from {module}, and found none")


def _last_line(node: ast.expr) -> int:
    """Where this ends: known of every node that was parsed."""
    assert node.end_lineno is not None
    return node.end_lineno


def _assignment(source: str, name: str) -> ast.Assign:
    for node in ast.parse(source).body:
        if isinstance(node, ast.Assign) and [getattr(target, "id", "") for target in node.targets] == [name]:
            return node
    raise CannotMake(f"expected {name} = (...) at the end of the file, and found none")


def _with_element(source: str, value: ast.expr, element: str, indent: int) -> str:
    if not isinstance(value, ast.Tuple):
        raise CannotMake("expected a tuple there")
    lines = source.splitlines()
    end = _last_line(value)
    last = lines[end - 1]
    head, tail = last[:(value.end_col_offset or 0) - 1].rstrip(), last[(value.end_col_offset or 0) - 1:]
    head = head.removesuffix(",")
    line = f"{head}, {element}{tail}"
    if len(line) > WIDTH:
        line = f"{head},\n{' ' * indent}{element}{tail}"
    return "\n".join([*lines[:end - 1], line, *lines[end:]]) + "\n"
