"""Find the function that a line of a source is in. A student's source is never parsed here: that could be made slow."""
from __future__ import annotations

import re

_DEF = re.compile(r"^([ \t]*)(?:async[ \t]+)?def[ \t]+(\w{1,60})")


def function_at(source: str, line: int) -> str:
    """The name after the nearest `def` above that is indented less than this line; "" if there is none."""
    lines = source.splitlines()
    if not 0 < line <= len(lines):
        return ""
    if found := _DEF.match(lines[line - 1]):                # def f(): raise ..., all in one line
        return found[2]
    inside = _indent(lines[line - 1])
    for above in reversed(lines[:line - 1]):
        if above.strip() and _indent(above) < inside:
            found = _DEF.match(above)
            if found:
                return found[2]
            inside = _indent(above)
    return ""


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())
