"""Where the grades of one command go: to JSON lines or to the terminal, with a bar on standard error meanwhile.

What draws at a terminal takes longer to import than a submission takes to be graded, so JSON goes without it.
"""
from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field

from msgspec.structs import replace

from autograder.output.jsonl import json_lines
from autograder.records import Diagnosis, ExerciseGrade, Grade


@dataclass
class Answers:
    """Calling it with a grade shows that grade and keeps it for the summary; `progress` moves the bar."""

    show: Callable[[Grade], None] = lambda grade: None
    progress: Callable[[Grade, int, int], None] = lambda grade, done, total: None
    grades: list[Grade] = field(default_factory=list)

    def __call__(self, grade: Grade) -> None:
        self.grades.append(grade)
        self.show(grade)

    def all(self, grades: Sequence[Grade]) -> None:
        """The same for a whole class, of which only one grade at a time has to be in memory."""
        shared: dict[ExerciseGrade, ExerciseGrade] = {}
        for grade in grades:
            self.show(grade)
            self.grades.append(_summarised(grade, shared))


def _summarised(grade: Grade, shared: dict[ExerciseGrade, ExerciseGrade]) -> Grade:
    """What the summary and the exit code need of it; equal exercises are one and the same."""
    slim = (replace(one, verdicts=tuple(verdict for verdict in one.verdicts if verdict.verdict == "broken"),
                    diagnosis=Diagnosis()) for one in grade.exercises)
    return replace(grade, exercises=tuple(shared.setdefault(one, one) for one in slim), cells=(), key="", checks="",
                   notices=grade.notices[-1:], for_a_person=grade.for_a_person[:1])


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
            from autograder.output.progress import progress_bar
            taken.progress = stack.enter_context(progress_bar())
        yield taken
    if target != "-" and (target or not each or len(taken.grades) > 1):
        from autograder.output.results import print_results, print_totals
        from autograder.output.terminal import console
        to = console(sys.stdout)
        if each and len(taken.grades) > 1:
            print_totals(to, taken.grades, language)
        print_results(to, taken.grades, language)


def _printer(language: str) -> Callable[[Grade], None]:
    from autograder.output.terminal import console, print_grade
    to = console(sys.stdout)
    return lambda grade: print_grade(to, grade, language)
