"""Say what is wrong with the file of grades, and what to do, where SQLite reports an error."""

import errno
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from autograder.course.folder import CourseError


@contextmanager
def in_words(path: Path) -> Iterator[None]:
    """Report SQLite's error: CourseError if the file is invalid or not ours to write, OSError otherwise."""
    try:
        yield
    except sqlite3.Error as error:
        name = getattr(error, "sqlite_errorname", "SQLITE_ERROR")
        if name == "SQLITE_ERROR":
            raise CourseError(f"{path} holds no grades of this version of the autograder ({error})") from error
        if name.startswith(("SQLITE_CORRUPT", "SQLITE_NOTADB")):
            raise CourseError(f"{path} is damaged ({error}); move it away, and `autograder grade` works out again what "
                              "it held") from error
        if name.startswith(("SQLITE_BUSY", "SQLITE_READONLY")):
            raise CourseError(f"cannot write {path}: {error}; close what has it open, and see that it may be "
                              "written") from error
        full = name.startswith(("SQLITE_FULL", "SQLITE_IOERR"))
        raise OSError(errno.ENOSPC if full else errno.EIO, str(error), str(path)) from error
