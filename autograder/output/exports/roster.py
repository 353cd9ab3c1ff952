"""Match students with their names in a learning environment (LMS), from a CSV file.

The column `student` (or `student_id`) holds the names of the folders in submitted/; all other columns belong to the LMS
and keep its headings, so a file that it exported works once that column is added. If the folders already have its
numbers, as after `nbgrader zip_collect`, its file works unchanged: "Participant 123" and "#123" are read as 123.
"""
from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

STUDENT = ("student", "student_id", "Identifier", "ID", "OrgDefinedId")
_NUMBER = re.compile(r"(?:#|[^\W\d]+ )(\d+)")
_NAMED = 5                                  # at most this many are named in a message


class RosterError(ValueError):
    """The roster cannot be used: what was seen, what was expected and what to do, in one line."""


class Roster(NamedTuple):
    """The rows of a roster by student, in file order."""

    path: str
    key: str                                # the column that identifies the student
    columns: tuple[str, ...]
    rows: Mapping[str, Mapping[str, str]]
    notes: tuple[str, ...] = ()

    def row(self, student: str) -> Mapping[str, str]:
        """The LMS's row for this student."""
        return self.rows[student]

    def check(self, students: Iterable[str]) -> None:
        """Raise RosterError unless each student has a row."""
        absent = [student for student in students if student not in self.rows]
        if absent:
            raise RosterError(f"{named(absent)} {'is' if len(absent) == 1 else 'are'} not in the column "
                              f"{self.key!r} of {self.path}; add {'a row' if len(absent) == 1 else 'rows'}, or name "
                              "another column with --match")


def named(students: Sequence[str]) -> str:
    """"a, b and 3 more"."""
    more = len(students) - _NAMED
    return ", ".join(students[:_NAMED]) + (f" and {more} more" if more > 0 else "")


def read_roster(path: Path, column: str = "") -> Roster:
    """The roster in this file. Raises RosterError."""
    words, notes = _text(path)
    lines = words.splitlines()
    if not lines:
        raise RosterError(f"{path} is empty; expected a CSV file with a column 'student'")
    delimiter = max(",;\t", key=lines[0].count)
    reader = csv.reader(io.StringIO(words, newline=""), delimiter=delimiter)
    header = [name.strip() for name in next(reader)]
    doubled = sorted({name for name in header if name and header.count(name) > 1})
    if doubled:
        raise RosterError(f"{path} has two columns {doubled[0]!r}; rename or delete one")
    key = _key(path, header, column)
    rows: dict[str, dict[str, str]] = {}
    first: dict[str, int] = {}
    for cells in reader:
        row = dict(zip(header, (cell.strip() for cell in cells), strict=False))
        number = _NUMBER.fullmatch(row.get(key, "")) if key not in STUDENT[:2] else None
        student = number[1] if number else row.get(key, "")
        if not student:
            continue
        if student in rows:
            raise RosterError(f"{path} names {student!r} twice, in line {first[student]} and line {reader.line_num}; "
                              "keep one")
        rows[student], first[student] = {name: row.get(name, "") for name in header}, reader.line_num
    if not rows:
        raise RosterError(f"{path} has no row with a {key!r}")
    return Roster(str(path), key, tuple(header), rows, tuple(notes))


def _key(path: Path, header: Sequence[str], column: str) -> str:
    wanted = (column,) if column else STUDENT
    key = next((name for name in wanted if name in header), None)
    if key is None:
        raise RosterError(f"{path} has no column {wanted[0]!r} with the students' names in submitted/, only: "
                          f"{', '.join(filter(None, header))}; add one, or name the right one with --match")
    return key


def _text(path: Path) -> tuple[str, list[str]]:
    """The file's text; Excel in the Netherlands saves CSV as Windows-1252 unless told otherwise."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise RosterError(f"cannot read {path}: {error.strerror or error}") from None
    if data.startswith(b"PK\x03\x04"):
        raise RosterError(f"{path} is an Excel file; save it as CSV (UTF-8)")
    try:
        return data.decode("utf-8-sig"), []
    except UnicodeDecodeError:
        return data.decode("cp1252", "replace"), [f"{path} is not UTF-8 and was read as Windows-1252; check the names"]
