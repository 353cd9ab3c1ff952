"""What earlier runs wrote for each student, so that a run with nothing new writes nothing.

A record is only believed: the rows of the gradebook and the files are looked at, and whatever does not match any more
(a gradebook that was put away, a page that was deleted, a course that changed) is written again. nbgrader itself is
not imported here: that takes longer than all of it.
"""
from __future__ import annotations

import os
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import blake2b
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from autograder.course.folder import CONFIG, Course, timestamp_file
from autograder.course.settings import FILE as SETTINGS
from autograder.lessons.kit.course_file import course_file
from autograder.lessons.kit.lesson import Lesson

if TYPE_CHECKING:
    from sqlalchemy import Connection

JUST_NOW = 2 * 10**9                            # ns; no file system counts in larger steps
_WRITERS = ("nbgrader", "output", "locale")     # folders of the package that decide what is written of a grade
#: the penalty of late work follows what a person gave
_IF_LATE = "CASE WHEN sn.late_submission_penalty IS NOT NULL THEN {} END"
_OF_STUDENTS = {
    "submission": "SELECT sa.student_id, sa.timestamp, sa.extension, sn.late_submission_penalty "
                  "FROM submitted_assignment sa JOIN assignment a ON a.id = sa.assignment_id "
                  "JOIN submitted_notebook sn ON sn.assignment_id = sa.id WHERE a.name = :assignment",
    "grade": f"SELECT sa.student_id, c.name, g.auto_score, {_IF_LATE.format('g.manual_score')}, "
             f"{_IF_LATE.format('g.extra_credit')} FROM grade g JOIN base_cell c ON c.id = g.cell_id "
             "JOIN submitted_notebook sn ON sn.id = g.notebook_id "
             "JOIN submitted_assignment sa ON sa.id = sn.assignment_id "
             "JOIN assignment a ON a.id = sa.assignment_id WHERE a.name = :assignment",
    "comment": "SELECT sa.student_id, c.name, m.auto_comment FROM comment m JOIN base_cell c ON c.id = m.cell_id "
               "JOIN submitted_notebook sn ON sn.id = m.notebook_id "
               "JOIN submitted_assignment sa ON sa.id = sn.assignment_id "
               "JOIN assignment a ON a.id = sa.assignment_id WHERE a.name = :assignment",
}
_OF_ASSIGNMENT = (
    "SELECT name, duedate, course_id FROM assignment WHERE name = :assignment",
    "SELECT n.name, n.kernelspec, c.name, c.cell_type, c.locked, c.source, c.checksum FROM source_cell c "
    "JOIN notebook n ON n.id = c.notebook_id JOIN assignment a ON a.id = n.assignment_id WHERE a.name = :assignment",
    "SELECT b.name, g.max_score FROM grade_cells g JOIN base_cell b ON b.id = g.id "
    "JOIN notebook n ON n.id = b.notebook_id JOIN assignment a ON a.id = n.assignment_id WHERE a.name = :assignment",
)


class Record(NamedTuple):
    """One student: what was written, and what the gradebook and the files were like after that."""

    student: str
    mark: str
    grade: str                                  # of the grade's line in the journal
    course: str
    rows: str
    files: list[tuple[int, int]]                # of each: when it was changed, in ns, and its size
    handed_in: list[tuple[str, int, int, int]]  # of each file: its name, when its content or state changed, its number


@dataclass
class Written:
    """The records of one assignment. Use it as a context manager, under the lock of the course."""

    course: Course
    lesson: Lesson
    language: str
    path: Path
    _records: dict[str, Record] = field(default_factory=dict)
    _rows: dict[str, int] = field(default_factory=dict)
    _course: str = ""
    _handed_in: dict[str, list[tuple[str, int, int, int]]] = field(default_factory=dict)

    @property
    def assignment(self) -> str:
        return self.lesson.name

    def __enter__(self) -> Written:
        decode, lines = msgspec.json.Decoder(Record).decode, 0
        if self.path.exists():
            for line in self.path.read_bytes().splitlines():
                lines += 1
                with suppress(msgspec.MsgspecError, UnicodeDecodeError):
                    record = decode(line)
                    self._records[record.student] = record
        if self._records:
            self._look()
        if lines > 2 * len(self._records) + 1000:
            self._shrink()
        self._file = self.path.open("ab", buffering=0)
        self._file.write(b"\n" if lines else b"")               # what was cut off ends here
        return self

    def __exit__(self, *exception: object) -> None:
        self._file.close()

    def mark(self, student: str, grade: bytes, notebook: bytes) -> str:
        """Equal for what leads to the same files and rows: the grade, the notebook, when it was handed in."""
        handed_in = timestamp_file(self.course.path("submitted", student, self.assignment))
        digest = blake2b(digest_size=12)
        for part in (grade, notebook, handed_in):
            digest.update(len(part).to_bytes(8, "big") + part)
        return digest.hexdigest()

    def untouched(self, student: str, grade: bytes, paths: Sequence[Path]) -> bool:
        """Whether nothing was handed in since this grade was written, and all of it is still there.

        What was handed in is not read for that: the operating system notes every change of a file.
        """
        record, found = self._records.get(student), self._handed_in.get(student, [])
        return (record is not None and found != [] and record.handed_in == found and record.grade == _digest(grade)
                and self._stands(record, paths))

    def holds(self, student: str, mark: str, grade: bytes, paths: Sequence[Path]) -> bool:
        """Whether all of it is still there as it was written."""
        record = self._records.get(student)
        if record is None or record.mark != mark or not self._stands(record, paths):
            return False
        handed_in = self._handed_in.pop(student, [])
        if handed_in != record.handed_in or record.grade != _digest(grade):
            self._keep([record._replace(handed_in=handed_in, grade=_digest(grade))])
        return True

    def _stands(self, record: Record, paths: Sequence[Path]) -> bool:
        return (record.course == self._course and record.rows != "" and record.files != []
                and record.rows == _hex(self._rows.get(record.student)) and record.files == _states(paths))

    def look_at(self, student: str) -> None:
        """See what lies in the student's folder, before it is read."""
        self._handed_in[student] = _handed_in(self.course.path("submitted", student, self.assignment))

    def wrote(self, written: Iterable[tuple[str, str, bytes, Sequence[Path]]]) -> None:
        """Remember these (student, mark, grade, files), whose rows are in the gradebook now."""
        written = list(written)
        with self._gradebook() as connection:
            if connection is None:
                return
            rows = _rows(connection, self.assignment, [student for student, *_ in written])
            course = self._course = self._course or self._of_course(connection)
        self._keep([Record(student, mark, _digest(grade), course, _hex(rows.get(student)), _states(paths),
                           self._handed_in.pop(student, [])) for student, mark, grade, paths in written])

    def _keep(self, records: Iterable[Record]) -> None:
        self._file.write(b"".join(msgspec.json.encode(record) + b"\n" for record in records))

    def _look(self) -> None:
        """What the gradebook holds now."""
        from sqlalchemy.exc import SQLAlchemyError
        with suppress(SQLAlchemyError), self._gradebook() as connection:
            if connection is not None:
                self._rows = _rows(connection, self.assignment)
                self._course = self._of_course(connection)

    def _shrink(self) -> None:
        part = self.path.with_name(f".{self.path.name}.part")
        with suppress(OSError):                                 # no room for a copy: it stays as it is
            part.write_bytes(b"".join(msgspec.json.encode(record) + b"\n" for record in self._records.values()))
            part.replace(self.path)

    @contextmanager
    def _gradebook(self) -> Iterator[Connection | None]:
        """A connection to the gradebook; None where there is no such file yet."""
        from sqlalchemy import create_engine, make_url
        url = make_url(self.course.db_url)
        if url.get_backend_name() == "sqlite" and not (url.database and Path(url.database).is_file()):
            yield None
            return
        engine = create_engine(url)
        try:
            with engine.connect() as connection:
                yield connection
        finally:
            engine.dispose()

    def _of_course(self, connection: Connection) -> str:
        """What is the same for all students: the cells and settings of the course, and the version of the writers."""
        import sqlalchemy
        digest = blake2b(self._files, digest_size=12)
        for query in _OF_ASSIGNMENT:
            rows = connection.execute(sqlalchemy.text(query), {"assignment": self.assignment})
            digest.update(repr(sorted(map(repr, rows))).encode())
        return digest.hexdigest()

    @cached_property
    def _files(self) -> bytes:
        """Everything that is a file: the course's own, and the code, templates and translations of ours."""
        package, source = Path(str(files("autograder"))), self.course.path("source", ".", self.assignment)
        paths = [self.course.root / f"{CONFIG}.py", self.course.root / f"{CONFIG}.json", self.course.root / SETTINGS,
                 *source.rglob("*"), *map(course_file, self.lesson.editions.values()),
                 *(path for name in _WRITERS for path in (package / name).rglob("*"))]
        digest = blake2b(self.language.encode(), digest_size=16)
        for path in sorted(path for path in paths if path.suffix != ".pyc" and path.is_file()):
            digest.update(str(path).encode() + b"\0" + path.read_bytes())
        return digest.digest()


def _rows(connection: Connection, assignment: str, students: Sequence[str] | None = None) -> dict[str, int]:
    """The rows of these students, or of all, as a number each that another row or another value changes."""
    import sqlalchemy
    found: dict[str, int] = {}
    for kind, query in _OF_STUDENTS.items():
        values: dict[str, object] = {"assignment": assignment}
        statement = sqlalchemy.text(query)
        if students is not None:
            values["students"] = list(students)
            statement = sqlalchemy.text(f"{query} AND sa.student_id IN :students").bindparams(
                sqlalchemy.bindparam("students", expanding=True))
        for student, *row in connection.execute(statement.execution_options(yield_per=1000), values):
            digest = blake2b(repr((kind, *row)).encode(), digest_size=12).digest()
            found[student] = (found.get(student, 0) + int.from_bytes(digest, "big")) % 2**96
    return found


def _digest(grade: bytes) -> str:
    return blake2b(grade, digest_size=12).hexdigest()


def _handed_in(folder: Path) -> list[tuple[str, int, int, int]]:
    """Everything in this folder with when it last changed, in ns, and its number on the disk, which no one can set.

    Nothing where there are links, whose targets change by themselves, or where it changed just now: another change
    in the same moment would not be seen.
    """
    found, just_now = [], time.time_ns() - JUST_NOW
    try:
        for where, folders, names in os.walk(folder):
            for path in (where, *(os.path.join(where, name) for name in (*folders, *names))):
                state = os.lstat(path)
                if os.path.islink(path) or state.st_ctime_ns > just_now:
                    return []
                found.append((os.path.relpath(path, folder), state.st_ctime_ns, state.st_size, state.st_ino))
    except OSError:
        return []
    return sorted(set(found))


def _hex(rows: int | None) -> str:
    return "" if rows is None else f"{rows:024x}"


def _states(paths: Sequence[Path]) -> list[tuple[int, int]]:
    """When each file was changed and how large it is; nothing where one is not there."""
    states = []
    for path in paths:
        try:
            state = os.stat(path)
        except OSError:
            return []
        states.append((state.st_mtime_ns, state.st_size))
    return states
