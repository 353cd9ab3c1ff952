"""Check that every machine-made mutant of the reference loses points, or is known to behave like the reference.

Mutants run where students' code runs: some loop forever, some ask for all memory.
"""

import ast
import re
from collections.abc import Sequence

from autograder.judge.engine import Limits
from autograder.judge.worlds import AskIn, attempt
from autograder.lessons.kit.lesson import Exercise, Lesson
from autograder.proof.claim import Claim, Progress, granted
from autograder.proof.mutants import Mutant, mutants
from autograder.records import Cell, Subject
from autograder.sandbox.student import Sandbox

CAUGHT = 99.0                                   # percent of the mutants that change behaviour
SECONDS = 2.0                                   # per call; the reference needs milliseconds


#: behind a line of the solution: nothing can tell its mutants from it, and why
SAME = re.compile(r"#\s*same:\s*(\S.*)$")


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
    known, names, lines = equivalent_mutants(lesson), {mutant.change for mutant in made}, excused_lines(lesson)
    same = [mutant for mutant in unharmed if mutant.change in known or mutant.line in lines]
    missed = tuple(_explained(lesson, mutant) for mutant in unharmed if mutant not in same)
    gone = [change for change in known if change not in names]
    if len(tried) == len(made):                 # a quick proof may have left out the mutants that they are about
        gone += [f"{lesson.reference}, line {line}: the checks catch every mutant of this line, so `# same:` can go"
                 for line, why in lines.items() if why and line not in {mutant.line for mutant in unharmed}]
    excuses, changing = len(known) + sum(map(bool, lines.values())), len(tried) - len(same)
    return [Claim(f"mutants caught, of those that change behaviour ({len(same)} more do not)",
                  changing - len(missed), changing, missed, CAUGHT),
            Claim("entries in the list of equivalent mutants that are still mutants", excuses - len(gone), excuses,
                  tuple(gone))]


def _explained(lesson: Lesson, mutant: Mutant) -> str:
    """Where it is, what it changes, and what to do; only the change for a lesson that comes with the autograder."""
    if lesson.home.ours:
        return mutant.change
    return (f"{lesson.reference}, line {mutant.line}: {mutant.change}; no check notices, so add one, or write `# same: "
            "and why` behind that line")


def excused_lines(lesson: Lesson) -> dict[int, str]:
    """The lines of a solution whose mutants may behave the same -> why; "" for a guard, of which nobody has to say why.

    A guard makes an argument an array of numbers: `scores = np.array(scores, dtype=float)`. Those of the lessons that
    come with the autograder are listed in proof.toml instead.
    """
    if lesson.home.ours:
        return {}
    source = lesson.home.text(lesson.reference)
    functions = [node for node in ast.parse(source).body if isinstance(node, ast.FunctionDef)]
    guards = {node.lineno: "" for function in functions for node in function.body if _is_guard(node)}
    said = {number: found[1] for number, line in enumerate(source.splitlines(), start=1)
            if (found := SAME.search(line))}
    return guards | said


def _is_guard(node: ast.stmt) -> bool:
    """Whether this only turns a name into an array: `x = np.asarray(x)`, with a kind of number or without."""
    if not isinstance(node, ast.Assign) or not isinstance(node.value, ast.Call) or not node.value.args:
        return False
    name, argument = ast.unparse(node.targets[0]), ast.unparse(node.value.args[0])
    return name == argument and ast.unparse(node.value.func) in ("np.array", "np.asarray", "numpy.array",
                                                                 "numpy.asarray")
