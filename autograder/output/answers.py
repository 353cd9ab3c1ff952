"""Send the grades of one command to JSON lines or to the terminal, with a progress bar on standard error.

The terminal libraries take longer to import than a submission takes to grade, so JSON output does without them.
"""

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field

from msgspec.structs import replace

from autograder.faults import broken
from autograder.locale.language import language_of_all
from autograder.output.class_list import ClassList, Person
from autograder.output.jsonl import CannotWrite, json_lines
from autograder.records import Diagnosis, ExerciseGrade, Grade, Left


@dataclass
class Answers:
    """Call it with a grade to show that grade and keep it for the summary; `progress` moves the bar."""

    show: Callable[[Grade | Left | Person], None] = lambda grade: None
    progress: Callable[[Grade, int, int], None] = lambda grade, done, total: None
    grades: list[Grade] = field(default_factory=list)
    left: list[Left] = field(default_factory=list)
    people: ClassList = ClassList()

    def __call__(self, grade: Grade) -> None:
        self.grades.append(self._shown(grade))

    def besides(self, left: Iterable[Left]) -> None:
        """Take what was not looked at."""
        self.left.extend(left)
        for each in self.left:
            self.show(each)

    def class_is(self, people: ClassList) -> None:
        """Take what the students are called, and who of them handed in nothing."""
        self.people = people
        for person in people.without({grade.student for grade in self.grades}):
            self.show(person)

    def all(self, grades: Iterable[Grade]) -> None:
        """Take the grades of a whole class, of which only one at a time has to be in memory."""
        shared: dict[tuple, ExerciseGrade] = {}
        for grade in grades:
            self.grades.append(_summarised(self._shown(grade), shared))

    def _shown(self, grade: Grade) -> Grade:
        """Show it. One that cannot be shown is broken, and shown as that."""
        try:
            self.show(grade)
        except (CannotWrite, OSError):
            raise
        except Exception as error:
            grade = broken(grade, error)
            self.show(grade)
        return grade


def _summarised(grade: Grade, shared: dict[tuple, ExerciseGrade]) -> Grade:
    """The part of a grade that the summary and the exit code need; equal exercises share one object."""
    slim = (replace(exercise, verdicts=tuple(verdict for verdict in exercise.verdicts if verdict.verdict == "broken"
                                             )[:1], diagnosis=Diagnosis()) for exercise in grade.exercises)
    exercises = tuple(shared.setdefault(
        (exercise.name, exercise.points, exercise.max_points, exercise.skipped, len(exercise.verdicts)), exercise)
        for exercise in slim)
    return replace(grade, exercises=exercises, cells=(), key="", checks="",
                   notices=grade.notices[-1:], for_a_person=grade.for_a_person[:1])


@contextmanager
def answers(target: str | None, language: str, each: bool) -> Iterator[Answers]:
    """Yield what takes the grades: JSON to `target` if it is given, otherwise printed one by one (if `each`).

    A summary of the class follows the last grade, unless standard output carries the JSON or a single submission.
    CannotWrite is raised before anything is graded.
    """
    taken = Answers()
    with ExitStack() as stack:
        if target is not None:
            taken.show = stack.enter_context(json_lines(target, language))
        elif each:
            taken.show = _printer(language)
        crossing = each and target is None and sys.stdout.isatty()        # the printed grades already show the progress
        if sys.stderr.isatty() and not crossing:
            from autograder.output.results import progress_bar
            taken.progress = stack.enter_context(progress_bar())
        yield taken
    language = language_of_all(taken.grades, language)
    if target != "-" and (target or not each or len(taken.grades) > 1):
        from autograder.output.results import print_results, print_totals
        from autograder.output.terminal import console
        to = console(sys.stdout)
        if each and len(taken.grades) > 1:
            print_totals(to, taken.grades, language, taken.people)
        print_results(to, taken.grades, language, taken.people)
    if target != "-" and taken.left:
        from autograder.output.results import print_left
        from autograder.output.terminal import console
        print_left(console(sys.stdout), taken.left, language)


def _printer(language: str) -> Callable[[Grade | Left | Person], None]:
    from autograder.output.terminal import console, print_grade
    to = console(sys.stdout)
    return lambda each: print_grade(to, each, language) if isinstance(each, Grade) else None
