"""Write a class as a table for a spreadsheet: a row per submission, a column per exercise.

It begins with a byte order mark, by which Excel recognises UTF-8; with a decimal comma the columns are separated by
semicolons, as Excel expects.
"""

from collections.abc import Sequence

from autograder.locale.language import translate
from autograder.output.exports import table
from autograder.output.exports.order import Order
from autograder.output.final import on_scale
from autograder.records import Grade

_GRADEBOOK = ("auto_points", "by_hand", "late_penalty", "days_late", "to_grade", "look_again")


def sheet(grades: Sequence[Grade], order: Order) -> bytes:
    """The whole class."""
    names = list(dict.fromkeys(exercise.name for grade in grades for exercise in grade.exercises))
    header = ["student", "lesson", "status", "points", "max_points", "passed", *(["mark"] if order.scale else []),
              *names, *(() if order.marks is None else _GRADEBOOK), "look_at", "submission", "isolation", "checks"]
    rest = ["", "nothing handed in", *[""] * (len(header) - 3)]
    rows = [header, *(_row(grade, names, order) for grade in grades),
            *([_harmless(person.student), *rest] for person in order.absent)]
    if any(person.name or person.section for person in order.people.people.values()):
        rows = [[row[0], *more, *row[1:]] for row, more in zip(rows, [
            ["name", "section"], *(_about(student, order) for student in (
                *(grade.student for grade in grades), *(person.student for person in order.absent)))], strict=True)]
    return table.as_csv(rows, ";" if order.decimal == "," else ",", bom=True)


def _about(student: str, order: Order) -> list[str]:
    person = order.people.people.get(student)
    return ["", ""] if person is None else [table.words(person.name), table.words(person.section)]


def _harmless(student: str) -> str:
    return student if table.is_harmless(student) else table.words(student)


def _row(grade: Grade, names: Sequence[str], order: Order) -> list[str]:
    found = {exercise.name: exercise.points for exercise in grade.exercises
             if not exercise.skipped and (grade.status != "unreadable" or order.marks is not None)}
    reasons = (*grade.for_a_person, *(grade.notices if grade.status == "unreadable" else ()))
    return [_harmless(grade.student), grade.lesson, grade.status, table.points(grade.points, order.decimal),
            table.points(grade.max_points, order.decimal), _passed(grade), *_mark(grade, order),
            *(table.points(found.get(name), order.decimal) for name in names), *_from_gradebook(grade, order),
            table.words("; ".join(translate(reason, order.language) for reason in reasons)),
            table.words(grade.submission), grade.isolation, grade.checks]


def _from_gradebook(grade: Grade, order: Order) -> list[str]:
    """What the points are made of, what a person still has to grade, and what changed since a person graded it."""
    if order.marks is None:
        return []
    mark = order.marks.get(grade.student)
    if mark is None:
        return [""] * len(_GRADEBOOK)
    return [*(table.points(points, order.decimal) for points in (mark.auto, mark.by_hand, mark.late_penalty)),
            str(mark.days_late), *(table.words(", ".join(names)) for names in (mark.waiting, mark.replaced))]


def _mark(grade: Grade, order: Order) -> list[str]:
    if not order.scale:
        return []
    value = None if grade.mark is None else grade.mark.value
    return ["" if value is None else on_scale(value).replace(".", order.decimal)]


def _passed(grade: Grade) -> str:
    if grade.mark is None or grade.mark.passed is None:
        return ""
    return "yes" if grade.mark.passed else "no"
