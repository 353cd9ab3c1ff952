"""An error costs once: every mistake of the catalogue, with caches of every style and own tests of every kind.

Whatever is wrong, each exercise that is right keeps all its points, also where it is built on what is wrong: with a
cache that only the student's own backward can read, and with an own test that compares with the student's own copies.
"""
from __future__ import annotations

import ast
import re
from collections import Counter
from functools import cache
from pathlib import Path
from zlib import crc32

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

#: forwards that give no cache, or not all of it, so that a backward that reads only its own cannot be tried
NO_CACHE = {"v-not-split", "cache-heads-missing", "cache-is-none", "forward-returns-y-only",
            "forward-return-order-swapped", "kT-reverses-all-axes", "softmax-no-keepdims", "mask-wrong-new-axis"}

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


def costs_once(mistake: Mistake, style: str, copy: bool) -> None:
    parts = [mistake.make(LESSON.reference_source), STYLES[style], own_test(copy)]
    assessment = assessor().assess(open_local("\n\n\n".join(parts)))
    lost = {one.name for one in assessment.exercises if one.points != one.max_points}
    must = {*mistake.exercises, *(["multihead"] if style == "shared" else [])}
    if style == "tuple" and mistake.id == "pops-cache":
        must = set()                            # this style hands backward a copy of its cache: nothing is missing
    untried = set()
    if style == "tuple" and mistake.id in NO_CACHE:
        untried = {"multihead_backward", *(["own_test"] if copy else [])}
    assert lost == must | untried
    asked = " ".join(f"{reason.template} {reason.values}" for reason in assessment.for_a_person)
    assert all(name in asked for name in untried), asked


def one_of(choices: list[tuple[str, bool]], mistake: str) -> tuple[str, bool]:
    """Always the same for one mistake, and spread over all mistakes."""
    return choices[crc32(mistake.encode()) % len(choices)]


def more_of(choices: list[tuple[str, bool]], mistake: str) -> list[tuple[str, bool]]:
    """Two that `one_of` does not choose, which have nothing in common."""
    place = crc32(mistake.encode()) % len(choices)
    return [choices[(place + step) % len(choices)] for step in (1, 4)]


WAYS = [(style, copy) for style in STYLES for copy in (True, False)]
#: a sixth of the mistakes, always the same, and those of which a style cannot try everything
SAMPLE = [mistake for mistake in MISTAKES if crc32(mistake[::-1].encode()) % 6 == 0 or mistake in NO_CACHE]


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("mistake", ["split-interleaved", "scale-none"])
def test_a_few_errors_cost_once(mistake: str, style: str) -> None:
    costs_once(MISTAKES[mistake], style, copy=True)


@pytest.mark.slow
@pytest.mark.parametrize("mistake", SAMPLE)
def test_an_error_costs_once(mistake: str) -> None:
    costs_once(MISTAKES[mistake], *one_of(WAYS, mistake))


@pytest.mark.integration
@pytest.mark.parametrize("mistake", MISTAKES)
def test_an_error_costs_once_in_two_more_ways(mistake: str) -> None:
    """With own copies and without, in two styles; in all of them where a style cannot try everything."""
    for style, copy in WAYS if mistake in NO_CACHE else more_of(WAYS, mistake):
        costs_once(MISTAKES[mistake], style, copy)


def test_the_sample_has_every_style() -> None:
    assert {one_of(WAYS, mistake) for mistake in SAMPLE} == set(WAYS)
    assert {exercise for mistake in SAMPLE for exercise in MISTAKES[mistake].exercises} == {
        exercise.name for exercise in LESSON.exercises if not exercise.implementations}
    assert len(SAMPLE) > 30


def test_the_other_ways_are_different_ones() -> None:
    seen = Counter()
    for mistake in MISTAKES:
        (style, copy), (other, not_copy) = more_of(WAYS, mistake)
        assert style != other
        assert copy is not not_copy
        assert one_of(WAYS, mistake) not in more_of(WAYS, mistake)
        seen.update(more_of(WAYS, mistake))
    assert min(seen[way] for way in WAYS) > len(MISTAKES) / 4


def test_a_mistake_that_remembers_is_known_again() -> None:
    """What the catalogue's own mistakes keep between calls does not spoil the next diagnosis."""
    for _ in range(2):
        costs_once(MISTAKES["grads-accumulate-across-calls"], "given", copy=True)


SHARES = """
_backward, ROOM = multihead_backward, {}


def multihead_backward(cache, params, dy):
    dx, grads = _backward(cache, params, dy)
    ROOM.update(grads)
    return dx, ROOM
"""


@pytest.mark.parametrize(("source", "named"), [
    (LESSON.reference_source + SHARES, ("only-same-answer-twice",)),
    (MISTAKES["cache-in-global"].make(LESSON.reference_source), ("cache-in-global",)),
], ids=["answers that are shared", "a cache in a global"])
def test_a_mistake_is_named_by_answers_that_show_it(source: str, named: tuple[str, ...]) -> None:
    """Answers that were all right when they were given name no mistake; those of another call's cache name that."""
    backward = next(one for one in assessor().assess(open_local(source)).exercises if one.name == "multihead_backward")
    assert backward.points != backward.max_points
    assert backward.diagnosis.mistakes == named
