"""Format points and verdicts, the same at the terminal and on a page."""

from collections.abc import Callable, Iterable
from functools import lru_cache
from pathlib import PurePath
from typing import NamedTuple, TypeVar

from autograder.locale.language import VERDICT_WORDS, WORLD_WORDS, translate
from autograder.records import CellReport, ExerciseGrade, Grade, Text, Verdict, text

Key = TypeVar("Key")
NOT_ISOLATED = text("the submission's code ran without a wall, with all the rights of whoever started the grading")


#: where a submission's code ran, for people
TIERS = {
    "namespaces": text("in a closed process of its own, without network or other files"),
    "process": text("in a process of its own"),
    "none": text("without a wall"),
}


@lru_cache(1000)                                # of the thousands on a page few differ
def number(value: float | None) -> float | int | None:
    """Points as people write them: rounded to four decimals, and 3 rather than 3.0; None stays None."""
    if value is None:
        return None
    rounded = round(float(value), 4)
    return int(rounded) if rounded.is_integer() else rounded


def points_of(points: float | None, max_points: float) -> str:
    """The points as "2.5 / 5", or as "? / 5" if unknown."""
    return f"{'?' if points is None else number(points)} / {number(max_points)}"


def exercise_mark(exercise: ExerciseGrade) -> str:
    """A tick for all points, a cross for fewer, a dash if not graded, and !! if the autograder failed."""
    if exercise.skipped:
        return "–"
    if exercise.points is None:
        return "‼"
    return "✓" if exercise.points >= exercise.max_points else "✗"


def verdict_mark(verdict: Verdict) -> str:
    """The same for one check; "○" if it is right but does not count."""
    if verdict.verdict == "passed":
        return "✓" if verdict.points or not verdict.max_points else "○"
    return {"skipped": "–", "broken": "‼"}.get(verdict.verdict, "✗")


def begins(verdict: Verdict) -> Text:
    """What is said before the title of a check. A title tells what should be true, so "wrong" would contradict it."""
    word = VERDICT_WORDS[verdict.verdict]
    if verdict.verdict == "wrong":
        return text("not true yet")
    if verdict.verdict in ("passed", "skipped", "broken"):
        return word
    return text("not true yet ({word})", word=word)


def labelled(verdict: Verdict, language: str) -> str:
    """The title of a check that did not pass, behind what its verdict is: "not true yet: The heads are split"."""
    return f"{translate(begins(verdict), language)}: {translate(verdict.title, language) or verdict.check}"


def reservations(exercise: ExerciseGrade) -> list[tuple[Text, list[Verdict]]]:
    """Reservations about checks that passed (only with a stand-in, or not counting yet), each listed once."""
    found = _grouped((verdict for verdict in exercise.verdicts if verdict.verdict == "passed"),
                     lambda verdict: verdict.message or WORLD_WORDS.get(verdict.world or ""))
    return [(why, verdicts) for why, verdicts in found if why is not None]


def failures(exercise: ExerciseGrade) -> list[list[Verdict]]:
    """The checks that failed; those with the same message are grouped at the place of the first."""
    return [verdicts for _, verdicts in _grouped(
        not_passed(exercise), lambda verdict: verdict.message and (verdict.message, verdict.verdict))]


def _grouped(verdicts: Iterable[Verdict], key: Callable[[Verdict], Key | None]
             ) -> list[tuple[Key | None, list[Verdict]]]:
    """The verdicts with the same key together, at the place of the first; one without a key is alone."""
    found: list[tuple[Key | None, list[Verdict]]] = []
    for verdict in verdicts:
        own = key(verdict)
        same = next((group for other, group in found if own is not None and other == own), None)
        if same is None:
            found.append((own, [verdict]))
        else:
            same.append(verdict)
    return found


def nothing_to_check(exercise: ExerciseGrade) -> Text | None:
    """The one sentence for an exercise in which every check failed because it is not written yet."""
    groups = failures(exercise)
    alone = len(groups) == 1 and len(groups[0]) == len(exercise.verdicts) > 1
    return groups[0][0].message if alone and groups[0][0].verdict != "wrong" else None


class Next(NamedTuple):
    """Where to continue: an exercise that lost points, what to think about there, whether others lost too."""

    exercise: ExerciseGrade
    why: Text | None
    not_alone: bool


def first_to_look_at(grade: Grade) -> Next | None:
    """The first exercise that lost half of its points or more, since later ones build on it; else what lost most.

    None where all is right.
    """
    lost = [(exercise, exercise.points) for exercise in grade.exercises
            if not exercise.skipped and exercise.points is not None and exercise.points < exercise.max_points]
    if not lost:
        return None
    first, _ = next((one for one in lost if 2 * one[1] <= one[0].max_points),
                    max(lost, key=lambda one: one[0].max_points - one[1]))
    said = [verdict.message or verdict.title for verdict in not_passed(first)]
    return Next(first, next(iter((*first.diagnosis.hints, *said)), None), len(lost) > 1)


def unread(grade: Grade) -> list[CellReport]:
    """The cells that Python could not read: what is missing elsewhere may come from there, so they are told first."""
    return [cell for cell in grade.cells if _could_not_be_read(cell)]


def _could_not_be_read(cell: CellReport) -> bool:
    return cell.error.startswith(("SyntaxError", "IndentationError", "TabError"))


def stopped(grade: Grade) -> list[CellReport]:
    """The other cells that failed."""
    return [cell for cell in grade.cells if cell.status != "ok" and not _could_not_be_read(cell)]


def of_checks(count: int, exercise: ExerciseGrade, why: Text) -> Text:
    """How many of the exercise's checks share this remark."""
    return text("{count} of {all} checks: {why}", count=count, all=len(exercise.verdicts), why=why)


def not_passed(exercise: ExerciseGrade) -> list[Verdict]:
    """The checks that failed, without those that have no message because nothing of the exercise was judged."""
    return [verdict for verdict in exercise.verdicts if verdict.verdict != "passed"
            and not (verdict.verdict in ("skipped", "broken") and verdict.message is None)]


def error_words(cell: CellReport) -> Text | str:
    """What a cell raised and where. How its process ended (a signal, an exit code) means nothing to people."""
    if cell.status not in ("raised", "out_of_memory"):
        return ""
    return text("{error} (line {line})", error=cell.error, line=cell.line) if cell.line else cell.error


def what_happened(cell: CellReport, submission: str = "") -> Text:
    """What a cell did: "cell 8: raised an error", counted from 1; for a Python file "work.py: raised an error"."""
    status = VERDICT_WORDS.get(cell.status, Text(cell.status))
    if submission.lower().endswith(".py"):
        return text("{file}: {status}", file=PurePath(submission).name, status=status)
    return text("cell {number}: {status}", number=cell.cell + 1, status=status)
