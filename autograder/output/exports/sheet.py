"""Write a class as a table for a spreadsheet: a row per submission, a column per exercise.

It begins with a byte order mark, by which Excel recognises UTF-8; with a decimal comma the columns are separated by
semicolons, as Excel expects.
"""
from __future__ import annotations

from collections.abc import Sequence

from autograder.locale.language import translate
from autograder.output.exports import table
from autograder.output.exports.order import Order
from autograder.records import Grade


def sheet(grades: Sequence[Grade], order: Order) -> bytes:
    """The whole class."""
    names = list(dict.fromkeys(exercise.name for grade in grades for exercise in grade.exercises))
    header = ["student", "lesson", "status", "points", "max_points", "passed", *names,
              *(() if order.marks is None else ("late_penalty", "to_grade")), "look_at", "submission", "isolation",
              "checks"]
    rows = [header, *(_row(grade, names, order) for grade in grades)]
    return table.as_csv(rows, ";" if order.decimal == "," else ",", bom=True)


def _row(grade: Grade, names: Sequence[str], order: Order) -> list[str]:
    found = {exercise.name: exercise.points for exercise in grade.exercises
             if not exercise.skipped and (grade.status != "unreadable" or order.marks is not None)}
    reasons = (*grade.for_a_person, *(grade.notices if grade.status == "unreadable" else ()))
    student = grade.student if table.is_harmless(grade.student) else table.words(grade.student)
    return [student, grade.lesson, grade.status, table.points(grade.points, order.decimal),
            table.points(grade.max_points, order.decimal), _passed(grade, order.pass_percent),
            *(table.points(found.get(name), order.decimal) for name in names), *_from_gradebook(grade, order),
            table.words("; ".join(translate(reason, order.language) for reason in reasons)),
            table.words(grade.submission), grade.isolation, grade.checks]


def _from_gradebook(grade: Grade, order: Order) -> list[str]:
    """What was taken off for late work, and what a person still has to grade."""
    if order.marks is None:
        return []
    mark = order.marks.get(grade.student)
    return ["", ""] if mark is None else [table.points(mark.late_penalty, order.decimal),
                                          table.words(", ".join(mark.waiting))]


def _passed(grade: Grade, percent: float) -> str:
    if grade.points is None:
        return ""
    return "yes" if 100 * grade.points >= percent * grade.max_points else "no"
