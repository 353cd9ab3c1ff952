"""Where the grades of one command go: to JSON lines or to the terminal, with a bar on standard error meanwhile.

What draws at a terminal takes longer to import than a submission takes to be graded, so JSON goes without it.
"""
from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field

from autograder.output.jsonl import json_lines
from autograder.records import Grade


@dataclass
class Answers:
    """Calling it with a grade shows that grade and keeps it for the summary; `progress` moves the bar."""

    show: Callable[[Grade], None] = lambda grade: None
    progress: Callable[[Grade, int, int], None] = lambda grade, done, total: None
    grades: Sequence[Grade] = field(default_factory=list)

    def __call__(self, grade: Grade) -> None:
        self.grades.append(grade)
        self.show(grade)

    def all(self, grades: Sequence[Grade]) -> None:
        """The same for all of a class, which need not be in memory."""
        self.grades = grades
        for grade in grades:
            self.show(grade)


@contextmanager
def answers(target: str | None, language: str, each: bool) -> Iterator[Answers]:
    """Takes the grades: to `target` as JSON where there is one, else one by one (`each`) to standard output.

    After the last a summary of the class follows, unless standard output carries the JSON or a single submission.
    CannotWrite comes before anything is graded.
    """
    taken = Answers()
    with ExitStack() as stack:
        if target is not None:
            taken.show = stack.enter_context(json_lines(target, language))
        elif each:
            taken.show = _printer(language)
        crossing = each and target is None and sys.stdout.isatty()        # the answers themselves show the progress
        if sys.stderr.isatty() and not crossing:
            taken.progress = stack.enter_context(_bar())
        yield taken
    if target != "-" and (target or not each or len(taken.grades) > 1):
        from autograder.output.results import print_results
        from autograder.output.terminal import console
        print_results(console(sys.stdout), taken.grades, language)


def _printer(language: str) -> Callable[[Grade], None]:
    from autograder.output.terminal import console, print_grade
    to = console(sys.stdout)
    return lambda grade: print_grade(to, grade, language)


@contextmanager
def _bar() -> Iterator[Callable[[Grade, int, int], None]]:
    """A bar with the time that is left, on standard error, gone when all is done."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
    columns = (TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn(),
               TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True, redirect_stdout=False) as bar:
        task = bar.add_task("grading", total=None)
        yield lambda grade, done, total: bar.update(task, completed=done, total=total)
