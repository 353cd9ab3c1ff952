"""Make the data of the students × checks table: small enough for thousands of students, harmless in a page.

A row holds one character per check (see `SIGNS`); each message is stored once, however many students it was given to.
"""

import json
from collections.abc import Callable, Sequence
from typing import Any

from markupsafe import Markup

from autograder.locale.language import translate
from autograder.output.changes import verdicts_of
from autograder.output.class_list import NOBODY, ClassList
from autograder.output.final import final_points
from autograder.output.marks import number
from autograder.output.plain import plain
from autograder.records import Grade, Text
from autograder.report.cells import SIGNS, code_of
from autograder.report.facts import Class, Column
from autograder.report.person import Group

Link = Callable[[Grade], str | None]            # the address of a student's feedback page, if there is one


class _Kept:
    """Numbers things: equal things get the same number."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    def __call__(self, thing: str) -> int:
        return self._numbers.setdefault(thing, len(self._numbers))

    def __iter__(self):
        return iter(self._numbers)


def grid_data(of: Class, groups: Sequence[Group], link: Link, language: str,
              people: ClassList = NOBODY) -> dict[str, Any]:
    """Everything that the table's script shows, as plain data."""
    names = list(dict.fromkeys(column.exercise for column in of.columns))
    groups_of: dict[str, list[str]] = {}
    for group in groups:
        for entry in group.entries:
            groups_of.setdefault(_identity(entry.grade), []).append(group.key)
    messages = _Kept()
    rows = [{**_row(grade, names, link, people), **_cells(grade, of.columns, messages, language),
             "groups": groups_of.get(_identity(grade), [])} for grade in of.grades]
    return {
        "columns": [{"exercise": names.index(column.exercise), "check": column.check,
                     "title": _say(column.title, language), "max": number(column.max_points)}
                    for column in of.columns],
        "exercises": [{"name": name, "max": number(_max_points(of, name))} for name in names],
        "signs": {code: [sign.sign, sign.word, sign.colour] for code, sign in SIGNS.items()},
        "rows": rows, "messages": list(messages), "hints": _hints(of.grades, language), "language": language,
    }


def _row(grade: Grade, names: Sequence[str], link: Link, people: ClassList) -> dict[str, Any]:
    exercises = {exercise.name: exercise for exercise in grade.exercises}
    return {
        "name": plain(people.called(grade.student) or grade.submission), "link": link(grade), "status": grade.status,
        "points": number(final_points(grade)), "mark": None if grade.mark is None else grade.mark.value,
        "exercises": [number(exercises[name].points) if name in exercises else None for name in names],
        "mistakes": {names.index(name): list(exercise.diagnosis.mistakes) for name, exercise in exercises.items()
                     if exercise.diagnosis.mistakes and name in names},
    }


def _cells(grade: Grade, columns: Sequence[Column], messages: _Kept, language: str) -> dict[str, Any]:
    """The codes of all checks, the messages of some, and the points of those that earned a part."""
    verdicts = verdicts_of(grade)
    found = [verdicts.get((column.exercise, column.check)) for column in columns]
    return {
        "codes": "".join(code_of(verdict) for verdict in found),
        "says": {index: messages(_say(verdict.message, language)) for index, verdict in enumerate(found)
                 if verdict is not None and verdict.message is not None},
        "worth": {index: number(verdict.points) for index, verdict in enumerate(found)
                  if verdict is not None and verdict.points not in (None, 0, verdict.max_points)},
    }


def _hints(grades: Sequence[Grade], language: str) -> dict[str, str]:
    return {mistake: _say(hint, language) for grade in grades for exercise in grade.exercises
            for mistake, hint in zip(exercise.diagnosis.mistakes, exercise.diagnosis.hints, strict=False)}


def _say(words: Text | None, language: str) -> str:
    return plain(translate(words, language))


def _identity(grade: Grade) -> str:
    return f"{grade.student}\0{grade.submission}"


def _max_points(of: Class, name: str) -> float:
    return max((exercise.max_points for grade in of.grades for exercise in grade.exercises if exercise.name == name),
               default=0.0)


def json_in_page(data: Any) -> Markup:
    """The data as JSON that cannot close a script element and is also JavaScript."""
    text = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return Markup(text.encode("utf-8", "replace").decode("utf-8"))


