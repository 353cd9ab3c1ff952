"""Two commands that write in one course wait for each other, or say so."""
from __future__ import annotations

import fcntl
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TextIO

from autograder.course.folder import CourseError

OWN_FOLDER = ".autograder"                      # in the course's folder: the journal, and the lock
_AGAIN = 0.1                                    # seconds between two tries


@contextmanager
def only_one(course: Path, command: str, patience: float,
             waiting: Callable[[str], None] | None = None) -> Iterator[None]:
    """Hold the course for this command; CourseError where another one still has it after `patience` seconds.

    `waiting` is called once, with a sentence that says who is waited for. A command that dies lets go.
    """
    with _opened(course / OWN_FOLDER) as lock:
        until, told = time.monotonic() + patience, False
        while not _taken(lock):
            lock.seek(0)
            other = f"another command (`{lock.read().strip() or 'autograder'}`) is at work in {course}"
            if time.monotonic() >= until:
                raise CourseError(f"{other}; wait until it is done")
            if waiting is not None and not told:
                waiting(f"{other}; waiting until it is done")
            told = True
            time.sleep(_AGAIN)
        with suppress(OSError):                 # on a full disk nobody learns our name; the lock holds all the same
            lock.truncate(0)
            lock.write(command)
            lock.flush()
        yield


def _opened(folder: Path) -> TextIO:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        return (folder / "lock").open("a+")
    except OSError as error:
        raise CourseError(f"cannot write in {folder}: {error.strerror or error}; the course's folder must be writable "
                          "for whoever grades it") from None


def _taken(lock) -> bool:
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
