"""Submissions of strangers: what each of cases.toml loses, and what is said of it."""
from __future__ import annotations

import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from autograder.judge.engine import Engine, Limits
from autograder.locale.language import translate
from autograder.records import Cell, Grade, Submission, Text

HERE = Path(__file__).parent
RIGHT = (HERE / "right.py").read_text(encoding="utf-8")
CASES = {case.pop("name"): case for case in tomllib.loads((HERE / "cases.toml").read_text(encoding="utf-8"))["case"]}


def code_of(case: dict[str, Any]) -> str:
    code = RIGHT
    for old, new in case.get("edits", ()):
        assert code.count(old) == 1, (old, code.count(old))
        code = code.replace(old, new)
    return code[:code.index("my_multihead")] + case["test"] if "test" in case else code + case.get("code", "")


def sentences(value: Any) -> list[str]:
    """Everything that a record says, in Dutch."""
    if isinstance(value, Text):
        return [translate(value, "nl")]
    if isinstance(value, tuple):
        return [sentence for part in value for sentence in sentences(part)]
    if isinstance(value, msgspec.Struct):
        return [sentence for field in value.__struct_fields__ for sentence in sentences(getattr(value, field))]
    return []


@pytest.fixture(scope="session")
def graded(engine_with: Callable[[Limits], Engine]) -> Callable[[str], Grade]:
    def grade(code: str) -> Grade:
        return engine_with(Limits()).grade(Submission("work.py", "student-01", "multihead", (Cell(0, code),)))
    return grade


@pytest.mark.parametrize("name", [pytest.param(name, marks=[pytest.mark.slow] * (place % 12 > 0))
                                  for place, name in enumerate(CASES)])
def test_what_a_stranger_hands_in(graded: Callable[[str], Grade], name: str) -> None:
    case = CASES[name]
    grade = graded(code_of(case))
    lost = {exercise.name for exercise in grade.exercises if exercise.points != exercise.max_points}
    must = set(case.get("loses", ()))
    points = [(one.name, one.points) for one in grade.exercises]
    assert must <= lost <= must | set(case.get("may_lose", ())), points
    said = "\n".join(sentences(grade))
    assert all(words in said for words in case.get("says", ())), said
    assert not any(words in said for words in case.get("silent", ())), said
    asked = [sentence for sentence in sentences(grade.for_a_person) if case.get("asks", "") in sentence]
    assert bool(asked) is ("asks" in case), grade.for_a_person
