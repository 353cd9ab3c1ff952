"""Walk the nodes of a source several times, and look for what is in each of them only once."""

import ast
from typing import Any

#: what only says how a node is used, such as `+`; nothing is in it
_MARKS = frozenset({ast.Load, ast.Store, *(mark for kind in (ast.boolop, ast.operator, ast.unaryop, ast.cmpop)
                                           for mark in kind.__subclasses__())})


def children(node: ast.AST) -> list[ast.AST]:
    """The nodes directly in this one, in the order of the source, without what only says how one is used."""
    known: Any = node.__dict__.get("_children")
    if known is None:
        known = []
        for name in node._fields:
            part = getattr(node, name, None)
            if isinstance(part, list):
                known += [each for each in part if isinstance(each, ast.AST) and type(each) not in _MARKS]
            elif isinstance(part, ast.AST) and type(part) not in _MARKS:
                known.append(part)
        node._children = known  # pyright: ignore[reportAttributeAccessIssue] -- nodes have room for it
    return known


def walk(node: ast.AST) -> list[ast.AST]:
    """This node and all that are in it."""
    found = [node]
    for each in found:                          # which grows meanwhile
        found += children(each)
    return found
