"""Let commands that write in the same course wait for each other, or report it."""

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from filelock import FileLock, Timeout

from autograder.course import FOLDER
from autograder.course.folder import CourseError


@contextmanager
def only_one(course: Path, command: str, patience: float,
             waiting: Callable[[str], None] | None = None) -> Iterator[None]:
    """Hold the course for this command; CourseError if another one still has it after `patience` seconds.

    `waiting` is called once, with a sentence that says which command is waited for. A command that dies releases the
    lock.
    """
    path = course / FOLDER / "lock"
    lock = FileLock(path)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists():
            path.touch()                        # as the umask says: two teachers may share a course
        try:
            lock.acquire(timeout=0)
        except Timeout:
            if waiting is not None and patience > 0:
                waiting(f"{_other(path, course)}; waiting until it is done")
            lock.acquire(timeout=-1 if patience == math.inf else patience)
    except Timeout:
        raise CourseError(f"{_other(path, course)}; wait until it is done") from None
    except OSError as error:
        raise CourseError(f"cannot write in {path.parent}: {error.strerror or error}; the course's folder must be "
                          "writable for whoever grades it") from None
    with suppress(OSError):                     # on a full disk the command's name is lost, but the lock holds
        path.write_text(command)
    try:
        yield
    finally:
        lock.release()


def _other(path: Path, course: Path) -> str:
    """Who has the course now: they wrote their name into the lock."""
    name = ""
    with suppress(OSError):
        name = path.read_text(errors="replace").strip()
    return f"another command (`{name or 'autograder'}`) is at work in {course}"
