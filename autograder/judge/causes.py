"""Find out why a function is missing: a syntax error in its cell, a newer Python than ours, a misspelled name."""

import difflib
import re
import sys
from collections.abc import Iterable, Mapping, Sequence

from msgspec.structs import replace

from autograder.judge.points import ungraded
from autograder.lessons.kit.lesson import Exercise
from autograder.lessons.kit.quoting import quoted
from autograder.records import CellReport, ExerciseGrade, Submission, Text, text

OURS = "{}.{}".format(*sys.version_info)
#: what only a newer Python can read, by the error of an older one or the line where it stops
_NEWER = (
    ((3, 12), re.compile(r"SyntaxError: f-string"),
     re.compile(r"\s*type\s+\w+.*=|\s*(?:async\s+)?(?:def|class)\s+\w+\[")),
    ((3, 14), re.compile(r"SyntaxError: multiple exception types must be parenthesized"),
     re.compile(r"""[^#'"]*\bt['"]""")),
)
_DEF = re.compile(r"^def[ \t]+(\w{1,60})", re.MULTILINE)


def with_causes(grades: Sequence[ExerciseGrade], exercises: Iterable[Exercise], submission: Submission,
                reports: Sequence[CellReport]) -> tuple[list[ExerciseGrade], list[Text]]:
    """The grades, with the cause where a function is missing; and what a person should look at."""
    unread = [report for report in reports if report.error.startswith(("SyntaxError", "IndentationError", "TabError"))]
    sources = {cell.index: cell.source for cell in submission.cells}
    newer = [report for report in unread if submission.python or _may_be_newer(report, sources)]
    explained = [_explained(grade, exercise, submission, sources, unread, newer)
                 for grade, exercise in zip(grades, exercises, strict=True)]
    return explained, [_newer(submission, report) for report in newer[:1]]


def _explained(grade: ExerciseGrade, exercise: Exercise, submission: Submission, sources: Mapping[int, str],
               unread: list[CellReport], newer: list[CellReport]) -> ExerciseGrade:
    """Without points if a newer Python may be able to read it: then a person decides."""
    if not any(verdict.verdict == "missing" for verdict in grade.verdicts):
        return grade
    report = next((report for report in unread if _defines(sources.get(report.cell, ""), grade.name)), None)
    if report in newer and report is not None:
        waiting, why = ungraded(exercise, "broken"), _newer(submission, report)
        return replace(waiting, verdicts=tuple(replace(verdict, message=why) for verdict in waiting.verdicts))
    why = _unread(submission, report, grade.name) if report else _spelt(submission, grade.name)
    if why is None:
        return grade
    return replace(grade, verdicts=tuple(replace(verdict, message=quoted(why)) if verdict.verdict == "missing"
                                         else verdict for verdict in grade.verdicts))


def _unread(submission: Submission, report: CellReport, name: str) -> Text:
    return text("{place} could not be read: {error} (line {line}). So there is no function {function}",
                place=place(submission, report), error=report.error, line=report.line, function=name)


def place(submission: Submission, report: CellReport) -> Text:
    """The cell as people count it, or the file."""
    if submission.name.lower().endswith(".py") and len(submission.cells) == 1:
        return text("The file")
    return text("Cell {cell}", cell=report.cell + 1)


def _spelt(submission: Submission, name: str) -> Text | None:
    """A function with nearly that name, which may be the one that was meant."""
    names = {found.replace("_", "").lower(): found for cell in submission.cells for found in _DEF.findall(cell.source)}
    near = difflib.get_close_matches(name.replace("_", "").lower(), names, n=1, cutoff=0.85)
    if not near or names[near[0]] == name:
        return None
    return text("there is no function {function}, but there is one called {other}: is that the one?",
                function=name, other=names[near[0]])


# --- newer than ours ----------------------------------------------------------------------------------------------

def _may_be_newer(report: CellReport, sources: Mapping[int, str]) -> bool:
    """Whether the unreadable line is known to need a newer Python."""
    lines = sources.get(report.cell, "").splitlines()
    line = lines[report.line - 1] if 0 < report.line <= len(lines) else ""
    return any(sys.version_info < version and (error.match(report.error) or start.match(line))
               for version, error, start in _NEWER)


def _newer(submission: Submission, report: CellReport) -> Text:
    where = {"place": place(submission, report), "line": report.line, "ours": OURS}
    if submission.python:
        return text("{place} was written with Python {theirs}, and Python {ours}, which grades it, cannot read line "
                    "{line}; a person will look at it", theirs=submission.python, **where)
    return text("{place} may be written in a newer Python than {ours}, which grades it and cannot read line {line}; a "
                "person will look at it", **where)


def _defines(source: str, name: str) -> bool:
    return re.search(rf"^[ \t]*(?:async[ \t]+)?def[ \t]+{name}\b", source, re.MULTILINE) is not None
