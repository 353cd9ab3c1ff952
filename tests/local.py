"""Subjects in this process for the tests of the judge: the reference with something changed, opened like a student."""
from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from autograder.judge.local_subject import LocalSubject
from autograder.lessons.installed import load_lesson
from autograder.records import StandIns

LESSON = load_lesson("multihead")


def source(*edits: tuple[str, str], then: str = "") -> str:
    """The reference's source with these edits, each of which must match, followed by more code."""
    text = LESSON.reference_source
    for old, new in edits:
        assert old in text, old
        text = text.replace(old, new)
    return f"{text}\n\n\n{then}"


class Opened:
    """Opens a source as the judge opens a student's, and remembers with which stand-ins it was opened."""

    def __init__(self, code: str):
        self._code = code
        self.installed: list[tuple[str, ...]] = []

    @contextmanager
    def __call__(self, stand_ins: StandIns, install: tuple[str, ...]) -> Iterator[LocalSubject]:
        self.installed.append(install)
        yield LocalSubject(self._code, "student", stand_ins, install)
