"""Walk the nodes of a source several times, and look for what is in each of them only once."""
from __future__ import annotations

import ast
from collections.abc import Iterator


def children(node: ast.AST) -> list[ast.AST]:
    """The nodes directly in this one, in the order of the source."""
    known = vars(node).get("_children")
    if known is None:
        known = list(ast.iter_child_nodes(node))
        vars(node)["_children"] = known
    return known


def walk(node: ast.AST) -> Iterator[ast.AST]:
    """This node and all that are in it."""
    yield node
    for child in children(node):
        yield from walk(child) if children(child) else (child,)
