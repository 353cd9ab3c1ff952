"""Try the two ends of the scale: the reference gets full marks, and untouched work gets nothing."""

import ast
from collections.abc import Iterator
from pathlib import PurePosixPath

from autograder.intake import read_bytes
from autograder.judge.engine import Assessor, Engine
from autograder.lessons.kit.lesson import Lesson
from autograder.proof.claim import Claim
from autograder.proof.opening import open_local
from autograder.records import ExerciseGrade, Verdict


def full_marks(lesson: Lesson, assessor: Assessor, engine: Engine) -> list[Claim]:
    """The reference, in this process and through the wall."""
    here = assessor.assess(open_local(lesson.reference_source)).exercises
    graded = engine.grade(read_bytes("reference.py", lesson.home.read(lesson.reference), lesson))
    return [_full("points of the reference, in this process", lesson, here),
            _full(f"points of the reference, behind the wall ({engine.isolation})", lesson, graded.exercises)]


def _full(says: str, lesson: Lesson, exercises: tuple[ExerciseGrade, ...]) -> Claim:
    lost = tuple(f"{exercise.name}: {verdict.check} is {verdict.verdict}{_error(verdict)}" for exercise in exercises
                 for verdict in exercise.verdicts if verdict.points != verdict.max_points)
    return Claim(says, _points(exercises), lesson.points, lost)


def _error(verdict: Verdict) -> str:
    """The exception of a check that itself failed."""
    error = verdict.message.values.get("error") if verdict.verdict == "broken" and verdict.message else None
    return f" ({error})" if error else ""


def _points(exercises: tuple[ExerciseGrade, ...]) -> float:
    return sum(exercise.points or 0.0 for exercise in exercises)


def nothing(lesson: Lesson, assessor: Assessor, engine: Engine) -> list[Claim]:
    """Untouched notebooks as they are released, and functions that are not written yet."""
    here = assessor.assess(open_local(untouched(lesson))).exercises
    claims = [_none("points kept from functions that were not written, in this process", lesson, here)]
    for name, data in _untouched_files(lesson):
        graded = engine.grade(read_bytes(name, data, lesson))
        claims.append(_none(f"points kept from {name}, behind the wall", lesson, graded.exercises))
    return claims


def _none(says: str, lesson: Lesson, exercises: tuple[ExerciseGrade, ...]) -> Claim:
    earned = tuple(f"{exercise.name} earns {exercise.points}" for exercise in exercises if exercise.points != 0.0)
    unknown = any(exercise.points is None for exercise in exercises)
    return Claim(says, 0.0 if unknown else lesson.points - _points(exercises), lesson.points, earned)


def untouched(lesson: Lesson) -> str:
    """The exercises' functions as the notebook hands them out: each only raises NotImplementedError."""
    tree = ast.parse(lesson.reference_source)
    names = {exercise.name for exercise in lesson.exercises}
    return "\n\n\n".join(f"def {node.name}({ast.unparse(node.args)}):\n    raise NotImplementedError()"
                         for node in tree.body if isinstance(node, ast.FunctionDef) and node.name in names)


def _untouched_files(lesson: Lesson) -> Iterator[tuple[str, bytes]]:
    """The released notebook of each edition; if there is none, the functions as a file."""
    found = False
    for edition in lesson.editions.values():
        released = str(PurePosixPath("release", *PurePosixPath(edition).parts[1:]))
        try:
            yield released, lesson.home.path(released).read_bytes()
            found = True
        except FileNotFoundError:
            continue
    if not found:
        yield "untouched.py", untouched(lesson).encode()
