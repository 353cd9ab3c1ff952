"""How points and verdicts are put, in the same way at the terminal and on a page."""
from __future__ import annotations

from autograder.language import VERDICT_WORDS, WORLD_WORDS
from autograder.records import CellReport, ExerciseGrade, Text, Verdict, text

NOT_ISOLATED = text("the submission's code ran without a wall, with all the rights of whoever started the grading")


def number(value: float | None) -> float | int | None:
    """Points as people write them: rounded once, to four decimals, and 3 rather than 3.0; None stays None."""
    if value is None:
        return None
    rounded = round(float(value), 4)
    return int(rounded) if rounded.is_integer() else rounded


def points_of(points: float | None, max_points: float) -> str:
    """"2.5 / 5", or "? / 5" where the points are unknown."""
    return f"{'?' if points is None else number(points)} / {number(max_points)}"


def exercise_mark(exercise: ExerciseGrade) -> str:
    """A tick for all points, a cross for fewer, a dash for not graded, and !! where the autograder failed."""
    if exercise.skipped:
        return "–"
    if exercise.points is None:
        return "‼"
    return "✓" if exercise.points >= exercise.max_points else "✗"


def verdict_mark(verdict: Verdict) -> str:
    """The same for one check; "○" where it is right but does not count."""
    if verdict.verdict == "passed":
        return "✓" if verdict.points or not verdict.max_points else "○"
    return {"skipped": "–", "broken": "‼"}.get(verdict.verdict, "✗")


def explanation(verdict: Verdict) -> Text | None:
    """The verdict's own message, else what the world in which it passed means."""
    return verdict.message or WORLD_WORDS.get(verdict.world or "")


def tells_nothing(verdict: Verdict) -> bool:
    """Whether the exercise's points say it all: it simply passed, or nothing of the exercise was judged."""
    if verdict.verdict in ("skipped", "broken"):
        return verdict.message is None
    return verdict.verdict == "passed" and verdict.world in (None, "own") and verdict.points == verdict.max_points


def what_happened(cell: CellReport) -> Text:
    """"cell 8: raised an error"; people count cells from 1."""
    status = VERDICT_WORDS.get(cell.status, Text(cell.status))
    return text("cell {number}: {status}", number=cell.cell + 1, status=status)
