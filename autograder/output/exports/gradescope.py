"""Write Gradescope's results.json: the score, and a test for each check.

Without a score Gradescope adds up the scores of the tests. So if the autograder failed, no test has a score either, and
Gradescope reports that instead of showing a part as the whole. A file that cannot be read has score 0 and says why: its
student can do something about it. The tests' maxima add up to the points that there are.
"""

import json
from collections.abc import Sequence
from typing import Any

from msgspec.structs import replace

from autograder.locale.language import language_for, translate
from autograder.output.exports.order import Order
from autograder.output.exports.words import summary, title
from autograder.output.marks import TIERS, labelled, number, points_of
from autograder.output.plain import plain
from autograder.records import ExerciseGrade, Grade, Verdict, text


def results(grades: Sequence[Grade], order: Order) -> bytes:
    """The file of one submission."""
    (grade,) = grades
    found = as_results(grade, language_for(grade, order.language))
    return json.dumps(found, ensure_ascii=False, indent=1, allow_nan=False).encode("utf-8", "replace")


def as_results(grade: Grade, language: str) -> dict[str, Any]:
    """The same as plain data."""
    if grade.status == "unreadable":
        grade = replace(grade, points=grade.points or 0.0)
    known = grade.points is not None
    exercises = [exercise for exercise in grade.exercises if not exercise.skipped]
    tests = [_test(f"{place}.{index}", exercise, verdict, language, known)
             for place, exercise in enumerate(exercises, start=1)
             for index, verdict in enumerate(exercise.verdicts, start=1)]
    if grade.status == "unreadable":
        tests = [_not_read(grade, language)]
    if known:
        _add_up(tests, grade.max_points)
    hints = [f"{exercise.name}: {points_of(exercise.points, exercise.max_points)}"
             + "".join(f"\n→ {plain(translate(hint, language))}" for hint in exercise.diagnosis.hints)
             for exercise in exercises if grade.status != "unreadable"]
    if grade.for_a_person:
        tests.append({"name": "For the instructor", "visibility": "hidden",
                      "output": "\n".join(plain(translate(reason, "en")) for reason in grade.for_a_person)})
    where = [] if grade.status == "unreadable" else [_where(grade, language)]
    answer = {"execution_time": number(grade.seconds), "output": "\n".join([*summary(grade, language), *hints, *where]),
              "output_format": "text", "visibility": "visible", "stdout_visibility": "hidden", "tests": tests,
              "extra_data": {"status": grade.status, "isolation": grade.isolation, "checks": grade.checks,
                             "max_points": number(grade.max_points)}}
    return {"score": number(grade.points), **answer} if known else answer


def _not_read(grade: Grade, language: str) -> dict[str, Any]:
    """The one test of a file that cannot be read: it has all the points that there are, and says why it has none."""
    words = text("This file could not be read, so nothing was graded yet.")
    return {"name": translate(words, language), "output": "\n".join(summary(grade, language)), "output_format": "text",
            "visibility": "visible", "status": "failed", "score": number(grade.points), "max_score": 0}


def _add_up(tests: list[dict[str, Any]], worth: float) -> None:
    """Put what rounding, or exercises without checks, left of the maximum on the test that is worth most."""
    if tests:
        most = max(tests, key=lambda test: test["max_score"])
        most["max_score"] = number(most["max_score"] + worth - sum(test["max_score"] for test in tests))


def _where(grade: Grade, language: str) -> str:
    """Which wall the student's code ran behind."""
    words = text("Your code ran {where}.", where=TIERS.get(grade.isolation, grade.isolation))
    return f"{translate(words, language)} (isolation: {grade.isolation})"


def _test(place: str, exercise: ExerciseGrade, verdict: Verdict, language: str, known: bool) -> dict[str, Any]:
    name = title(verdict, language) if verdict.verdict in ("passed", "skipped") else plain(labelled(verdict, language))
    test: dict[str, Any] = {"name": f"{exercise.name}: {name}", "number": place,
                            "output": plain(translate(verdict.message, language)), "output_format": "text",
                            "visibility": "visible"}
    if known:
        test |= {"score": number(verdict.points), "max_score": number(verdict.max_points)}
    if verdict.verdict not in ("broken", "skipped"):
        test["status"] = "passed" if verdict.verdict == "passed" else "failed"
    return test
