"""What is asked of an export besides its format."""
from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from autograder.output.exports.roster import Roster
from autograder.records import Mark


class ExportError(ValueError):
    """These grades cannot be written so: what was seen, what was expected and what to do, in one line."""


class Order(NamedTuple):
    """The choices of whoever asks for an export."""

    language: str = "nl"
    item: str = ""                          # what the learning environment calls the assignment; else the lesson's name
    roster: Roster | None = None
    decimal: str = "."
    grade_column: str = ""                  # of Moodle's worksheet, where it is none of the usual ones
    pass_percent: float = 55.0
    marks: Mapping[str, Mark] | None = None # by student, where the points are those of the gradebook
