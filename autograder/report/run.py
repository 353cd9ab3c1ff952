"""Hold one grading of a class as a report shows it, and tell whether a page that lies there shows just that.

A page ends in a comment with a digest of what it was made of and of the page itself, so that one that was damaged or
changed by hand is made again.
"""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from hashlib import blake2b
from importlib.resources import files
from pathlib import Path

import msgspec

from autograder.output.class_list import ClassList, Person
from autograder.records import Grade, Left

_MAKERS = ("report", "output", "locale")        # folders of the package that decide how a page looks


@dataclass(frozen=True)
class Run:
    """One grading of a class: the grades, and where and when they were made."""

    grades: Sequence[Grade]
    name: str = ""                              # where they came from, for people
    when: datetime | None = None                # when the last of them was made
    left: Sequence[Left] = ()                   # what was not looked at
    people: ClassList = ClassList()             # what the students are called
    absent: Sequence[Person] = ()               # who of the class handed in nothing
    places: Mapping[str, str] = field(default_factory=dict)     # student -> the page where a person gives points
    rules: Sequence[tuple[str, str]] = ()       # what the course has decided about marks and late work, for people


def made_of(run: Run, *choices: object) -> bytes:
    """A digest of all that decides what the page of this run holds; of what has none, never the same."""
    package = Path(str(files("autograder")))
    ours = [(str(path), state.st_mtime_ns, state.st_size) for room in _MAKERS
            for path in sorted((package / room).rglob("*")) if path.suffix != ".pyc" and path.is_file()
            for state in [path.stat()]]
    try:
        return blake2b(msgspec.msgpack.encode([vars(run), choices, ours]), digest_size=16).digest()
    except (TypeError, ValueError, OverflowError):
        return os.urandom(16)


def signed(page: bytes, made: bytes) -> bytes:
    """The page, with the line that says what it was made of."""
    return page + _line(page, made)


def shows(path: Path, made: bytes) -> bool:
    """Whether a page made of the same lies there, as it was written."""
    try:
        content = path.read_bytes() if path.is_file() else b""
    except OSError:
        return False
    page, begins, ending = content.rpartition(b"<!--")
    return begins + ending == _line(page, made)


def _line(page: bytes, made: bytes) -> bytes:
    return f"<!-- {blake2b(page, digest_size=16, key=made).hexdigest()} -->\n".encode()
