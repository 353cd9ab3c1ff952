"""Store what is done in a course, in one file: each student's last grades, and how far each of them was written.

A grade is reused only for the same work, the same version of the checks, the same lesson and the same tier; also for
another student who handed in the same work. Notices about a damaged file stay with that file; a fault of our own is
never reused. Each grade is committed at once, so that a kill cannot lose a finished one. The file has a rollback
journal, since a write-ahead log does not work on network file systems.
"""
from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from hashlib import blake2b
from pathlib import Path
from typing import NamedTuple, Self, overload

import msgspec

from autograder.course import STORE, old_journal
from autograder.course.folder import CourseError
from autograder.course.handed_in import OF_TIME
from autograder.course.store_errors import in_words
from autograder.intake.own_cells import OF_FILES
from autograder.records import Grade, Left, Mark, Submission

_PATIENCE = 30.0                                # seconds to wait for another program's write
_SECURE = "PRAGMA secure_delete = ON;"          # removed or replaced data does not stay in the file
#: the last three grades per student and lesson are kept
_SCHEMA = _SECURE + """
CREATE TABLE grade (number INTEGER PRIMARY KEY AUTOINCREMENT, lesson TEXT, student TEXT, work TEXT, checks TEXT,
                    isolation TEXT, status TEXT, read INTEGER, grade TEXT NOT NULL);
CREATE INDEX of_student ON grade (student, lesson);
CREATE INDEX of_work ON grade (work);
CREATE TRIGGER few AFTER INSERT ON grade BEGIN
    DELETE FROM grade WHERE student = new.student AND lesson = new.lesson AND number <= (
        SELECT number FROM grade WHERE student = new.student AND lesson = new.lesson
        ORDER BY number DESC LIMIT 1 OFFSET 3);
END;
CREATE TABLE written (student TEXT, lesson TEXT, number INTEGER, mark TEXT, handed_in TEXT, standing TEXT,
                      PRIMARY KEY (student, lesson)) WITHOUT ROWID;
"""
_INSERT = ("INSERT INTO grade (lesson, student, work, checks, isolation, status, read, grade) "
           "VALUES (?, ?, ?, ?, ?, ?, ?, ?)")


class Known(NamedTuple):
    """A grade that need not be worked out again, and whose work it was made for."""

    grade: Grade
    student: str


class Written(NamedTuple):
    """What was written for a student: which grade, and digests of everything it was made from and of the result."""

    student: str
    number: int
    mark: str
    handed_in: str
    standing: str


class Last(NamedTuple):
    """A student's last grade; None if it can no longer be read. `sound`: by these checks, and not a fault of ours."""

    number: int                                 # larger is later
    grade: Grade | None
    sound: bool
    written: Written | None = None              # what was last written for the student, of this grade or another


def work_of(submission: Submission) -> str:
    """Equal for equal cells in equal positions: their grades differ only in names and notices. "" if unreadable."""
    if not submission.key:
        return ""
    places = ",".join(str(cell.index) for cell in submission.cells)
    return blake2b(f"{submission.key} {places}".encode(), digest_size=12).hexdigest()


def named(grade: Grade, submission: Submission, read: int = 0) -> Grade:
    """The grade of this work as that of this submission; its first `read` notices were about another file."""
    others = (why for why in grade.for_a_person if why.template not in OF_FILES | OF_TIME)
    return msgspec.structs.replace(
        grade, submission=submission.name, student=submission.student, language=submission.language,
        key=submission.key, for_a_person=(*submission.for_a_person, *others, *submission.handed_in.asks),
        notices=(*submission.notices, *grade.notices[read:]))


class Store:
    """The grades of one lesson: those of earlier runs are found, and new ones added. A context manager.

    The file is that of all lessons of a course. Whoever writes holds the lock of the course.
    """

    def __init__(self, course: Path, lesson: str = "", checks: str = "", isolation: str = ""):
        self._path, self._lesson, self._basis = course / STORE, lesson, (checks, isolation)
        self._database: sqlite3.Connection

    def __enter__(self) -> Self:
        _make(self._path)
        self._database = _open(self._path)
        return self

    def __exit__(self, *exception: object) -> None:
        self._database.close()

    @classmethod
    @contextmanager
    def reading(cls, course: Path, lesson: str = "", checks: str = "", isolation: str = "") -> Iterator[Self]:
        """A store for reading only: nothing is written, not even an empty file."""
        store = cls(course, lesson, checks, isolation)
        with closing(_open(store._path) if store._path.exists() else _new(":memory:", store._path)) as store._database:
            yield store

    # --- finding --------------------------------------------------------------------------------------------------

    @property
    def newest(self) -> int:
        """The number of the latest grade; later ones have larger numbers."""
        return self._run("SELECT coalesce(max(number), 0) FROM grade")[0][0]

    def find(self, submission: Submission, since: int = 0) -> Known | None:
        """The grade of the same work, by the same checks at the same tier, as that of this submission.

        It is the student's own if there is one. Grades up to the number `since` do not count.
        """
        for student, read, line in self._run(
                "SELECT student, read, grade FROM grade WHERE work = ? AND work <> '' AND lesson = ? AND checks = ? "
                "AND isolation = ? AND status = 'graded' AND number > ? ORDER BY student = ? DESC, number DESC LIMIT 1",
                work_of(submission), self._lesson, *self._basis, since, submission.student):
            grade = _decoded(line)
            return Known(named(grade, submission, read), student) if grade is not None else None
        return None

    def students(self) -> set[str]:
        """Everyone who has a grade for this lesson."""
        return {student for student, in self._run("SELECT DISTINCT student FROM grade WHERE lesson = ?", self._lesson)}

    def last(self, student: str) -> Last | None:
        """The last grade that this student got, for whatever work and by whatever checks."""
        for number, status, line, checks, isolation, *written in self._run(
                "SELECT g.number, g.status, g.grade, g.checks, g.isolation, w.student, w.number, w.mark, w.handed_in, "
                "w.standing FROM grade g LEFT JOIN written w ON w.student = g.student AND w.lesson = g.lesson "
                "WHERE g.student = ? AND g.lesson = ? ORDER BY g.number DESC LIMIT 1", student, self._lesson):
            sound = status != "broken" and (checks, isolation) == self._basis
            return Last(number, _decoded(line), sound, Written(*written) if written[0] is not None else None)
        return None

    def grades(self, students: Sequence[str]) -> Grades:
        """The last grades of these students, readable any number of times, even after this store is closed."""
        last = dict(self._run("SELECT student, max(number) FROM grade WHERE lesson = ? GROUP BY student", self._lesson))
        return Grades(self._path, [last[student] for student in students])

    def count(self, student: str) -> int:
        """The number of this student's grades, for all lessons."""
        return self._run("SELECT count(*) FROM grade WHERE student = ?", student)[0][0]

    # --- adding and removing --------------------------------------------------------------------------------------

    def add(self, grade: Grade, submission: Submission) -> int:
        """Store this grade as the student's last, unless it is that already; returns its number."""
        work, read, line = work_of(submission), len(submission.notices), msgspec.json.encode(grade).decode()
        for number, *same in self._run("SELECT number, work, read, grade FROM grade WHERE student = ? AND lesson = ? "
                                       "ORDER BY number DESC LIMIT 1", grade.student, grade.lesson):
            if same == [work, read, line]:
                return number
        self._run(_INSERT, *_row(grade, work, read))
        return self.newest

    def wrote(self, written: Iterable[Written]) -> None:
        """Remember that this was written."""
        rows = [(each.student, self._lesson, *each[1:]) for each in written]
        with in_words(self._path), self._database:
            self._database.executemany("INSERT OR REPLACE INTO written VALUES (?, ?, ?, ?, ?, ?)", rows)

    def forget(self, student: str) -> None:
        """Remove everything about this student: the file holds none of its bytes any more."""
        self._run("PRAGMA temp_store = MEMORY")                 # where VACUUM makes its copy
        for table in ("written", "grade"):
            self._run(f"DELETE FROM {table} WHERE student = ?", student)
        self._run("VACUUM")

    def _run(self, statement: str, *values: object) -> list[tuple]:
        with in_words(self._path), self._database:
            return self._database.execute(statement, values).fetchall()


class Grades(Sequence[Grade]):
    """Grades by their numbers, each read from the store when needed: a class of any size takes little memory.

    Each has the mark of its student, if there is one.
    """

    def __init__(self, path: Path, numbers: Sequence[int], left: Sequence[Left] = (), absent: Sequence[str] = (),
                 marks: Mapping[str, Mark] | None = None):
        self._path, self._numbers, self._marks = path, numbers, marks or {}
        self.left = tuple(left)                 # what was not looked at among the work of this class
        self.absent = tuple(absent)             # the students of the class who handed in nothing

    def beside(self, left: Sequence[Left] | None = None, absent: Sequence[str] | None = None,
               marks: Mapping[str, Mark] | None = None) -> Grades:
        """The same grades, with what was not looked at, who handed in nothing, or the final marks."""
        return Grades(self._path, self._numbers, self.left if left is None else left,
                      self.absent if absent is None else absent, self._marks if marks is None else marks)

    def __len__(self) -> int:
        return len(self._numbers)

    @overload
    def __getitem__(self, index: int) -> Grade: ...
    @overload
    def __getitem__(self, index: slice) -> Grades: ...

    def __getitem__(self, index: int | slice) -> Grade | Grades:
        if isinstance(index, slice):
            return Grades(self._path, self._numbers[index], marks=self._marks)
        return next(self._read([self._numbers[index]]))

    def __iter__(self) -> Iterator[Grade]:
        return self._read(self._numbers)

    def _read(self, numbers: Sequence[int]) -> Iterator[Grade]:
        with closing(_open(self._path)) as database:
            for number in numbers:
                with in_words(self._path):
                    found = database.execute("SELECT grade FROM grade WHERE number = ?", (number,)).fetchone()
                grade = _decoded(found[0]) if found else None
                if grade is None:
                    raise CourseError(f"a grade was removed from {self._path} while it was read; run it again")
                yield msgspec.structs.replace(grade, mark=self._marks.get(grade.student))


def last_grades(path: Path) -> Iterator[bytes]:
    """The last grade of each student for each lesson in the store at this path, as JSON, in the order of grading."""
    with closing(_open(path)) as database, in_words(path):
        for line, in database.execute("SELECT grade FROM grade WHERE number IN (SELECT max(number) FROM grade "
                                      "GROUP BY student, lesson) ORDER BY number"):
            yield line.encode()


# --- the file -----------------------------------------------------------------------------------------------------

def _open(path: Path) -> sqlite3.Connection:
    """The store at this path. Even a reader opens it for writing: what a killed process left is rolled back."""
    with in_words(path):
        database = sqlite3.connect(f"{path.absolute().as_uri()}?mode=rw", timeout=_PATIENCE, uri=True)
        database.execute(_SECURE)
        return database


def _make(path: Path) -> None:
    """Make the store if there is none, with the grades of an older version: it exists whole or not at all."""
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        part = path.with_name(f".{path.name}.part")
        part.unlink(missing_ok=True)
        try:
            part.touch()                        # as the umask says: SQLite itself would never let a group write
            _new(part, path).close()
            os.replace(part, path)
        except BaseException:
            part.unlink(missing_ok=True)
            raise
    old_journal.remove(path.parent)


def _new(where: str | Path, path: Path) -> sqlite3.Connection:
    """A new store, with the grades that an older version left in the folder of this path."""
    with in_words(path), sqlite3.connect(where) as database:
        database.executescript(_SCHEMA)
        database.executemany(_INSERT, (_row(*kept) for kept in old_journal.grades(path.parent)))
        return database


def _row(grade: Grade, work: str, read: int) -> tuple:
    return (grade.lesson, grade.student, work, grade.checks, grade.isolation, grade.status, read,
            msgspec.json.encode(grade).decode())


def _decoded(line: str) -> Grade | None:
    with suppress(msgspec.MsgspecError):
        return msgspec.json.decode(line, type=Grade)
    return None
