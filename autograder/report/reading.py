"""Read grades back, from the store of a course or from the JSON lines that `--json` writes.

A store holds grades as records, the journal of version 0.1 several per student: the last counts. JSON lines hold
translated sentences; each becomes a Text that says just that.
"""

from collections.abc import Iterable, Mapping
from contextlib import nullcontext, suppress
from pathlib import Path
from typing import Any

import msgspec

from autograder.faults import Refused
from autograder.output.jsonl import NO_GRADE
from autograder.records import ExerciseGrade, Grade, Left, Text

Titles = Mapping[tuple[str, str], Text]         # (exercise, check) -> the check's line
SAID = "{said}"                                 # the template of a sentence that was already translated
_RECORDED = b'"lesson":'                         # what only a record has
_VERDICT = ("check", "verdict", "points", "max_points", "world", "mistakes")
_GRADE = ("submission", "student", "status", "points", "max_points", "isolation", "seconds", "cells", "key", "checks",
          "language")


class CannotRead(Refused):
    """The file holds no grades: what was seen, what was expected, in one line."""


def read_grades(path: Path, titles: Titles | None = None, lines: Iterable[bytes] | None = None) -> list[Grade]:
    """The grades in this file, in the order of its lines. Raises CannotRead.

    `lines` are those of a file that is not text. JSON lines lack the titles of the checks: those come from `titles`,
    else the check's name is used.
    """
    found: dict[tuple[str, ...], Grade] = {}
    shared: dict[bytes, ExerciseGrade] = {}
    journal = False
    try:
        with nullcontext(lines) if lines is not None else path.open("rb") as lines:
            for number, line in enumerate(lines, start=1):
                grade, recorded = _read(line, titles or {}, path, number, journal)
                if grade is None:
                    continue
                journal = journal or recorded
                key = (grade.lesson, grade.student) if recorded else (grade.submission, grade.student, str(number))
                found.pop(key, None)
                found[key] = _sharing(grade, shared)
    except OSError as error:
        raise CannotRead(f"cannot read {path}: {error.strerror or error}") from None
    if not found:
        raise CannotRead(f"{path} holds no grades")
    return list(found.values())


def read_left(path: Path) -> list[Left]:
    """What these JSON lines say was not looked at; nothing where the file is a store. Raises CannotRead."""
    try:
        with path.open("rb") as lines:
            found = [msgspec.json.decode(line) for line in lines if b'"not_looked_at"' in line]
    except (OSError, msgspec.MsgspecError) as error:
        raise CannotRead(f"cannot read {path}: {getattr(error, 'strerror', error)}") from None
    return [Left(each["submission"], Text(SAID, {"said": " ".join(each["notices"])})) for each in found
            if each["status"] == "not_looked_at"]


def _sharing(grade: Grade, shared: dict[bytes, ExerciseGrade]) -> Grade:
    """The grade, with equal exercises of a class stored once: a class of 10,000 has to fit in memory."""
    exercises = [shared.setdefault(msgspec.msgpack.encode(exercise), exercise) for exercise in grade.exercises]
    return msgspec.structs.replace(grade, exercises=tuple(exercises))


def _read(line: bytes, titles: Titles, path: Path, number: int, journal: bool) -> tuple[Grade | None, bool]:
    """The grade on this line, if there is one; in a journal, a truncated line was written again later."""
    if not line.strip():
        return None, False
    try:
        return _grade(line, titles)
    except (msgspec.MsgspecError, UnicodeDecodeError, AttributeError, KeyError, TypeError):
        if journal:
            return None, False
        raise CannotRead(f"{path}, line {number} is not a grade; expected the JSON lines of `autograder check --json` "
                         "or `grade --json`, or a course's store") from None


def _grade(line: bytes, titles: Titles) -> tuple[Grade | None, bool]:
    """The grade on one line, and whether it is a record (of a journal) rather than output for people."""
    with suppress(msgspec.MsgspecError):
        if _RECORDED in line:                     # a record, decoded at once
            return msgspec.json.decode(line, type=Grade), True
    data = msgspec.json.decode(line)
    if data.get("status") in NO_GRADE:
        return None, False
    recorded = "lesson" in data
    return msgspec.convert(data if recorded else _as_record(data, titles), Grade), recorded


def _as_record(data: Mapping[str, Any], titles: Titles) -> dict[str, Any]:
    exercises = [{
        "name": exercise["name"], "points": exercise["points"], "max_points": exercise["max_points"],
        "verdicts": [_verdict(exercise["name"], verdict, titles) for verdict in exercise["verdicts"]],
        "diagnosis": {"mistakes": exercise["diagnosis"]["mistakes"],
                      "hints": [_said(hint) for hint in exercise["diagnosis"]["hints"]]},
        "skipped": exercise["points"] is None and bool(exercise["verdicts"]) and all(
            verdict["verdict"] == "skipped" for verdict in exercise["verdicts"]) and data["status"] == "graded",
    } for exercise in data["exercises"]]
    mark = {"mark": {"student": data["student"], **data["mark"]}} if data.get("mark") else {}
    return {"lesson": "", "exercises": exercises, **mark, **{key: data[key] for key in _GRADE if key in data},
            "notices": [_said(notice) for notice in data["notices"]],
            "for_a_person": [_said(reason) for reason in data.get("for_a_person", ())]}


def _verdict(exercise: str, data: Mapping[str, Any], titles: Titles) -> dict[str, Any]:
    title = titles.get((exercise, data["check"])) or Text(str(data["check"]))
    return {"title": msgspec.to_builtins(title), "message": _said(data["message"]) if data["message"] else None,
            **{key: data[key] for key in _VERDICT}}


def _said(sentence: str) -> dict[str, Any]:
    return {"type": "Text", "template": SAID, "values": {"said": sentence}}
