"""CSV that neither a spreadsheet nor a reader misunderstands.

A cell that begins like a formula would be run by a spreadsheet: words get an apostrophe before them, as spreadsheets
write it themselves. Ids are never changed: one that could be run is refused.
"""
from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Sequence

from autograder.output.marks import number
from autograder.output.plain import plain

_FORMULA = re.compile(r"\s*[=+\-@\uff1d\uff0b\uff0d\uff20]|[\t\r\n]")
_NUMBER = re.compile(r"[+-][\d.,: -]*")                 # also the lone - that says "nothing" in many exports
_HARMLESS_ID = re.compile(r"[^=\s][\w.@#:+ -]*")
BOM = "\ufeff".encode()


def words(value: str) -> str:
    """A name or a comment: shown as it is by a spreadsheet, never run."""
    value = plain(value)
    return f"'{value}" if _FORMULA.match(value) and not _NUMBER.fullmatch(value) else value


def is_harmless(identity: str) -> bool:
    """Whether an id can stand in a cell as it is: with these characters no formula does anything."""
    return not identity or _HARMLESS_ID.fullmatch(identity) is not None


def points(value: float | None, decimal: str = ".") -> str:
    """"17.5", "3" rather than "3.0", and nothing where it is not known."""
    return "" if value is None else str(number(value)).replace(".", decimal)


def as_csv(rows: Iterable[Sequence[str]], delimiter: str = ",", bom: bool = False) -> bytes:
    """RFC 4180: CRLF at the end of a row, quotes where they are needed."""
    file = io.StringIO(newline="")
    csv.writer(file, delimiter=delimiter).writerows(rows)
    return (BOM if bom else b"") + file.getvalue().encode("utf-8", "replace")
