"""Find the parts of a lesson that were begun but not written yet, by a TODO in their words or by their code.

Nothing can be proven about a lesson with such parts, so the proof names them and stops there.
"""

import ast
import json
from collections.abc import Iterator, Sequence
from contextlib import suppress

from autograder.judge.local_subject import LocalSubject
from autograder.judge.worlds import AskIn
from autograder.lessons.kit.bounded import TooLong, bounded
from autograder.lessons.kit.lesson import Lesson
from autograder.proof.claim import Claim
from autograder.proof.fairness import seeded_variant
from autograder.records import Subject

TODO = "TODO"


def parts_left(lesson: Lesson, reference: Subject | None = None) -> list[str]:
    """What is left to write, and where."""
    return [*_solutions(lesson), *_checks(lesson, reference or LocalSubject(lesson.reference_source)),
            *_mistakes(lesson), *_variants(lesson), *_notebooks(lesson)]


def unfinished(lesson: Lesson, reference: Subject) -> tuple[Claim, ...]:
    """One claim that says what is left to write; empty if everything is written."""
    parts = parts_left(lesson, reference)
    return (Claim("parts of the lesson that are written", 0, len(parts), tuple(parts)),) if parts else ()


def _solutions(lesson: Lesson) -> Iterator[str]:
    functions = {node.name: node for node in ast.parse(lesson.reference_source).body
                 if isinstance(node, ast.FunctionDef)}
    for exercise in lesson.exercises:
        node = functions.get(exercise.name)
        if node is None or isinstance(node.body[-1], ast.Raise) and "NotImplementedError" in ast.unparse(node.body[-1]):
            yield f"{lesson.reference}: write {exercise.name}"


def _checks(lesson: Lesson, reference: Subject) -> Iterator[str]:
    for exercise in lesson.exercises:
        folder = f"{lesson.home.place}/checks/{exercise.name}.py"
        for check in exercise.checks if not exercise.implementations else ():
            if TODO in check.title.template or TODO in (check.run.__doc__ or ""):
                yield f"{folder}: the words of the check {check.name} say TODO"
            elif _unwritten(check.run, AskIn("own", reference, reference)):
                yield f"{folder}: the check {check.name} is not written"
            if not check.points:                # it would decide nothing
                yield f"{folder}: the check {check.name} is worth nothing; take its points from another one"


def _unwritten(run, ask: AskIn) -> bool:
    with suppress(Exception, TooLong), bounded():
        try:
            run(ask)
        except NotImplementedError:
            return True
    return False


def _mistakes(lesson: Lesson) -> Iterator[str]:
    for mistake in lesson.mistakes:
        if any(TODO in words for words in (mistake.why, mistake.hint.template, _edits(mistake.make))):
            files = ", ".join(f"{name}.py" for name in mistake.exercises)
            yield f"{lesson.home.place}/mistakes/{files}: the mistake {mistake.id} says TODO"


def _edits(make: object) -> str:
    """The arguments of `changed`, if the mistake is made by it."""
    return str([cell.cell_contents for cell in getattr(make, "__closure__", None) or ()])


def _variants(lesson: Lesson) -> Iterator[str]:
    source = seeded_variant(lesson, 0)
    for exercise in lesson.exercises:
        if not exercise.implementations and f"{exercise.name}(" not in source:
            yield f"{lesson.home.place}/variants: right ways to write {exercise.name}"


def _notebooks(lesson: Lesson) -> Iterator[str]:
    for path in lesson.editions.values():
        cells: Sequence[dict] = json.loads(lesson.home.text(path))["cells"]
        names = [cell.get("id", "?") for cell in cells if _says_todo(cell)]
        if names:
            yield f"{path}: these cells say TODO: {', '.join(names)}"


def _says_todo(cell: dict) -> bool:
    """Whether there is something to write in this cell; a solution's may tell students what is theirs to do."""
    source = "".join(cell["source"])
    if cell.get("metadata", {}).get("nbgrader", {}).get("solution"):
        return f'"""{TODO}' in source
    return TODO in source
