"""Read what is readable of a source with a syntax error, so that one line costs only its own function."""

import ast
import re
from collections.abc import Iterator
from contextlib import suppress

TRIES = 1000                              # at most this many pieces are tried
_BEGINS = re.compile(r"[^\s#)\]}]")       # a line that is not indented and closes nothing
_DEFINES = re.compile(r"(?:def|class|async|import|from|@)\b|@")
_GOES_ON = re.compile(r"(?:else|elif|except|finally|case)\b")


def readable(source: str, filename: str) -> tuple[list[ast.stmt], SyntaxError | None]:
    """The statements of a source, and its syntax error; if there is one, the statements of all pieces that are Python.

    A piece begins at a line that is not indented. A piece that cannot be read alone may continue in the next ones, up
    to the next definition.
    """
    try:
        return ast.parse(source, filename).body, None
    except SyntaxError as error:
        return list(_of_pieces(source.splitlines(keepends=True), filename)), error


def _of_pieces(lines: list[str], filename: str) -> Iterator[ast.stmt]:
    begins = [number for number, line in enumerate(lines) if _BEGINS.match(line) and not _GOES_ON.match(line)]
    ends = [*begins[1:], len(lines)]
    piece = tries = 0
    while piece < len(begins):
        last = next((number for number in range(piece, len(begins) - 1) if _DEFINES.match(lines[ends[number]])),
                    len(begins) - 1)
        following = piece + 1
        for number in range(piece, last + 1):
            tries += 1
            if tries > TRIES:
                return
            with suppress(SyntaxError):
                blank = "\n" * begins[piece]              # keeps the line numbers
                yield from ast.parse(blank + "".join(lines[begins[piece]:ends[number]]), filename).body
                following = number + 1
                break
        piece = following
