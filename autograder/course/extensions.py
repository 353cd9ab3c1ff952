"""Keep who has more time, in `extensions.csv` beside `autograder.toml`: a row per student, for people to read and edit.

student,assignment,until
student-07,multihead,2026-11-02 20:00 Europe/Amsterdam

A time without a zone is the course's own. `autograder extend` writes the file; `grade`, `report` and `export` read it,
and `grade` tells nbgrader's gradebook. An extension that was given in the gradebook alone counts as well.
"""

import csv
import io
from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

from autograder.atomic import replace_file
from autograder.course.folder import CourseError
from autograder.course.late import days_after
from autograder.course.settings import read_settings
from autograder.course.times import understood, why_not
from autograder.decoding import sheet

FILE = "extensions.csv"
COLUMNS = ("student", "assignment", "until")
Extensions = Mapping[tuple[str, str], str]                  # (assignment, student) -> until when, as it was written


def extensions(root: Path) -> dict[tuple[str, str], str]:
    """What the course's file says; CourseError if it is not such a file."""
    path = root / FILE
    return read_list(path) if path.exists() else {}


def read_list(path: Path, assignment: str = "") -> dict[tuple[str, str], str]:
    """The rows of a list. One without the column `assignment` is for this one."""
    header, rows, _ = sheet(path, CourseError)
    columns = {name.lower(): name for name in header if name.lower() in COLUMNS}
    needed = ("student", "until") if assignment else COLUMNS
    if not columns.keys() >= set(needed):
        raise CourseError(f"{path} has the columns {', '.join(header)}; expected {', '.join(needed)}")
    found: dict[tuple[str, str], str] = {}
    for line, row in rows:
        student, of, until = (row.get(columns.get(name, ""), "") for name in COLUMNS)
        key = (of or assignment, student)
        if not student and not until:
            continue
        if not all((*key, until)):
            raise CourseError(f"{path}, line {line}: expected a student, an assignment and a time")
        if key in found:
            raise CourseError(f"{path}, line {line}: {student} is there twice; keep one row")
        moment(until, "UTC", f"{path}, line {line}")
        found[key] = until
    return found


def moment(until: str, zone: str, where: str) -> datetime:
    """This time in UTC; one without a zone is in the zone of the course. CourseError if it is not understood."""
    found = understood(until, zone)
    if found is None:
        raise CourseError(f"{where} says {until[:60]!r}; {why_not(until, zone)}")
    return found


def write_extensions(root: Path, given: Extensions) -> None:
    """Replace the file by these."""
    file = io.StringIO(newline="")
    writer = csv.writer(file, lineterminator="\n")
    writer.writerows([COLUMNS, *((student, of, until) for (of, student), until in sorted(given.items()))])
    replace_file(root / FILE, file.getvalue().encode("utf-8", "replace"))


class DueDates:
    """When each student's work for one assignment is due, in UTC."""

    def __init__(self, root: Path, assignment: str):
        zone = read_settings(root).timezone
        self._place = ZoneInfo(zone)
        self._until = {student: moment(until, zone, str(root / FILE))
                       for (of, student), until in extensions(root).items() if of == assignment}

    @property
    def listed(self) -> Iterable[datetime]:
        """The ends of all extensions in the course's list."""
        return self._until.values()

    def of(self, student: str, due: datetime | None, extension: timedelta | None = None) -> datetime | None:
        """The due date of this student: by the course's list, else as the gradebook has it."""
        if due is None:
            return None
        if student in self._until or not extension:
            return self._until.get(student, due)
        whole_days = not extension % timedelta(days=1)                  # then until the same time of day
        return days_after(due, extension.days, self._place) if whole_days else due + extension

    def extension(self, student: str, due: datetime) -> timedelta | None:
        """What the course's list gives this student on top of the due date; None if it does not name them."""
        return self._until[student] - due if student in self._until else None


def has_extension(root: Path, student: str) -> bool:
    """Whether the list names this student."""
    return any(name == student for _, name in extensions(root))


def without(root: Path, student: str) -> None:
    """Remove this student from the list."""
    if has_extension(root, student):
        write_extensions(root, {key: until for key, until in extensions(root).items() if key[1] != student})
