"""Read the grades of a course that version 0.1 graded, which it kept as lines of JSON. The store imports them once."""

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import msgspec

from autograder.course import JOURNAL
from autograder.records import Grade


class _Line(Grade, frozen=True):
    work: str = ""
    read: int = 0


def grades(folder: Path) -> Iterator[tuple[Grade, str, int]]:
    """Each grade, what was judged, and how many of its notices are about the file, without truncated lines."""
    journal = folder / JOURNAL.name
    if not journal.exists():
        return
    with journal.open("rb") as lines:
        for line in lines:
            with suppress(msgspec.MsgspecError, UnicodeDecodeError):
                old = msgspec.json.decode(line, type=_Line)
                yield Grade(**{name: getattr(old, name) for name in Grade.__struct_fields__}), old.work, old.read


def remove(folder: Path) -> None:
    """Remove what the store has imported, and version 0.1's records of its own files, which no later version can trust.
    """
    for path in (folder / JOURNAL.name, *folder.glob("written-*.jsonl")):
        path.unlink(missing_ok=True)
