"""The journal of a class: every finished grade, a line each, so that a run goes on where the last one stopped.

A grade is used again only for the same work, the same version of the checks, the same lesson and the same tier; also
for another student who handed in the same work. What a file's own damage made us say stays with that file. A line that
was cut off (a full disk, a kill) is left out and made again; what is our own fault is never used again.

Only the places of the lines are kept in memory: a class of any size takes little.
"""
from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, NamedTuple, Self

import msgspec

from autograder.records import Grade, Submission

TOO_LONG = 4 * 2**20                            # bytes that no longer hold before a journal is written anew
_FLAGS = os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC


class Line(Grade, frozen=True):
    """A grade as it stands in the journal."""

    work: str = ""                              # what was judged: cells and where they stand (`work_of`)
    read: int = 0                               # so many of its notices arose when the file was read


class _Head(msgspec.Struct):
    """What decides whether a line can be used; the rest is read when it is."""

    student: str
    lesson: str
    status: str
    checks: str
    isolation: str
    work: str = ""


class Place(NamedTuple):
    """Where a line stands."""

    start: int
    length: int


class Known(NamedTuple):
    """A grade that need not be worked out again, and whose work it was graded as."""

    grade: Grade
    student: str


def work_of(submission: Submission) -> str:
    """Equal for equal cells in equal places: their grades differ in nothing but names and notices. "" if unreadable."""
    if not submission.key:
        return ""
    places = ",".join(str(cell.index) for cell in submission.cells)
    return blake2b(f"{submission.key} {places}".encode(), digest_size=12).hexdigest()


def named(grade: Grade, submission: Submission, read: int = 0) -> Grade:
    """The grade of this work as that of this submission; its first `read` notices were about another file."""
    return msgspec.structs.replace(
        grade, submission=submission.name, student=submission.student, language=submission.language,
        key=submission.key, notices=(*submission.notices, *grade.notices[read:]))


_encode = msgspec.json.Encoder().encode
_line, _head = msgspec.json.Decoder(Line).decode, msgspec.json.Decoder(_Head).decode


def _as_line(grade: Grade, submission: Submission) -> bytes:
    fields = {name: getattr(grade, name) for name in Grade.__struct_fields__}
    return _encode(Line(**fields, work=work_of(submission), read=len(submission.notices))) + b"\n"


def append(path: Path, grade: Grade, submission: Submission) -> None:
    """Add one grade to a journal that is not open."""
    with Journal(path, grade.lesson, grade.checks, grade.isolation) as journal:
        journal.add(grade, submission)


class Journal:
    """The grades of one lesson: those of earlier runs are found, and new ones added to the file.

    The file is that of all lessons of a course. Whoever writes holds the lock of the course.
    """

    def __init__(self, path: Path, lesson: str, checks: str, isolation: str):
        self._path, self._lesson, self._checks, self._isolation = path, lesson, checks, isolation
        self._file: int | None = None
        self._forget()

    def _forget(self) -> None:
        self._of_student: dict[tuple[str, str], Place] = {}
        self._of_anyone: dict[str, tuple[Place, str]] = {}
        self._last: dict[tuple[str, str], Place] = {}         # by lesson and student
        self._sound: set[tuple[str, str]] = set()               # those whose last line is by these checks, not broken
        self._size = 0

    @classmethod
    def reading(cls, path: Path, lesson: str, checks: str, isolation: str) -> Self:
        """A journal that is only looked at: nothing is written, not even an empty file."""
        journal = cls(path, lesson, checks, isolation)
        with suppress(FileNotFoundError):
            journal._file = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
            journal._read()
        return journal

    def __enter__(self) -> Self:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        self._file = os.open(self._path, _FLAGS, 0o644)
        self._read()
        if os.fstat(self._file).st_size > self._size:
            os.ftruncate(self._file, self._size)            # a line that was cut off is made again
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        if self._file is not None:
            os.close(self._file)
            self._file = None

    # --- finding --------------------------------------------------------------------------------------------------

    def find(self, submission: Submission, since: int = 0) -> Known | None:
        """The grade of the same work, by the same checks at the same tier, as that of this submission.

        It comes from the student's own line if there is one. Lines before the place `since` do not count.
        """
        work = work_of(submission)
        place, student = self._of_student.get((submission.student, work)), submission.student
        if (place is None or place.start < since) and work:
            place, student = self._of_anyone.get(work, (None, ""))
        if place is None or place.start < since:
            return None
        with suppress(msgspec.MsgspecError, UnicodeDecodeError):
            line = _line(self._bytes(place))
            return Known(named(_grade(line), submission, line.read), student)
        return None

    def students(self) -> set[str]:
        """Everyone who has a grade for this lesson."""
        return {student for lesson, student in self._last if lesson == self._lesson}

    def last(self, student: str) -> Grade | None:
        """The last grade that this student got, for whatever work and by whatever checks."""
        place = self._last.get((self._lesson, student))
        with suppress(msgspec.MsgspecError, UnicodeDecodeError):
            return self.grade(place) if place is not None else None
        return None

    def grade(self, place: Place) -> Grade:
        """The grade that stands there."""
        return _grade(_line(self._bytes(place)))

    def sound(self, student: str) -> bool:
        """Whether the last line of this student was made by these checks at this tier, and is no fault of ours."""
        return (self._lesson, student) in self._sound

    def bytes_of(self, student: str) -> bytes:
        """The last line of this student, as it stands there."""
        return self._bytes(self._last[self._lesson, student])

    @property
    def size(self) -> int:
        """Where the next line will stand."""
        return self._size

    def _bytes(self, place: Place) -> bytes:
        return os.pread(self._file, place.length, place.start)

    # --- adding ---------------------------------------------------------------------------------------------------

    def add(self, grade: Grade, submission: Submission) -> None:
        """Keep this grade as the student's last: a kill of this process cannot take it away any more."""
        line, start = _as_line(grade, submission), self._size
        last = self._last.get((grade.lesson, grade.student))
        if last is not None and last.length == len(line) and self._bytes(last) == line:
            return
        try:
            written = 0
            while written < len(line):
                written += os.write(self._file, line[written:])
        except BaseException:
            os.ftruncate(self._file, start)
            raise
        self._size += len(line)
        self._remember(_head(line), Place(start, len(line)))

    def sync(self) -> None:
        """Have all of it on the disk, whatever happens to this machine."""
        os.fsync(self._file)

    def _remember(self, head: _Head, place: Place) -> None:
        who = head.lesson, head.student
        self._last[who] = place
        self._sound.discard(who)
        if head.status != "broken" and (head.checks, head.isolation) == (self._checks, self._isolation):
            self._sound.add(who)
        if self._holds(head):
            self._of_student[head.student, head.work] = place
            self._of_anyone[head.work] = place, head.student

    def _holds(self, head: _Head) -> bool:
        return (head.status == "graded" and head.work != ""
                and (head.checks, head.isolation) == (self._checks, self._isolation))

    def _read(self) -> None:
        """Remember what earlier runs wrote."""
        for place, head in self._heads():
            self._size = place.start + place.length
            if head is not None:
                self._remember(head, place)

    def _heads(self) -> Iterator[tuple[Place, _Head | None]]:
        """Each whole line with what it is about; None where that cannot be read."""
        start = 0
        with open(self._file, "rb", closefd=False) as file:
            file.seek(0)
            for line in file:
                if not line.endswith(b"\n"):
                    return
                try:
                    head = _head(line)
                except (msgspec.MsgspecError, UnicodeDecodeError):
                    head = None
                yield Place(start, len(line)), head
                start += len(line)

    # --- growing and shrinking ------------------------------------------------------------------------------------

    def shrink(self, too_long: int = TOO_LONG) -> None:
        """Leave out the lines that no longer hold, if they are most of it: the file is there whole at any moment."""
        live = sorted({*self._last.values(), *self._of_student.values(), *(one for one, _ in self._of_anyone.values())})
        stale = self._size - sum(place.length for place in live)
        if stale < max(too_long, self._size // 2):
            return
        part = self._path.with_name(f".{self._path.name}.part")
        try:
            with part.open("wb") as file:
                for place in live:
                    file.write(self._bytes(place))
                file.flush()
                os.fsync(file.fileno())
            part.replace(self._path)
        except OSError:                         # no room for a copy: it stays as it is
            part.unlink(missing_ok=True)
            return
        self.close()
        self._forget()
        self.__enter__()

    def grades(self, students: Sequence[str]) -> Grades:
        """The last grades of these students, to be read as often as wanted, also when this journal is closed."""
        return Grades(os.fdopen(os.dup(self._file), "rb"), [self._last[self._lesson, student] for student in students])


class Grades(Sequence[Grade]):
    """Grades in the order of the students, each read from the journal when it is asked for."""

    def __init__(self, file: BinaryIO, places: Sequence[Place]):
        self._file, self._places = file, places

    def __len__(self) -> int:
        return len(self._places)

    def __getitem__(self, index: int) -> Grade:
        start, length = self._places[index]
        return _grade(_line(os.pread(self._file.fileno(), length, start)))


def _grade(line: Line) -> Grade:
    """The grade alone, without what the journal knows about it."""
    return Grade(**{name: getattr(line, name) for name in Grade.__struct_fields__})
