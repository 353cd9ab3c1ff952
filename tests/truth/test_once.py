"""An error costs once: every mistake of the catalogue, with caches of every style and own tests of every kind.

Whatever is wrong, each exercise that is right keeps all its points, also where it is built on what is wrong: with a
cache that only the student's own backward can read, and with an own test that compares with the student's own copies.
"""
from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import pytest

from autograder.judge.engine import Assessor
from autograder.lessons.installed import load_lesson
from autograder.lessons.kit.lesson import Mistake
from autograder.proof.opening import open_local

LESSON = load_lesson("multihead")
MISTAKES = {mistake.id: mistake for mistake in LESSON.mistakes if mistake.advice is None}
RIGHT = (Path(__file__).parent / "right.py").read_text(encoding="utf-8")
COPY = RIGHT[RIGHT.index("my_multihead"):]
#: the same test against the lesson's own solution under other names, which nothing of the student's can spoil
ALONE = COPY.replace("my_multihead, my_backward = multihead, multihead_backward", "")

#: a mistake of backward that can cost an own test as well, see docs/appeals.md
TWICE = {"grads-accumulate-across-calls"}

STYLES = {
    "given": "",
    "tuple": """
_forward, _backward = multihead, multihead_backward


def multihead(x, params, heads, allowed):
    answer = _forward(x, params, heads, allowed)
    if not (isinstance(answer, tuple) and isinstance(answer[1], dict) and isinstance(answer[1].get("attention"), dict)):
        return answer
    return answer[0], {**answer[1], "attention": tuple(answer[1]["attention"].items())}


def multihead_backward(cache, params, dy):
    if isinstance(cache, dict) and "attention" in cache:
        if isinstance(cache["attention"], dict):
            raise TypeError("a cache of somebody else's")
        cache = {**cache, "attention": dict(cache["attention"])}
    return _backward(cache, params, dy)
""",
    "shared": """
_forward, SHARED = multihead, {}


def multihead(x, params, heads, allowed):
    answer = _forward(x, params, heads, allowed)
    if not (isinstance(answer, tuple) and isinstance(answer[1], dict)):
        return answer
    SHARED.clear()
    SHARED.update(answer[1])
    return answer[0], SHARED
""",
}


@cache
def assessor() -> Assessor:
    return Assessor(LESSON)


def own_test(copy: bool) -> str:
    if copy:
        return COPY
    source = LESSON.reference_source
    names = [node.name for node in ast.parse(source).body if isinstance(node, ast.FunctionDef)]
    renamed = re.sub(rf"(?<!['\"])\b({'|'.join(names)})\b(?!['\"])", r"right_\1", source)
    return renamed + "\n\n\nmy_multihead, my_backward = right_multihead, right_multihead_backward\n\n\n" + ALONE


def assessed(mistake: Mistake, style: str, copy: bool) -> set[str]:
    """The exercises that lost points."""
    parts = [mistake.make(LESSON.reference_source), STYLES[style], own_test(copy)]
    assessment = assessor().assess(open_local("\n\n\n".join(parts)))
    return {one.name for one in assessment.exercises if one.points != one.max_points}


def costs_once(mistake: Mistake, style: str, copy: bool) -> None:
    lost = assessed(mistake, style, copy)
    if style == "tuple" and mistake.id == "pops-cache":
        return                                  # this style hands backward a copy of its cache: nothing is missing
    must = {*mistake.exercises, *(["multihead"] if style == "shared" else [])}
    assert must <= lost
    if style == "tuple" and "multihead" in must:        # the exception in docs/appeals.md
        assert lost - must <= {"multihead_backward", "own_test"}
    else:
        assert lost - must <= ({"own_test"} if mistake.id in TWICE else set())


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("mistake", ["split-interleaved", "wo-transposed"])
def test_a_few_errors_cost_once(mistake: str, style: str) -> None:
    costs_once(MISTAKES[mistake], style, copy=True)


@pytest.mark.slow
@pytest.mark.parametrize("copy", [True, False], ids=["own copies", "no copies"])
@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("mistake", MISTAKES)
def test_an_error_costs_once(mistake: str, style: str, copy: bool) -> None:
    costs_once(MISTAKES[mistake], style, copy)
