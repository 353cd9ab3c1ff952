"""Make every first-order mutant of a module's functions, each once."""

import ast
import copy
import difflib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from autograder.proof.mutation_operators import Scope, replacements


@dataclass(frozen=True)
class Mutant:
    """One change of one function. `change` names it, without its position: "f: old line -> new line", messages cut."""

    function: str
    change: str
    source: str
    line: int = 0                               # of the source, that changes


def mutants(source: str, functions: Iterable[str]) -> list[Mutant]:
    """All mutants of these functions that differ from the source and from each other, in the order of the source."""
    tree = ast.parse(source)
    texts, called, wanted = [ast.unparse(node) for node in tree.body], _called(tree), set(functions)
    found = []
    for place, node in enumerate(tree.body):
        if isinstance(node, ast.FunctionDef) and node.name in wanted:
            written = {ast.unparse(other): (other, line) for other, line in _mutated(node, called)}
            cut: dict[ast.AST, ast.AST] = {}
            before = _lines(node, cut)
            found += [Mutant(node.name, _change(before, _lines(other, cut), node.name),
                             "\n\n\n".join([*texts[:place], text, *texts[place + 1:]]) + "\n", line)
                      for text, (other, line) in written.items() if text != texts[place] and _compiles(text)]
    return found


def _compiles(text: str) -> bool:
    try:
        compile(text, "mutant", "exec", dont_inherit=True)
    except SyntaxError:
        return False
    return True


def _called(tree: ast.Module) -> list[str]:
    """The module's functions that it calls itself, and those that it imports by name."""
    imported = [alias.name for node in tree.body if isinstance(node, ast.ImportFrom) for alias in node.names]
    defined = [node.name for node in tree.body if isinstance(node, ast.FunctionDef)]
    called = {node.func.id for node in ast.walk(tree) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)}
    return [name for name in imported + defined if name in called]


def _scope(function: ast.FunctionDef, called: list[str]) -> Scope:
    names = {arg.arg: function.lineno for arg in function.args.args}
    keys: dict[str, None] = {}
    for node in ast.walk(function):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.setdefault(node.id, node.lineno)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value.isidentifier():
            keys.setdefault(node.value)
    return Scope(names, called, list(keys))


def _mutated(function: ast.FunctionDef, called: list[str]) -> Iterator[tuple[ast.FunctionDef, int]]:
    """The function with one node replaced, for every node and every replacement, and the line of that node."""
    scope = _scope(function, called)
    for node in _nodes(function):
        for new in replacements(node, scope):
            for part in new if isinstance(new, list) else [new]:
                ast.fix_missing_locations(part)
            yield _replacing(function, node, new), getattr(node, "lineno", function.lineno)


def _nodes(function: ast.FunctionDef) -> Iterator[ast.AST]:
    """The nodes that may change: not the docstring, nor the text of a message, nor which error is raised."""
    todo: list[ast.AST] = [*function.body[bool(ast.get_docstring(function)):]]
    while todo:
        node = todo.pop(0)
        yield node
        if not isinstance(node, ast.Raise):
            todo += [child for child in ast.iter_child_nodes(node) if not isinstance(child, ast.JoinedStr)]


def _replacing(node: ast.AST, old: ast.AST, new: Any) -> Any:
    """The node with `new` in the place of `old`; an emptied block becomes `pass`."""
    if node is old:
        return new
    other = _with_parts(node, lambda part: _replacing(part, old, new))
    if isinstance(other, (ast.If, ast.For, ast.FunctionDef)) and not other.body:
        other.body = [ast.Pass()]
    return other


def _with_parts(node: ast.AST, changed: Callable[[ast.AST], Any]) -> Any:
    """The node itself if nothing in it changes, else a copy that shares with it whatever does not.

    A list in the place of a statement is several, or none.
    """
    other = node
    for name, value in ast.iter_fields(node):
        if isinstance(value, ast.AST):
            new = changed(value)
            same = new is value
        elif isinstance(value, list):
            parts = [changed(part) if isinstance(part, ast.AST) else part for part in value]
            same = all(new is old for new, old in zip(parts, value, strict=True))
            new = [one for part in parts for one in (part if isinstance(part, list) else [part])]
        else:
            continue
        if not same:
            other = copy.copy(node) if other is node else other
            setattr(other, name, new)
    return other


def _change(before: list[str], after: list[str], name: str) -> str:
    """The lines that differ, in one line."""
    parts = [part for part in difflib.SequenceMatcher(None, before, after).get_opcodes() if part[0] != "equal"]
    old = "; ".join(line.strip() for _, start, end, _, _ in parts for line in before[start:end])
    new = "; ".join(line.strip() for _, _, _, start, end in parts for line in after[start:end])
    return f"{name}: {old} -> {new or 'nothing'}"


def _lines(function: ast.FunctionDef, known: dict[ast.AST, ast.AST]) -> list[str]:
    return ast.unparse(_cut(function, known)).splitlines()


def _cut(node: ast.AST, known: dict[ast.AST, ast.AST]) -> ast.AST:
    """The node with its messages cut: f"heads must be positive, got {heads}" -> 'heads must...'."""
    if node not in known:
        if isinstance(node, ast.JoinedStr):
            words = " ".join(str(part.value) for part in node.values if isinstance(part, ast.Constant)).split()
            known[node] = ast.Constant(f"{' '.join(words[:2])}...")
        else:
            known[node] = _with_parts(node, lambda part: _cut(part, known))
    return known[node]
