"""Remove everything about one student from a course's folder and gradebook, and list what is left to a person.

This removes the folders of each step, the gradebook's rows, our own grades, and the class reports, which name everyone.
What a person made (exports, logs, downloaded zips, backups) is only listed: it may hold others.
"""

import os
import re
import shutil
import zipfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from glob import escape, glob
from pathlib import Path
from typing import Any

from autograder.course.extensions import without
from autograder.course.folder import Course, CourseError
from autograder.course.return_names import OURS
from autograder.course.store import Store
from autograder.nbgrader.empty_gradebook import commands_on_path
from autograder.nbgrader.gradebook_errors import in_words, with_patience

STEPS = ("submitted", "autograded", "feedback")


def folders_of(course: Course, student: str) -> list[Path]:
    """What each step holds of this student: the whole folder with their name, if there is one."""
    if student in ("", ".", "..") or os.sep in student:
        raise CourseError(f"{student!r} cannot be the name of a student's folder")
    found: set[Path] = set()
    for step in STEPS:
        below = course.setting("directory_structure").format(
            nbgrader_step=escape(course.setting(f"{step}_directory")), student_id=escape(student), assignment_id="*")
        pattern = os.path.join(escape(str(course.root)), below)
        for path in map(Path, (*glob(pattern), *glob(f"{pattern}.html"))):      # the page is beside the folder
            found.add(path.parent if path.parent.name == student else path)
    return sorted(found)


def reports_of(course: Course) -> list[Path]:
    """The class reports under the names that `grade` and `report` give them."""
    return sorted({*course.root.glob("report.html"), *course.root.glob("report-*.html")})


def grades_of(course: Course, student: str) -> int:
    """How many grades of this student our own store holds."""
    with Store.reading(course.root) as store:
        return store.count(student)


def in_gradebook(course: Course, student: str) -> bool:
    """Whether the gradebook knows this student. A gradebook file is not made if there is none."""
    if not _has_gradebook(course):
        return False
    from nbgrader.api import MissingEntry
    with _gradebook(course) as gradebook, suppress(MissingEntry):
        gradebook.find_student(student)
        return True
    return False


def remove(course: Course, student: str) -> None:
    """Remove all of it. A second call finds nothing."""
    if in_gradebook(course, student):
        with _gradebook(course) as gradebook:
            gradebook.remove_student(student)
            if gradebook.engine.dialect.name == "sqlite":       # else the file's pages keep what was deleted
                with gradebook.engine.connect() as connection:
                    connection.exec_driver_sql("VACUUM")
    for path in folders_of(course, student):
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink()
    without(course.root, student)
    if grades_of(course, student):
        with Store(course.root) as store:
            store.forget(student)
    for path in reports_of(course):
        path.unlink()


def mentions(course: Course, student: str) -> list[Path]:
    """Files in the course's folder whose name or content, even inside a zip, still has the student's name."""
    name, found = _as_a_word(student), []
    for folder, _, files in os.walk(course.root):
        for path in (Path(folder, file) for file in sorted(files)):
            with suppress(OSError):
                if name.search(os.fsencode(path.relative_to(course.root))) or _holds(path, name):
                    found.append(path)
    return sorted(found)


def _as_a_word(student: str) -> re.Pattern[bytes]:
    """The name, but not as part of a longer one: student-1 is not in student-10."""
    return re.compile(rb"(?<![A-Za-z0-9-])" + re.escape(os.fsencode(student)) + rb"(?![A-Za-z0-9-])")


def _holds(path: Path, name: re.Pattern[bytes]) -> bool:
    if path.is_symlink() or not path.is_file():
        return False
    if zipfile.is_zipfile(path):
        with suppress(zipfile.BadZipFile), zipfile.ZipFile(path) as archive:
            ours = archive.comment == OURS      # pages, which name their student inside
            return any(name.search(member.encode("utf-8", "replace")) or ours and name.search(archive.read(member))
                       for member in archive.namelist())
    return any(map(name.search, path.open("rb")))


def _has_gradebook(course: Course) -> bool:
    if not course.db_url.startswith("sqlite:///"):
        return True
    return Path(course.db_url.removeprefix("sqlite:///").partition("?")[0]).is_file()


@contextmanager
def _gradebook(course: Course) -> Iterator[Any]:
    """The open gradebook; GradebookError, in one line, if it cannot be used."""
    from nbgrader.api import Gradebook
    url = with_patience(course.db_url)
    with in_words(url), ExitStack() as opened:
        with commands_on_path():
            gradebook = opened.enter_context(Gradebook(url, course.course_id))
        yield gradebook
