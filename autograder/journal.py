"""The journal of a class: every finished grade, a line each, so that a run goes on where the last one stopped.

A grade is used again only for the same content, the same version of the checks, the same lesson and the same tier.
A line that was cut off (a full disk, a kill) is left out and made again; what is our own fault is never used again.
"""
from __future__ import annotations

import os
from pathlib import Path
from types import TracebackType

import msgspec

from autograder.records import Grade, Submission

_encoder = msgspec.json.Encoder()
_decoder = msgspec.json.Decoder(Grade)


def append(path: Path, grade: Grade) -> None:
    """Add one grade to a journal that is not open; a cut-off line before it ends where it was cut off."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("ab+") as file:
        if file.tell():
            file.seek(-1, os.SEEK_END)
            if file.read(1) != b"\n":
                file.write(b"\n")
        file.write(_encoder.encode(grade) + b"\n")


class Journal:
    """Appends grades to a file, and finds those of an earlier run."""

    def __init__(self, path: Path, checks: str, isolation: str):
        self._path, self._checks, self._isolation = path, checks, isolation
        self._known: dict[tuple[str, str], Grade] = {}
        self._last: dict[str, Grade] = {}

    @classmethod
    def reading(cls, path: Path, checks: str, isolation: str) -> Journal:
        """A journal that is only looked at: nothing is written, not even an empty file."""
        journal = cls(path, checks, isolation)
        journal._read()
        return journal

    def __enter__(self) -> Journal:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        whole = self._read()
        self._file = self._path.open("ab")
        if not whole:
            self._file.write(b"\n")             # the cut-off line ends here, and ours begins on its own
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None:
        self._file.close()

    def find(self, submission: Submission) -> Grade | None:
        """The grade of the same work, by the same checks at the same tier, under this submission's own names."""
        grade = self._known.get((submission.student, submission.key)) if submission.key else None
        if grade is None:
            return None
        return msgspec.structs.replace(grade, submission=submission.name)

    def last(self, student: str) -> Grade | None:
        """The last grade that this student got, for whatever work and by whatever checks."""
        return self._last.get(student)

    def add(self, grade: Grade) -> None:
        """Keep this grade; it is on the disk when this returns."""
        self._file.write(_encoder.encode(grade) + b"\n")
        self._file.flush()
        os.fsync(self._file.fileno())
        self._remember(grade)

    def _remember(self, grade: Grade) -> None:
        self._last[grade.student] = grade
        if grade.status == "graded" and grade.checks == self._checks and grade.isolation == self._isolation:
            self._known[grade.student, grade.key] = grade

    def _read(self) -> bool:
        """Remember what earlier runs wrote; whether the file ends with a whole line."""
        data = self._path.read_bytes() if self._path.exists() else b""
        for line in data.splitlines():
            try:
                self._remember(_decoder.decode(line))
            except (msgspec.MsgspecError, UnicodeDecodeError):
                continue
        return not data or data.endswith(b"\n")
