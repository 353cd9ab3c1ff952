"""Answers that no calculation survives are wrong; whoever grades hears no warning, and none of them stops a check."""
import warnings
from collections.abc import Callable
from pathlib import Path

import pytest
from sampled import by_turns

from autograder.intake import from_sources
from autograder.judge.engine import Engine, Limits

SOLUTION = (Path(__file__).parents[2] / "solutions" / "multihead.py").read_text(encoding="utf-8")
ANSWERS = {"largest": "np.where(x > 0, 1.7e308, -1.7e308)", "huge": "x * 1e300", "complex": "x * (1 + 1e300j)",
           "whole": "np.full(x.shape, 2**63 - 1)", "subnormal": "x * 5e-324"}
SPOILED = """

def spoiled(x):
    return {answer}

_forward, _backward = multihead, multihead_backward

def multihead(x, params, heads, allowed):
    y, cache = _forward(x, params, heads, allowed)
    return spoiled(y), cache

def multihead_backward(cache, params, dy):
    dx, grads = _backward(cache, params, dy)
    return spoiled(dx), {{name: spoiled(grad) for name, grad in grads.items()}}
"""


@pytest.mark.parametrize("answer", by_turns(ANSWERS.values(), 2, 1), ids=ANSWERS)
def test_an_answer_beyond_all_bounds_is_wrong_and_warns_nobody(
        answer: str, engine_with: Callable[[Limits], Engine]) -> None:
    engine = engine_with(Limits())
    source = SOLUTION + SPOILED.format(answer=answer)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        grade = engine.grade(from_sources("s.py", "student-01", [source], engine.lesson))
    words = {verdict.verdict for exercise in grade.exercises[2:4] for verdict in exercise.verdicts}
    assert words <= {"wrong", "passed"}
    assert all(exercise.verdicts[0].verdict == "wrong" for exercise in grade.exercises[2:4])
