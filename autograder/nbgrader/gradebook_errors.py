"""Say what is wrong with a gradebook, and what to do, in one line."""

import logging
import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from autograder.course.folder import CourseError

LOCK_SECONDS = 30                           # how long to wait for another program's write
_NO_ROOM = ("SQLITE_FULL", "SQLITE_IOERR", "53100")     # and PostgreSQL's disk_full
_DAMAGED = ("malformed", "not a database")
_OTHER_TABLES = ("no such column", "no column named", "does not exist", "no such table")
_AGAIN = "`autograder release` and `autograder grade --force` make a new one, without what people graded by hand"


class GradebookError(CourseError):
    """The gradebook cannot be used: what is wrong and what to do, in one line. Nothing of the batch was written.

    `of_a_row`: the data was at fault, and other data may be written. `code`: the database's name of the error, if it
    has one.
    """

    def __init__(self, words: str, of_a_row: bool = False, code: str = ""):
        super().__init__(words)
        self.of_a_row, self.code = of_a_row, code

    @property
    def no_room(self) -> bool:
        """Whether the disk is full, or does not take what is written."""
        return self.code.startswith(_NO_ROOM)


def with_patience(url: str) -> str:
    """The same database; SQLite waits for its lock. A time-out that the course chose stays."""
    if not url.startswith("sqlite") or "timeout=" in url:
        return url
    return f"{url}{'&' if '?' in url else '?'}timeout={LOCK_SECONDS}"


@contextmanager
def in_words(url: str) -> Iterator[None]:
    """Turn a database error into one line, and keep nbgrader's own log of it silent."""
    log = logging.getLogger("tornado.application")
    before, log.disabled = log.disabled, True
    try:
        yield
    except GradebookError:
        raise
    except Exception as error:
        from sqlalchemy.exc import DatabaseError, DataError, IntegrityError
        # nbgrader's InvalidEntry no longer says which database error it was
        cause = error.__context__ if isinstance(error, ValueError) else error
        said = cause.orig if isinstance(cause, DatabaseError) else cause
        if not isinstance(cause, DatabaseError | sqlite3.Error):
            raise
        code = getattr(said, "sqlite_errorname", None) or getattr(said, "sqlstate", None) or ""
        of_a_row = isinstance(error, (DataError, IntegrityError, sqlite3.DataError, sqlite3.IntegrityError))
        raise GradebookError(_words(url, str(said)), of_a_row, code) from error
    finally:
        log.disabled = before


def _words(url: str, said: str) -> str:
    from sqlalchemy import make_url
    where = make_url(url).set(query={})
    shown = where.render_as_string(hide_password=True)
    path = Path(where.database) if where.get_backend_name() == "sqlite" and where.database else None
    said = said.splitlines()[0] if said else "no reason given"
    if "locked" in said:
        return (f"another program is writing to the gradebook {shown}; wait until it is ready, or close it, and try "
                "again")
    if path is not None and path.is_file() and not path.stat().st_size:
        return f"the gradebook {shown} is an empty file; remove it, and {_AGAIN}"
    if any(phrase in said for phrase in _OTHER_TABLES):
        return f"the gradebook {shown} was made by another version of nbgrader ({said}); {_upgrade(path)}"
    if any(phrase in said for phrase in _DAMAGED):
        return (f"the gradebook {shown} cannot be used: {said}; put an earlier copy in its place, or move it away, and "
                f"{_AGAIN}")
    if path is not None and "unable to open" in said:
        return f"the gradebook {shown} cannot be used: {said}; {not_a_file(path) or _closed(path)}"
    return f"the gradebook {shown} cannot be used: {said}"


def not_a_file(path: Path) -> str:
    """What lies in the place of a gradebook that is not there, and what to do; "" if nothing does, or a file."""
    if path.is_dir():
        return f"{path} is a folder: move it away, and {_AGAIN}"
    if path.is_symlink() and not path.exists():
        return f"{path} is a link to {os.readlink(path)}, which is not there: bring that back, or remove the link"
    return ""


def _closed(path: Path) -> str:
    here = path if path.exists() else path.parent
    if not here.exists():
        return f"there is no folder {here}"
    return f"see that you may read and write {here}"


def _upgrade(path: Path | None) -> str:
    if path is not None and (revision := _unknown_revision(path)):
        from importlib.metadata import version
        return (f"nbgrader {version('nbgrader')} does not know its version {revision}, so a newer nbgrader made it: "
                "install that, or put an earlier copy in its place")
    return "back it up and run `nbgrader db upgrade`"


def _unknown_revision(path: Path) -> str:
    """The version of this gradebook's tables, if the nbgrader that is installed has no such version; else ""."""
    import nbgrader
    try:
        (revision,), = sqlite3.connect(f"file:{path.absolute()}?mode=ro", uri=True).execute(
            "SELECT version_num FROM alembic_version")
    except (sqlite3.Error, ValueError):
        return ""
    versions = Path(nbgrader.__file__).parent / "alembic" / "versions"
    known = any(f'revision = "{revision}"' in text.replace("'", '"')
                for text in (file.read_text() for file in versions.glob("*.py")))
    return "" if known else str(revision)[:40]
