"""Check whether what an earlier run wrote for a student is still there unchanged, so that nothing is written twice.

The store's record is checked against the gradebook's rows and the files, and whatever differs now (a gradebook moved
away, a deleted page, a changed course) is written again. nbgrader itself is not imported here: that takes longer than
everything else.
"""

import os
import stat
import time
from collections.abc import Iterable, Sequence
from contextlib import suppress
from functools import cached_property
from hashlib import blake2b
from importlib.resources import files
from pathlib import Path

import msgspec

from autograder.course.extensions import extensions
from autograder.course.folder import CONFIG, Course
from autograder.course.settings import FILE as SETTINGS
from autograder.course.store import Last, Store, Written
from autograder.lessons.kit.lesson import Lesson
from autograder.nbgrader.afterwards import other_ways
from autograder.nbgrader.database import NoGradebook, Reader, one_of, reading
from autograder.nbgrader.gradebook_errors import GradebookError
from autograder.records import Submission

JUST_NOW = 2 * 10**9                            # ns; the largest time step of a file system
_WRITERS = ("nbgrader", "output", "locale")     # folders of the package that decide what is written for a grade
_MINE = ("FROM submitted_notebook sn JOIN submitted_assignment sa ON sa.id = sn.assignment_id "
         "JOIN assignment a ON a.id = sa.assignment_id")
_OF_STUDENTS = (
    f"SELECT sa.student_id, sa.timestamp, sa.extension, sn.late_submission_penalty {_MINE}",
    f"SELECT sa.student_id, c.name, g.auto_score, g.manual_score, g.extra_credit, g.needs_manual_grade {_MINE} "
    "JOIN grade g ON g.notebook_id = sn.id JOIN base_cell c ON c.id = g.cell_id",
    f"SELECT sa.student_id, c.name, m.auto_comment {_MINE} JOIN comment m ON m.notebook_id = sn.id "
    "JOIN base_cell c ON c.id = m.cell_id",
)
_OF_ASSIGNMENT = (
    "SELECT name, duedate, course_id FROM assignment a",
    "SELECT n.name, n.kernelspec, c.name, c.cell_type, c.locked, c.source, c.checksum FROM source_cell c "
    "JOIN notebook n ON n.id = c.notebook_id JOIN assignment a ON a.id = n.assignment_id",
    "SELECT b.name, g.max_score FROM grade_cells g JOIN base_cell b ON b.id = g.id "
    "JOIN notebook n ON n.id = b.notebook_id JOIN assignment a ON a.id = n.assignment_id",
)


class Standing:
    """What was written for the students of one assignment. Used under the lock of the course."""

    def __init__(self, course: Course, lesson: Lesson, language: str, store: Store):
        self._course, self._lesson, self._language, self._store = course, lesson, language, store
        self._extensions = extensions(course.root)
        self._handed_in: dict[str, str] = {}
        self._known: dict[str, Written] = {}
        self._later: list[Written] = []

    def look_at(self, student: str, folder: Path) -> None:
        """Look at the folder of the student's work before it is read."""
        self._handed_in[student] = _handed_in(folder)

    def mark(self, submission: Submission) -> str:
        """Equal for what leads to the same files and rows of a grade: the notebook, and when it was handed in."""
        made_from = msgspec.msgpack.encode((submission.notebook, submission.handed_in.stamp))
        return blake2b(made_from, digest_size=12).hexdigest()

    def untouched(self, last: Last, student: str, paths: Sequence[Path]) -> bool:
        """Whether nothing was handed in since the last grade was written, and all of it is still there.

        What was handed in is not read for that: the operating system notes every change of a file.
        """
        found, known = self._handed_in.get(student, ""), last.written
        if known is None:
            return False
        self._known[student] = known
        return last.sound and bool(found) and known[1:] == (
            last.number, known.mark, found, self._now(student, paths))

    def holds(self, student: str, number: int, mark: str, paths: Sequence[Path]) -> bool:
        """Whether all of it is still there as it was written."""
        known = self._known.pop(student, None)
        if known is None or known[1:] != (number, mark, known.handed_in, self._now(student, paths)):
            return False
        found = self._handed_in.pop(student, "")
        if found != known.handed_in:
            self._later.append(known._replace(handed_in=found))
        return True

    def wrote(self, written: Iterable[tuple[str, int, str, Sequence[Path]]]) -> None:
        """Remember these (student, number of the grade, mark, files), whose rows are in the gradebook now."""
        written = list(written)
        try:
            with reading(self._course.db_url) as db:
                course = self._of_course(db)
                rows = _rows(db, self._lesson.name, [student for student, *_ in written])
        except NoGradebook:
            return
        for student, number, mark, paths in written:
            now = _standing(self._with_extension(course, student), rows.get(student), paths)
            self._later.append(Written(student, number, mark, self._handed_in.pop(student, ""), now))
        self.save()

    def save(self) -> None:
        """Store what is to be remembered."""
        if self._later:
            self._store.wrote(self._later)
            self._later = []

    def _now(self, student: str, paths: Sequence[Path]) -> str | None:
        course, rows = self._found
        return _standing(self._with_extension(course, student), rows.get(student), paths) or None

    def _with_extension(self, course: str, student: str) -> str:
        """What decides about this student besides the rows and the files."""
        return f"{course} {self._extensions.get((self._lesson.name, student), '')}{self._afterwards}"

    @cached_property
    def _afterwards(self) -> str:
        """The other right ways that pages show now, as they do when every due date is past."""
        ways = other_ways(self._course, self._lesson.name)
        return f" {_digest(ways)}" if ways else ""

    @cached_property
    def _found(self) -> tuple[str, dict[str, int]]:
        """What the gradebook holds when first asked: for the course, and for each student."""
        with suppress(GradebookError), reading(self._course.db_url) as db:
            return self._of_course(db), _rows(db, self._lesson.name)
        return "", {}

    def _of_course(self, db: Reader) -> str:
        """What is the same for all students: the course's cells and settings, and the version of the writers."""
        found = [sorted(repr(tuple(row)) for row in db.rows(f"{query} WHERE a.name = :name",
                                                            {"name": self._lesson.name})) for query in _OF_ASSIGNMENT]
        return _digest(self._files, found)

    @cached_property
    def _files(self) -> str:
        """Everything that is a file: the course's own, and our code, templates and translations."""
        package, source = Path(str(files("autograder"))), self._course.path("source", ".", self._lesson.name)
        root = self._course.root
        paths = [root / f"{CONFIG}.py", root / f"{CONFIG}.json", root / SETTINGS,
                 *source.rglob("*"), *map(self._lesson.home.path, self._lesson.editions.values()),
                 *(path for name in _WRITERS for path in (package / name).rglob("*"))]
        return _digest(self._language, *((str(path), path.read_bytes()) for path in sorted(paths)
                                         if path.suffix != ".pyc" and path.is_file()))


def _rows(db: Reader, assignment: str, students: Sequence[str] | None = None) -> dict[str, int]:
    """The rows of these students, or of all, each as a number that changes with any row or value."""
    among, values = one_of(students or ())
    only = "" if students is None else f" AND sa.student_id IN {among}"
    found: dict[str, int] = {}
    for kind, query in enumerate(_OF_STUDENTS):
        rows = db.rows(f"{query} WHERE a.name = :assignment{only}", {"assignment": assignment, **values})
        for student, *row in rows:
            found[student] = (found.get(student, 0) + int(_digest(kind, *row), 16)) % 2**96
    return found


def _standing(course: str, rows: int | None, paths: Sequence[Path]) -> str:
    """The rows and the files of a student; "" if any of them are missing."""
    states: list[tuple[int, int]] = []
    for path in paths:
        try:
            state = os.stat(path)
        except OSError:
            return ""
        states.append((state.st_mtime_ns, state.st_size))
    return _digest(course, rows, states) if rows is not None and states else ""


def _handed_in(folder: Path) -> str:
    """Everything in this folder with when it last changed, in ns, and its number on the disk, which no one can set.

    "" where there are links, whose targets change by themselves, or where it changed just now: another change in the
    same moment would not be seen.
    """
    found, just_now = set(), time.time_ns() - JUST_NOW
    try:
        for where, folders, names in os.walk(folder):
            below = os.path.relpath(where, folder)
            for name in ("", *folders, *names):
                state = os.lstat(os.path.join(where, name) if name else where)
                if stat.S_ISLNK(state.st_mode) or state.st_ctime_ns > just_now:
                    return ""
                found.add((below, name, state.st_ctime_ns, state.st_size, state.st_ino))
    except OSError:
        return ""
    return _digest(sorted(found)) if found else ""


def _digest(*parts: object) -> str:
    return blake2b(repr(parts).encode(), digest_size=12).hexdigest()
