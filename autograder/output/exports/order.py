"""What an export asks for besides its format."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from autograder.faults import Refused
from autograder.output.class_list import ClassList, Person
from autograder.output.exports.roster import Roster
from autograder.records import Mark


class ExportError(Refused):
    """These grades cannot be written in this format: what was seen, what was expected and what to do, in one line."""


class Order(NamedTuple):
    """The options of one export."""

    language: str = "nl"
    item: str = ""                          # the LMS's name of the assignment; else the lesson's name
    roster: Roster | None = None
    decimal: str = "."
    grade_column: str = ""                  # of Moodle's worksheet, if it is not one of the usual names
    scale: bool = False                     # whether the course has a scale: marks go to learning environments
    people: ClassList = ClassList()         # who is in the class, and what they are called
    absent: Sequence[Person] = ()           # who of them handed in nothing
    marks: Mapping[str, Mark] | None = None # by student, if the points are the gradebook's
