"""Walk the nodes of a source several times, and look for what is in each of them only once."""
from __future__ import annotations

import ast
from typing import Any


def children(node: ast.AST) -> list[ast.AST]:
    """The nodes directly in this one, in the order of the source."""
    known: Any = getattr(node, "_children", None)
    if known is None:
        known = []
        for name in node._fields:
            part = getattr(node, name, None)
            if isinstance(part, ast.AST):
                known.append(part)
            elif isinstance(part, list):
                known += [each for each in part if isinstance(each, ast.AST)]
        node._children = known  # pyright: ignore[reportAttributeAccessIssue] -- nodes have room for it
    return known


def walk(node: ast.AST) -> list[ast.AST]:
    """This node and all that are in it."""
    found = [node]
    for each in found:                          # which grows meanwhile
        found += children(each)
    return found
