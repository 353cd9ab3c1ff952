"""Measure what grading takes besides the student's own code: the checks, and the diagnosis."""

import time
from collections.abc import Callable, Mapping, Sequence
from statistics import median

from autograder.judge.engine import Assessor
from autograder.judge.local_subject import LocalSubject
from autograder.judge.worlds import Judged, own_world
from autograder.lessons.kit.lesson import Lesson
from autograder.proof.catalogue import Tried


def cost(lesson: Lesson, assessor: Assessor, tried: Sequence[Tried]) -> Mapping[str, str]:
    """Milliseconds per submission, over these mistakes; the clock starts once every answer is recorded."""
    checks, diagnoses = [], []
    for trial in tried:
        subject = LocalSubject(trial.source)
        own_world(lesson, subject, assessor.reference)
        seconds, judged = _timed(lambda subject=subject: own_world(lesson, subject, assessor.reference))
        checks.append(seconds)
        diagnoses.append(_timed(lambda judged=judged: _diagnosed(assessor, judged.values()))[0])
    return {"checks": _milliseconds(checks), "diagnosis of a mistake": _milliseconds(diagnoses)}


def _timed(run: Callable) -> tuple[float, object]:
    start = time.perf_counter()
    result = run()
    return time.perf_counter() - start, result


def _diagnosed(assessor: Assessor, judged: Sequence[Judged]) -> None:
    for exercise in judged:
        if not exercise.complete:
            assessor.catalogue.diagnose(exercise)


def _milliseconds(seconds: Sequence[float]) -> str:
    return f"{1000 * median(seconds):.1f} ms (at most {1000 * max(seconds):.1f})"
