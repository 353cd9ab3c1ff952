"""Write CSV that no spreadsheet runs and no reader misreads.

A spreadsheet would run a cell that begins like a formula: words get a leading apostrophe, as spreadsheets write it
themselves. Ids are never changed: an id that could be run is refused.
"""

import csv
import io
import re
from collections.abc import Iterable, Sequence

from autograder.output.marks import number
from autograder.output.plain import plain

_FORMULA = re.compile(r"\s*[=+\-@\uff1d\uff0b\uff0d\uff20]|[\t\r\n]")
_NUMBER = re.compile(r"[+-][\d.,: -]*")                 # also the lone - that means "nothing" in many exports
#: what begins with a letter or a digit never runs, unless a spreadsheet that splits at other places cuts it in two
_HARMLESS_ID = re.compile(r"[^=\s][\w.@#:+ -]*|\w[\w.@#:+ '\u2019\u0300-\u036f&/()*~$%!?-]*")
BOM = "\ufeff".encode()


def words(value: str) -> str:
    """A name or a comment that a spreadsheet shows as it is and never runs."""
    value = plain(value)
    return f"'{value}" if _FORMULA.match(value) and not _NUMBER.fullmatch(value) else value


def is_harmless(identity: str) -> bool:
    """Whether an id can be written as it is: with these characters no formula does anything."""
    return not identity or _HARMLESS_ID.fullmatch(identity) is not None


def points(value: float | None, decimal: str = ".") -> str:
    """The points as "17.5", as "3" rather than "3.0", and as an empty string if unknown."""
    return "" if value is None else str(number(value)).replace(".", decimal)


def as_csv(rows: Iterable[Sequence[str]], delimiter: str = ",", bom: bool = False) -> bytes:
    """RFC 4180: CRLF after each row, quotes where needed."""
    file = io.StringIO(newline="")
    csv.writer(file, delimiter=delimiter).writerows(rows)
    return (BOM if bom else b"") + file.getvalue().encode("utf-8", "replace")
