"""Choose the submissions that a person should look at, most urgent first: those that the autograder cannot decide."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from autograder.output.final import final_points
from autograder.records import Grade, Text
from autograder.report.facts import Class, not_written

NEAR = 0.05                                     # of all points: this close to the pass mark is near


@dataclass(frozen=True)
class Entry:
    """One submission with the reasons to look at it. A str is for instructors; a Text may also be a student's."""

    grade: Grade
    reasons: Sequence[Text | str] = ()


@dataclass(frozen=True)
class Group:
    """Submissions that need the same look. `key` finds them in the table's search."""

    key: str
    title: str
    advice: str
    entries: Sequence[Entry]
    first: bool = False                         # needs a person before the marks go out


def groups(of: Class) -> list[Group]:
    """The groups that have anyone in them, the most urgent first. A submission can be in several."""
    near = of.max_points * NEAR
    found = (
        _group("broken", "The autograder itself failed", "No points were given or taken there: grade these again, or "
               "by hand.", of.grades, _broken, first=True),
        _group("tampering", "Interfered with the grading", "The code tried something that no solution needs. Read it "
               "before you conclude anything.", of.grades, _tampering, first=True),
        _group("by-hand", "Marked for a person", "The autograder saw something that it should not decide.",
               of.grades, lambda grade: [*grade.for_a_person, *_replaced(grade)], first=True),
        _group("unreadable", "Could not be read", "Nothing was graded. Ask for the file again, or repair it.",
               of.grades, lambda grade: list(grade.notices) if grade.status == "unreadable" else [], first=True),
        _group("repaired", "Repaired, or with a notice", "Graded all the same; see whether the repair is what the "
               "student meant.", of.grades, lambda grade: list(grade.notices) if grade.status != "unreadable" else []),
        _group("stopped", "Stopped", "A time or memory limit, a crash or an exit ended something. On a slow machine, "
               "try --force --seconds 20.", of.graded, _stopped),
        _group("missing", "Functions missing", "No function of that name was found: perhaps it has another name.",
               of.graded, _missing),
        _group("untouched", "Nothing written", "Handed in as it was given out.", of.graded, _untouched),
        _group("near", "Near the pass mark", f"Within {near:.3g} {'point' if near == 1 else 'points'} of "
               f"{of.pass_mark:.3g}: worth a second reading.",
               of.marked, lambda grade: _near(grade, of.pass_mark, near)),
    )
    return [group for group in found if group.entries]


def _group(key: str, title: str, advice: str, grades: Sequence[Grade],
           why: Callable[[Grade], list[Text | str] | None], first: bool = False) -> Group:
    entries = [Entry(grade, reasons) for grade in grades if (reasons := why(grade))]
    return Group(key, title, advice, entries, first)


def _verdicts(grade: Grade, words: set[str]) -> Iterator[str]:
    for exercise in grade.exercises:
        found = {verdict.verdict for verdict in exercise.verdicts} & words
        if found:
            yield f"{exercise.name}: {', '.join(sorted(found)).replace('_', ' ')}"


def _cells(grade: Grade, words: set[str]) -> Iterator[str]:
    for cell in grade.cells:
        if cell.status in words:
            yield f"cell {cell.cell + 1}: {cell.status.replace('_', ' ')}"


def _broken(grade: Grade) -> list[Text | str]:
    if grade.status == "unreadable":
        return []
    found: list[Text | str] = list(_verdicts(grade, {"broken"}))
    return found or (["no points"] if grade.status == "broken" else [])


def _tampering(grade: Grade) -> list[Text | str]:
    return [*_verdicts(grade, {"tampering"}), *_cells(grade, {"tampering"})]


def _replaced(grade: Grade) -> list[Text | str]:
    """What a person gave points for before the work, or what the checks say of it, changed."""
    names = ", ".join(grade.mark.replaced) if grade.mark is not None else ""
    return [f"the work or the checks changed after a person gave points for {names}"] if names else []


_ENDS = {"timed_out", "out_of_memory", "crashed", "quit"}


def _stopped(grade: Grade) -> list[Text | str]:
    return [*_verdicts(grade, _ENDS), *_cells(grade, _ENDS)]


def _missing(grade: Grade) -> list[Text | str]:
    names = [exercise.name for exercise in grade.exercises
             if any(verdict.verdict == "missing" for verdict in exercise.verdicts)]
    return [", ".join(names)] if names else []


def _untouched(grade: Grade) -> list[Text | str]:
    exercises = [exercise for exercise in grade.exercises if not exercise.skipped]
    blank = bool(exercises) and all(map(not_written, exercises)) and not _missing(grade)
    return ["no exercise"] if blank else []


def _near(grade: Grade, pass_mark: float, near: float) -> list[Text | str]:
    by = (final_points(grade) or 0.0) - pass_mark
    return [f"{abs(by):.3g} {'above' if by >= 0 else 'below'}"] if abs(by) <= near + 1e-9 else []
