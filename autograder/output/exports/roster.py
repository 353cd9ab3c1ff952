"""Match students with their names in a learning environment (LMS), from a CSV file.

The column `student` (or `student_id`) holds the names of the folders in submitted/; all other columns belong to the LMS
and keep its headings, so a file that it exported works once that column is added. If the folders already have its
numbers, as after `nbgrader zip_collect`, its file works unchanged: "Participant 123" and "#123" are read as 123.
"""

import re
import unicodedata
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from autograder.decoding import Sheet, sheet
from autograder.faults import Refused
from autograder.output.class_list import Person

STUDENT = ("student", "student_id", "Identifier", "ID", "OrgDefinedId")
_EMAIL = ("email", "e-mail", "email address", "e-mailadres", "mail")
_IDS = ("student", "student_id", "studentnummer", "identifier", "id", "lms_id", "lms id", "orgdefinedid", "sis user id",
        "sis login id", "id number", "id-nummer", "username", "gebruikersnaam", *_EMAIL)
_NUMBER = re.compile(r"[^\W\d]+ (\d+)")
_CANVAS = ("Points Possible", "Student, Test")          # rows of its export that are nobody
_NAMED = 5                                  # at most this many are named in a message


class RosterError(Refused):
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


def read_roster(path: Path, column: str = "", known: Collection[str] = ()) -> Roster:
    """The roster in this file, its students called as the `known` ones are. Raises RosterError."""
    (header, found, _), notes = _sheet(path)
    key, own = _key(path, header, column), _matcher(known)
    rows: dict[str, dict[str, str]] = {}
    first: dict[str, int] = {}
    for line, row in found:
        student = row.get(key, "") if key in STUDENT[:2] else number_in(row.get(key, ""))
        if not student:
            continue
        student = own(student) or student
        if student in rows:
            raise RosterError(f"{path} names {student!r} twice, in line {first[student]} and line {line}; keep one")
        rows[student], first[student] = {name: row.get(name, "") for name in header}, line
    if not rows:
        raise RosterError(f"{path} has no row with a {key!r}")
    return Roster(str(path), key, tuple(header), rows, tuple(notes))


def read_class(path: Path, known: Collection[str]) -> tuple[dict[str, Person], list[str]]:
    """Who is in the class by this file, and notes about it. Raises RosterError.

    A row may identify its student in several columns: what is among the `known` students counts, else the first.
    """
    (header, rows, _), notes = _sheet(path)
    columns = {name.casefold(): name for name in reversed(header)}
    ids = [columns[name] for name in _IDS if name in columns]
    if "Student" in columns.values() and len(ids) > 1:                  # Canvas calls the name that
        ids.remove("Student")
    if not ids:
        raise RosterError(f"{path} has no column 'student' with the students' names in submitted/, nor an id or an "
                          f"e-mail address; it has: {', '.join(filter(None, header))}")
    people: dict[str, Person] = {}
    first: dict[str, int] = {}
    own = _matcher(known)
    for line, row in rows:
        if row.get("Student") in _CANVAS:
            continue
        found = [number_in(row[name]) for name in ids if row.get(name)]
        if not found:
            if any(row.values()):
                notes.append(f"{path}, line {line} has no {' or '.join(ids)} and was left out")
            continue
        student = next(filter(None, map(own, found)), found[0])
        if student in people:
            raise RosterError(f"{path} names {student!r} twice, in line {first[student]} and line {line}; keep one")
        people[student], first[student] = _person(student, row, columns), line
    if not people:
        raise RosterError(f"{path} has no row with a student")
    return people, notes


def _person(student: str, row: Mapping[str, str], columns: Mapping[str, str]) -> Person:
    def of(*names: str) -> str:
        return next((row[columns[name]] for name in names if name in columns and row.get(columns[name])), "")
    parts = (of("first_name", "first name", "voornaam"), of("tussenvoegsel", "tussenvoegsels"),
             of("last_name", "last name", "surname", "achternaam"))
    name = of("name", "naam", "full name", "volledige naam") or " ".join(filter(None, parts))
    if not name and "Student" in columns.values() and row.get("Student") != student:
        name = row.get("Student", "")
    return Person(student, name, of(*_EMAIL), of("section", "sectie", "group", "groep", "klas"))


def _matcher(known: Collection[str]) -> Callable[[str], str | None]:
    """Who of these is meant by a name, in spite of what file systems and spreadsheets change in it: how accents are
    written, case, and spaces around it.
    """
    def folded(name: str) -> str:
        return unicodedata.normalize("NFC", name).strip().casefold()
    nearly = {folded(one): one for one in known}
    return lambda name: name if name in known else nearly.get(folded(name))


def number_in(value: str) -> str:
    """The number in "Participant 123", and what follows the "#" of Brightspace; any other value as it is."""
    number = _NUMBER.fullmatch(value)
    return number[1] if number else value.removeprefix("#")


def _key(path: Path, header: Sequence[str], column: str) -> str:
    wanted = (column,) if column else STUDENT
    key = next((name for name in wanted if name in header), None)
    if key is None:
        raise RosterError(f"{path} has no column {wanted[0]!r} with the students' names in submitted/, only: "
                          f"{', '.join(filter(None, header))}; add one, or name the right one with --match")
    return key


def _sheet(path: Path) -> tuple[Sheet, list[str]]:
    """The rows of a CSV file, and a note if its encoding was guessed. Raises RosterError."""
    found = sheet(path, RosterError, "replace")
    return found, [f"{path} is not UTF-8 and was read as Windows-1252; check the names"] if found.guessed else []
