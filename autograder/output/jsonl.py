"""Write grades as JSON lines, one per submission: every key is always present, unknown values are null."""

import json
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

from autograder.atomic import whole_file
from autograder.faults import Refused
from autograder.locale.language import language_for, translate, translated
from autograder.output.class_list import Person
from autograder.output.marks import error_words, number
from autograder.output.weight import fitted, weight
from autograder.records import CellReport, ExerciseGrade, Grade, Left, Mark, Verdict, text

NOTHING = text("nothing was handed in")
#: of the lines that are not grades
NO_GRADE = ("not_looked_at", "handed_in_nothing")


class CannotWrite(Refused):
    """The target of the JSON cannot be written, or can no longer be: its disk is full."""


def json_line(grade: Grade, language: str) -> str:
    """The grade as one line of JSON, without the final newline."""
    return fitted(grade, lambda light: _line(light, language), weight)


def left_line(left: Left, language: str) -> str:
    """What was not looked at, as a line with the same keys as that of a grade."""
    nobodys = Grade(left.path, "", "", "unreadable", None, 0.0, notices=(left.why,))
    return _line(nobodys, language, status="not_looked_at", max_points=None)


def absent_line(person: Person, language: str) -> str:
    """Who handed in nothing, as a line with the same keys as that of a grade; without the name, as all others."""
    nobodys = Grade("", person.student, "", "unreadable", None, 0.0, notices=(NOTHING,))
    return _line(nobodys, language, status="handed_in_nothing", submission=None, max_points=None)


def _line(grade: Grade, language: str, **instead: str | None) -> str:
    """The grade with other values for these keys."""
    line = json.dumps({**as_json(grade, language), **instead}, ensure_ascii=False, allow_nan=False)
    return line.encode("utf-8", "replace").decode("utf-8")           # half a surrogate pair is not valid JSON


def as_json(grade: Grade, language: str) -> dict[str, Any]:
    """The grade as plain data, with its sentences in this language."""
    language = language_for(grade, language)
    return {
        "submission": grade.submission, "student": grade.student, "status": grade.status,
        "points": number(grade.points), "max_points": number(grade.max_points),
        "notices": [translate(notice, language) for notice in grade.notices],
        "isolation": grade.isolation, "seconds": number(grade.seconds),
        "cells": [_cell(cell, language) for cell in grade.cells],
        "exercises": [_exercise(exercise, language) for exercise in grade.exercises],
        "key": grade.key, "checks": grade.checks, "language": grade.language,
        "for_a_person": [translate(reason, language) for reason in grade.for_a_person],
        "mark": None if grade.mark is None else _mark(grade.mark),
    }


def _mark(mark: Mark) -> dict[str, Any]:
    return {
        "points": number(mark.points), "max_points": number(mark.max_points), "auto": number(mark.auto),
        "by_hand": number(mark.by_hand), "late_penalty": number(mark.late_penalty), "days_late": mark.days_late,
        "pass_points": number(mark.pass_points), "passed": mark.passed, "value": mark.value,
        "waiting": list(mark.waiting), "replaced": list(mark.replaced),
        "exercises": {name: [number(points), number(worth)] for name, (points, worth) in mark.exercises.items()},
    }


def _cell(cell: CellReport, language: str) -> dict[str, Any]:
    error = translated(error_words(cell), language) or cell.error
    return {"cell": cell.cell, "status": cell.status, "error": error, "output": cell.output}


def _exercise(exercise: ExerciseGrade, language: str) -> dict[str, Any]:
    return {
        "name": exercise.name, "points": number(exercise.points), "max_points": number(exercise.max_points),
        "verdicts": [_verdict(verdict, language) for verdict in exercise.verdicts],
        "diagnosis": {"mistakes": list(exercise.diagnosis.mistakes),
                      "hints": [translate(hint, language) for hint in exercise.diagnosis.hints]},
    }


def _verdict(verdict: Verdict, language: str) -> dict[str, Any]:
    return {
        "check": verdict.check, "verdict": verdict.verdict, "points": number(verdict.points),
        "max_points": number(verdict.max_points), "world": verdict.world,
        "message": translate(verdict.message, language), "mistakes": list(verdict.mistakes),
    }


@contextmanager
def json_lines(target: str, language: str) -> Iterator[Callable[[Grade | Left | Person], None]]:
    """Yield a function that writes a grade, what was not looked at, or who handed in nothing, to `target`: a file, or
    line by line to standard output for "-".

    The file is replaced as a whole, and only if everything went well; until then its old content stays. Raises
    CannotWrite at once if the target cannot be written, and later if its disk is full.
    """
    ours = True                           # whether an OSError is about the target
    try:
        with _standard_output() if target == "-" else whole_file(Path(os.path.realpath(target))) as file:
            def write(each: Grade | Left | Person) -> None:
                nonlocal ours
                line = _line_of(each, language).encode() + b"\n"
                ours = True
                file.write(line)
                file.flush()
                ours = False
            ours = False
            yield write
            ours = True
    except OSError as error:
        if not ours or isinstance(error, BrokenPipeError):
            raise
        raise CannotWrite(f"cannot write {target}: {error.strerror or error}") from None


def _line_of(each: Grade | Left | Person, language: str) -> str:
    if isinstance(each, Grade):
        return json_line(each, language)
    return left_line(each, language or "nl") if isinstance(each, Left) else absent_line(each, language or "nl")


@contextmanager
def _standard_output() -> Iterator[BinaryIO]:
    sys.stdout.flush()
    yield sys.stdout.buffer
