"""Print a grade at a terminal: points per exercise and, for what went wrong, what was seen and what to try.

Everything is drawn as literal text (`rich.text.Text`, never markup), since students had a hand in most of it.
"""

import re
from collections.abc import Iterator
from typing import Any, TextIO, cast

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text as Line

from autograder.locale.language import VERDICT_WORDS, language_for, translate, translated
from autograder.output import marks
from autograder.output.final import sentences
from autograder.output.plain import named, plain
from autograder.records import CellReport, ExerciseGrade, Grade, Verdict, text

WIDTH = 100                              # wider lines are hard to read
STATUS = {"unreadable": text("could not be read"), "broken": VERDICT_WORDS["broken"]}
_BLANKS = re.compile(" +(?=\n)")
_STYLE = {"✓": "green", "✗": "red", "–": "dim", "‼": "bold red", "○": "yellow"}


class _Console(Console):
    def on_broken_pipe(self) -> None:
        """Let the command decide what a closed pipe means; rich would exit with 1."""
        raise


class _Trimmed:
    """A file that gets no blanks at the end of a line, with which rich fills the cells of a table."""

    def __init__(self, file: TextIO):
        self._file = file

    def write(self, written: str) -> int:
        return self._file.write(_BLANKS.sub("", written))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._file, name)


def console(file: TextIO) -> Console:
    """A console that adds no colours of its own; where it is not a terminal, 80 columns and no blanks at their ends."""
    made = _Console(file=file, highlight=False, markup=False, emoji=False)
    made.width = min(made.width, WIDTH) if made.is_terminal else 80
    if not made.is_terminal:
        made.file = cast("TextIO", _Trimmed(file))
    return made


def print_grade(to: Console, grade: Grade, language: str) -> None:
    """One submission: its name, its notices, a row per exercise, the total, and its cells that failed."""
    language = language_for(grade, language)
    to.print(_heading(grade, language))
    for notice in grade.notices:
        to.print(_indented(translate(notice, language), 1, "yellow", "! "))
    _print_cells(to, marks.unread(grade), grade, language)
    if grade.status != "unreadable":
        to.print(_exercises(grade, language))
    for sentence in sentences(grade):
        to.print(_indented(translate(sentence, language), 1, "bold", "  "))
    _print_cells(to, marks.stopped(grade), grade, language)
    for reason in grade.for_a_person:
        to.print(_indented(translate(text("for a person: {reason}", reason=reason), language), 1, "magenta", "→ "))
    if grade.isolation == "none" and grade.status != "unreadable":
        print_not_isolated(to, language)
    to.print()


def _print_cells(to: Console, cells: list[CellReport], grade: Grade, language: str) -> None:
    """Cells that failed, with what they raised."""
    for cell in cells:
        words = [translate(marks.what_happened(cell, grade.submission), language),
                 translated(marks.error_words(cell), language)]
        to.print(_indented(": ".join(filter(None, words)), 1, "red", "✗ "))


def print_not_isolated(to: Console, language: str) -> None:
    """The warning that goes with every result of code that ran without a wall."""
    to.print(_indented(f"NOT ISOLATED: {translate(marks.NOT_ISOLATED, language)}", 1, "bold red", "‼ "))


def _heading(grade: Grade, language: str) -> Line:
    """The student, the file, and the status of a submission that could not be graded."""
    line = Line(named(grade.student or grade.submission), "bold")
    if grade.student and grade.student != grade.submission:
        line.append(f"  {named(grade.submission)}", "not bold dim")
    if grade.status != "graded":
        line.append(f"  {translate(STATUS[grade.status], language)}", "bold red")
    return line


def _exercises(grade: Grade, language: str) -> Table:
    """A row per exercise, with what went wrong in it below its name."""
    table = Table(box=None, show_header=True, header_style="dim", padding=(0, 1), pad_edge=False, expand=True)
    table.add_column("", width=2, justify="right")
    table.add_column(translate(text("exercise"), language), ratio=1, overflow="fold")
    table.add_column(translate(text("points"), language), justify="right", no_wrap=True)
    for exercise in grade.exercises:
        mark = marks.exercise_mark(exercise)
        points = translate(VERDICT_WORDS["skipped"], language) if exercise.skipped else marks.points_of(
            exercise.points, exercise.max_points)
        table.add_row(Line(mark, _STYLE[mark]), Line(plain(exercise.name), "bold"), Line(points, "bold"))
        for words, worth in _details(exercise, language):
            table.add_row("", words, Line(worth, "dim"))
    table.add_row("", Line(translate(text("total"), language), "bold"),
                  Line(marks.points_of(grade.points, grade.max_points), "bold"))
    return table


def _details(exercise: ExerciseGrade, language: str) -> Iterator[tuple[Padding, str]]:
    """What a reader needs besides the points: failed checks, reservations about others, and the hints."""
    nothing = marks.nothing_to_check(exercise)
    if nothing:
        yield _indented(translate(nothing, language), 2), ""
        return
    for verdicts in marks.failures(exercise):
        for verdict in verdicts:
            yield _title(verdict, language), marks.points_of(verdict.points, verdict.max_points)
        if verdicts[0].message:
            yield _indented(translate(verdicts[0].message, language), 2), ""
    for why, verdicts in marks.reservations(exercise):
        mark = marks.verdict_mark(verdicts[0])
        words = translate(marks.of_checks(len(verdicts), exercise, why), language)
        worth = marks.points_of(sum(each.points or 0 for each in verdicts), sum(each.max_points for each in verdicts))
        yield _indented(words, 0, _STYLE[mark], f"{mark} "), worth
    for hint in exercise.diagnosis.hints:
        yield _indented(translate(hint, language), 0, "cyan", "→ "), ""
    if exercise.diagnosis.mistakes:
        looks = text("looks like: {mistakes}", mistakes=", ".join(exercise.diagnosis.mistakes))
        yield _indented(translate(looks, language), 2, "dim"), ""


def _title(verdict: Verdict, language: str) -> Padding:
    """The check's sentence behind "not true yet", or what else its verdict is."""
    mark = marks.verdict_mark(verdict)
    return _indented(marks.labelled(verdict, language), 0, _STYLE[mark], f"{mark} ")


def _indented(words: str, indent: int, style: str = "", mark: str = "") -> Padding:
    """Text whose continuation lines are aligned with its first word, after an optional mark."""
    if not mark:
        return Padding(Line(plain(words), style), (0, 0, 0, indent), expand=False)
    row = Table.grid()
    row.add_column(width=len(mark))
    row.add_column(overflow="fold")
    row.add_row(Line(mark, style), Line(plain(words), style))
    return Padding(row, (0, 0, 0, indent), expand=False)
