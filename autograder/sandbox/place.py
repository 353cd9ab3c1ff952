"""Find the function that a line of a source is in. A student's source is never parsed here: that could be made slow."""

import re
from collections.abc import Mapping


class Places:
    """The lines of some cells: for each the function that it is in, and what is a stub because of it. Found once."""

    def __init__(self, sources: Mapping[int, str]):
        self._sources = sources
        self._found: dict[tuple[int, int], tuple[str, str] | None] = {}

    def at(self, cell: int, line: int) -> tuple[str, str] | None:
        """Both names; None where there is no such line: what was compiled in a call can have any number."""
        if (cell, line) not in self._found:
            source = self._sources.get(cell, "")
            self._found[cell, line] = None if not 0 < line <= len(source.splitlines()) else (
                function_at(source, line), nothing_but_a_stub("\n".join(self._sources.values()), source, line))
        return self._found[cell, line]


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


_HEADER = re.compile(r"def[ \t]+(\w{1,60})\([^()]*\)[^()#]*:[ \t]*(#.*)?")
_DOCSTRING = re.compile(r"[ \t]*(\"{3}|'{3})(?s:.*?)\1")
_NOTHING = re.compile(r"([ \t]*(#.*)?\n)*")
_STUB = re.compile(r"[ \t]+raise NotImplementedError(\((\"[^\"\\]*\"|'[^'\\]*')?\))?[ \t]*(#.*)?")


def nothing_but_a_stub(every: str, source: str, line: int) -> str:
    """The name of the function of which this line, a bare `raise NotImplementedError`, is the first statement.

    Whatever such a function is asked, it ends there. "" where that is not plain: its name is bound a second
    time (`every` is all the code there is), it may be decorated, or its head takes several lines.
    """
    lines = source.splitlines()
    if not 0 < line <= len(lines) or not _STUB.fullmatch(lines[line - 1]):
        return ""
    head = next((place for place in range(line - 2, -1, -1) if lines[place].startswith("def")), None)
    found = None if head is None else _HEADER.fullmatch(lines[head])
    if head is None or found is None or any(above.startswith("@") for above in lines[:head]):
        return ""
    before = "".join(f"{one}\n" for one in lines[head + 1:line - 1])
    docstring = _DOCSTRING.match(before, _end(before, 0))
    if _end(before, docstring.end() if docstring else 0) < len(before):
        return ""
    name = found[1]
    bound = re.compile(rf"^[ \t]*(def[ \t]+{name}\b|{name}\b[^(\n]*=(?!=))|\bas[ \t]+{name}\b", re.MULTILINE)
    return name if len(bound.findall(every)) == 1 else ""


def _end(text: str, start: int) -> int:
    """Where the blank lines and comments that begin here end."""
    found = _NOTHING.match(text, start)
    return found.end() if found else start
