"""Write grades in the formats of other systems: one submission, a class, or an import file for an LMS.

A format is a function from grades and an `Order` to the bytes of the file. Unknown points are never written as 0: their
field stays empty. Only Gradescope gets 0 for a file that cannot be read, since it shows nobody a text without a score.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from autograder.output.exports import github, gradescope, junit, lms, sheet
from autograder.output.exports.order import ExportError, Order
from autograder.records import Grade

__all__ = ["FORMATS", "ExportError", "Format", "Order", "unknown"]


class Format(NamedTuple):
    """How a format is written, and whether each submission gets its own file."""

    write: Callable[[Sequence[Grade], Order], bytes]
    suffix: str
    each: bool = False
    roster: bool = False                    # whether it wants the names and ids of an LMS
    unreadable: str = "left empty"          # what becomes of the points of a file that cannot be read


FORMATS: Mapping[str, Format] = {
    "gradescope": Format(gradescope.results, ".json", each=True, unreadable="score 0, which says why"),
    "junit": Format(junit.report, ".xml"),
    "csv": Format(sheet.sheet, ".csv"),
    "canvas": Format(lms.canvas, ".csv", roster=True),
    "brightspace": Format(lms.brightspace, ".csv", roster=True),
    "moodle": Format(lms.moodle, ".csv", roster=True),
    "github": Format(github.result, ".txt", each=True),
}


def unknown(grades: Sequence[Grade]) -> list[Grade]:
    """The grades without points: the submission could not be read, or the autograder failed."""
    return [grade for grade in grades if grade.points is None]
