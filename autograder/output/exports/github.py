"""Write the result that GitHub Classroom's grading reporter takes: base64 of JSON with a test per exercise.

The reporter adds up the scores of the tests. If the points are unknown there is no maximum, so it reports none, and the
job fails with "error".
"""
from __future__ import annotations

import base64
import json
from collections.abc import Sequence
from typing import Any

from autograder.locale.language import language_for
from autograder.output.exports.order import Order
from autograder.output.exports.words import details, summary
from autograder.output.marks import number
from autograder.records import ExerciseGrade, Grade


def result(grades: Sequence[Grade], order: Order) -> bytes:
    """The text for `MULTIHEAD_RESULTS` of one submission: one line of ASCII."""
    (grade,) = grades
    found = as_result(grade, language_for(grade, order.language), order.marks is not None)
    words = json.dumps(found, ensure_ascii=True, allow_nan=False)
    return base64.b64encode(words.encode()) + b"\n"


def as_result(grade: Grade, language: str, marked: bool = False) -> dict[str, Any]:
    """The same as plain data; `marked` if a late penalty may appear beside the exercises."""
    if grade.points is None:
        why = "\n".join(summary(grade, language)) or grade.status
        return {"version": 1, "status": "error", "max_score": 0, "tests": [_test(grade.lesson or "submission", "error",
                                                                                  0, why, 0.0)]}
    tests = [_of(exercise, language) for exercise in grade.exercises if not exercise.skipped]
    taken_off = number(grade.points - sum(test["score"] for test in tests))
    if taken_off and marked:                    # the reporter has no separate total
        tests.append(_test("late", "fail", taken_off, "\n".join(summary(grade, language)), 0))
    return {"version": 1, "status": "pass" if grade.points >= grade.max_points else "fail",
            "max_score": number(grade.max_points), "tests": tests}


def _of(exercise: ExerciseGrade, language: str) -> dict[str, Any]:
    full = exercise.points is not None and exercise.points >= exercise.max_points
    return _test(exercise.name, "pass" if full else "fail", number(exercise.points),
                 "\n".join(details(exercise, language)), number(exercise.max_points))


def _test(name: str, status: str, score: Any, message: str, worth: Any) -> dict[str, Any]:
    return {"name": name, "status": status, "score": score, "max_score": worth, "message": message, "test_code": "",
            "filename": "", "line_no": 0, "execution_time": 0}
