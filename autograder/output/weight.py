"""Keep what is shown of one submission below a megabyte each: a page, a record, the outputs in a notebook.

What was cut says so. A student's own sources are never cut here: they were capped when they were read.
"""

from collections.abc import Callable, Iterable
from typing import TypeVar

from msgspec.structs import replace

from autograder.records import CellReport, Grade, Text, text

CAP = 2**20                                     # bytes
CUT = "\n[...]"
_ROOMS = (100_000, 10_000, 1_000, 0)            # characters of cells and notices that are tried in turn
_NAME = 300                                     # characters of a name
_EACH = 60                                      # characters around what a cell or a notice says
LEFT_OUT = text("There is more to say about this submission than fits here; the rest was left out.")
Shown = TypeVar("Shown")


def fitted(grade: Grade, show: Callable[[Grade], Shown], weigh: Callable[[Shown], int], cap: int = CAP) -> Shown:
    """What `show` makes of the grade, or of as much of it as weighs no more than the cap."""
    shown = show(grade)
    for room in _ROOMS:
        if weigh(shown) <= cap:
            break
        shown = show(lighter(grade, room))
    return shown


def weight(shown: str) -> int:
    """The bytes of a text in a file."""
    return len(shown.encode("utf-8", "replace"))


def lighter(grade: Grade, room: int) -> Grade:
    """The grade with so many characters of what its cells and notices say, and a notice about that."""
    notices = (LEFT_OUT, *_first(grade.notices, room // 4))
    return replace(grade, submission=grade.submission[:_NAME], student=grade.student[:_NAME], notices=notices,
                   for_a_person=tuple(_first(grade.for_a_person, room // 4)), cells=tuple(_cells(grade.cells, room)))


def _first(sentences: Iterable[Text], room: int) -> Iterable[Text]:
    for sentence in sentences:
        room -= _EACH + len(str(sentence))
        if room < 0:
            return
        yield sentence


def _cells(cells: Iterable[CellReport], room: int) -> Iterable[CellReport]:
    """The first cells, each with as much as there is room for."""
    for cell in cells:
        room -= _EACH
        if room < 0:
            return
        error = cell.error[:room]
        output = cell.output if len(cell.output) <= room - len(error) else cell.output[:room - len(error)] + CUT
        room -= len(error) + len(output)
        yield replace(cell, error=error, output=output)
