"""Write what GitHub Classroom's grading reporter takes: base64 of JSON with tests.

The reporter tells Classroom the sum of the tests' scores, and shows students a table in which a runner has as many
points as it has tests that passed. So there are two ways: `result` is one runner with a test per exercise, of which
only the sum is right; `in_two` says the same as two runners, of which one has all its points and the other none, so
that both totals are right. A message is shown only at an error; a test always shows its name and its `test_code`.

If the points are unknown there is no maximum, so the reporter reports none, and the job fails with "error".
"""

import base64
import html
import json
import re
from collections.abc import Sequence
from typing import Any

from autograder.locale.language import language_for
from autograder.output.exports.order import Order
from autograder.output.exports.words import details, summary
from autograder.output.final import final_total
from autograder.output.marks import number, points_of
from autograder.records import ExerciseGrade, Grade

SUMMARY_CAP = 500_000                       # characters; GitHub shows no more than 1 MiB
_COMMAND = re.compile(r"::|##\[")           # how a line tells a runner to do something


def result(grades: Sequence[Grade], order: Order) -> bytes:
    """The text for `MULTIHEAD_RESULTS` of one submission: one line of ASCII."""
    (grade,) = grades
    return encoded(as_result(grade, language_for(grade, order.language), order.marks is not None)) + b"\n"


def encoded(found: dict[str, Any]) -> bytes:
    """The JSON as the reporter reads it."""
    return base64.b64encode(json.dumps(found, ensure_ascii=True, allow_nan=False).encode())


def as_result(grade: Grade, language: str, marked: bool = False) -> dict[str, Any]:
    """The whole result as one runner; `marked` if a late penalty may appear beside the exercises."""
    if grade.points is None:
        return _unknown(grade, language)
    tests = [_of(exercise, language) for exercise in grade.exercises if not exercise.skipped]
    taken_off = number(grade.points - sum(test["score"] for test in tests))
    if taken_off and marked:                    # the reporter has no separate total
        tests.append(_test("late", "fail", taken_off, "\n".join(summary(grade, language)), 0))
    return _runner("pass" if grade.points >= grade.max_points else "fail", grade.max_points, tests)


def in_two(grade: Grade, language: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """What was earned, and what is missing: two runners, whose totals are the same by any way of counting."""
    if grade.points is None:
        return _unknown(grade, language), _runner("error", 0, [_test("missing", "fail", 0, "", 0)])
    said = "\n".join(summary(grade, language))
    earned = _test(final_total(grade), "pass", number(grade.points), said, number(grade.points))
    left = [_of(exercise, language) for exercise in grade.exercises if not exercise.skipped
            and (exercise.points is None or exercise.points < exercise.max_points)]
    missing = [{**test, "score": 0, "name": f"{test['name']}: {points_of(test['score'], test['max_score'])}"}
               for test in left]
    full = grade.points >= grade.max_points
    return (_runner("pass", grade.points, [earned]),
            _runner("pass" if full else "fail", max(0.0, grade.max_points - grade.points),
                    missing or [_test("missing: 0", "pass" if full else "fail", 0, "", 0)]))


def in_markdown(grade: Grade, language: str) -> str:
    """The points and the words for a job's summary, in which nothing of a student's is more than text."""
    lines = [f"## {grade.lesson or 'submission'}: {final_total(grade)}", "", *_quoted(summary(grade, language))]
    for exercise in grade.exercises if grade.status != "unreadable" else ():
        if not exercise.skipped:
            lines += [f"### {exercise.name}: {points_of(exercise.points, exercise.max_points)}", "",
                      *_quoted(details(exercise, language))]
    return "\n".join(lines)[:SUMMARY_CAP] + "\n"


def _quoted(lines: Sequence[str]) -> list[str]:
    """The lines as one block that keeps its spaces, and that no character in it ends."""
    words = "\n".join(lines)
    return [f"<pre>{html.escape(words).replace(chr(10), '&#10;')}</pre>", ""] if words else []


def _unknown(grade: Grade, language: str) -> dict[str, Any]:
    why = "\n".join(summary(grade, language)) or grade.status
    return _runner("error", 0, [_test(grade.lesson or "submission", "error", 0, why, 0.0)])


def _runner(status: str, worth: float, tests: list[dict[str, Any]]) -> dict[str, Any]:
    return {"version": 1, "status": status, "max_score": number(worth), "tests": tests}


def _of(exercise: ExerciseGrade, language: str) -> dict[str, Any]:
    full = exercise.points is not None and exercise.points >= exercise.max_points
    return _test(exercise.name, "pass" if full else "fail", number(exercise.points),
                 "\n".join(details(exercise, language)), number(exercise.max_points))


def _test(name: str, status: str, score: Any, message: str, worth: Any) -> dict[str, Any]:
    said = _COMMAND.sub(lambda found: " ".join(found[0]), message)         # whoever prints it starts nothing
    return {"name": name, "status": status, "score": score, "max_score": worth, "message": said,
            "test_code": "" if status == "error" else said, "filename": "", "line_no": 0, "execution_time": 0}
