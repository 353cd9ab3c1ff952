"""Mistakes that the catalogue does not have: what they lose, and that what is said of them is what was done."""
from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from sampled import by_turns

from autograder.judge.engine import Assessor
from autograder.lessons.installed import load_lesson
from autograder.proof.opening import open_local

HERE = Path(__file__).parent
LESSON = load_lesson("multihead")
CASES = {case.pop("name"): case for case in tomllib.loads((HERE / "unseen.toml").read_text(encoding="utf-8"))["case"]}
GIVEN = "from attention import attention, attention_backward\n"
assessor = cache(lambda: Assessor(LESSON))


def code_of(case: dict[str, Any]) -> str:
    code = (HERE / "bases" / f"{case['base']}.py").read_text(encoding="utf-8").replace(GIVEN, "")
    for old, new in case.get("edits", ()):
        assert code.count(old) == 1, (old, code.count(old))
        code = code.replace(old, new)
    return f"{LESSON.reference_source}\n\n\n{code}"


def test_the_bases_are_right() -> None:
    for base in ("given", "own_attention", "loops"):
        assessed = assessor().assess(open_local(code_of({"base": base})))
        assert [exercise.points for exercise in assessed.exercises] == [3, 2, 5, 7, 3], base


@pytest.mark.parametrize("name", by_turns(CASES, 20, 3))
def test_a_mistake_that_nobody_listed_costs_once_and_has_a_word(name: str) -> None:
    case = CASES[name]
    exercises = {one.name: one for one in assessor().assess(open_local(code_of(case))).exercises}
    assert [one for one, exercise in exercises.items() if exercise.points != exercise.max_points] == case["loses"]
    assert [mistake for one in case["loses"] for mistake in exercises[one].diagnosis.mistakes] == case["named"]


def test_a_backward_with_a_cache_of_its_own_is_not_blamed_for_names_that_another_cache_lacks() -> None:
    code = code_of({"base": "own_attention", "edits": [
        [" / np.sqrt(d)\n    scores = ", "\n    scores = "],
        ["ds = a * (da - (da * a).sum(axis=-1, keepdims=True))\n    ds = ds / np.sqrt(d)", "ds = a * da"]]})
    exercises = {one.name: one for one in assessor().assess(open_local(code)).exercises}
    assert exercises["multihead_backward"].points != exercises["multihead_backward"].max_points
    assert "KeyError" not in str([verdict.message for verdict in exercises["multihead_backward"].verdicts])


def test_of_two_exceptions_only_the_first_is_told_where_they_alone_are_wrong() -> None:
    code = code_of({"base": "given", "edits": [[
        "    if heads <= 0 or C % heads:", "    if heads <= 0:\n        return x[7]\n    if C % heads:\n"
        "        return x.mine\n    if False:"]]})
    split = assessor().assess(open_local(code)).exercises[0]
    assert split.diagnosis.mistakes == ("only-refuses-other-divisors",)
    assert "AttributeError" in str(split.diagnosis.hints)
    assert "IndexError" not in str(split.diagnosis.hints)
