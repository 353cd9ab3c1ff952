"""Check that every machine-made mutant of the reference loses points, or is known to behave like the reference.

Mutants run where students' code runs: some loop forever, some ask for all memory.
"""
from __future__ import annotations

from collections.abc import Sequence

from autograder.judge.engine import Limits
from autograder.judge.worlds import AskIn, attempt
from autograder.lessons.kit.lesson import Exercise, Lesson
from autograder.proof.claim import Claim, Progress
from autograder.proof.granted import granted
from autograder.proof.mutants import Mutant, mutants
from autograder.records import Cell, Subject
from autograder.sandbox.student import Sandbox

CAUGHT = 99.0                                   # percent of the mutants that change behaviour
SECONDS = 2.0                                   # per call; the reference needs milliseconds


def all_mutants(lesson: Lesson) -> list[Mutant]:
    """The mutants of every function graded by its answers, which excludes the own test."""
    source = lesson.home.text(lesson.reference)
    return mutants(source, [exercise.name for exercise in _functions(lesson)])


def equivalent_mutants(lesson: Lesson) -> dict[str, str]:
    """The lesson's list of mutants that no check can distinguish from the reference: change -> why."""
    return {mutant: group["why"] for group in granted(lesson)["same"] for mutant in group["mutants"]}


def try_mutants(lesson: Lesson, reference: Subject, chosen: Sequence[Mutant], limits: Limits, progress: Progress
                ) -> list[Mutant]:
    """The mutants that keep every point."""
    unharmed = []
    with Sandbox(isolation=limits.isolation, seconds=min(limits.seconds, SECONDS),
                 memory_mb=limits.memory_mb) as sandbox:
        for done, mutant in enumerate(chosen, start=1):
            cells = (Cell(0, mutant.source),)
            with sandbox.open(cells, modules=lesson.modules, prelude=lesson.prelude) as student:
                if keeps_all(lesson, mutant, student, reference):
                    unharmed.append(mutant)
            progress("mutants", done, len(chosen))
    return unharmed


def keeps_all(lesson: Lesson, mutant: Mutant, subject: Subject, reference: Subject) -> bool:
    """Whether every check passes in the own world: later worlds open only if an earlier exercise lost points.

    The exercise of the mutated function comes first, and the first failing check is enough.
    """
    for exercise in sorted(_functions(lesson), key=lambda exercise: exercise.name != mutant.function):
        ask = AskIn("own", subject, reference)
        if any(attempt(check, ask).word != "passed" for check in exercise.checks):
            return False
    return True


def _functions(lesson: Lesson) -> list[Exercise]:
    return [exercise for exercise in lesson.exercises if not exercise.implementations]


def claims(lesson: Lesson, made: Sequence[Mutant], tried: Sequence[Mutant], unharmed: Sequence[Mutant]
           ) -> list[Claim]:
    """The claims that mutants are caught, and that the list of equivalent ones has no stale entries."""
    known, names = equivalent_mutants(lesson), {mutant.change for mutant in made}
    same = [mutant for mutant in unharmed if mutant.change in known]
    missed = tuple(mutant.change for mutant in unharmed if mutant.change not in known)
    gone = tuple(change for change in known if change not in names)
    changing = len(tried) - len(same)
    return [Claim(f"mutants caught, of those that change behaviour ({len(same)} more do not)",
                  changing - len(missed), changing, missed, CAUGHT),
            Claim("entries in the list of equivalent mutants that are still mutants", len(known) - len(gone),
                  len(known), gone)]
