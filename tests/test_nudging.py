"""Numerical derivatives are noticed by what they do, however they are written; right gradients never are."""
from __future__ import annotations

import random

import pytest

from autograder.judge.engine import Limits
from autograder.lessons.multihead import probes
from autograder.lessons.multihead.lesson import LESSON
from autograder.lessons.multihead.variants import variant
from autograder.records import Call, Cell, Outcome
from autograder.sandbox.student import Sandbox

SAMPLE = 30
RIGHT = LESSON.reference_source
COMMON = """
import numpy as np

def loss(x, params, heads, mask, dy):
    return np.sum(multihead(x, params, heads, mask)[0] * dy)

_keeps = multihead
def multihead(x, params, heads, allowed):
    y, cache = _keeps(x, params, heads, allowed)
    return y, {**cache, "mask": np.array(allowed)}

def every(cache, params, dy, one):
    x, heads, mask = cache["x"], cache["heads"], cache["mask"]
    params = {name: np.array(w, dtype=float) for name, w in params.items()}
    dx = one(x, lambda moved: loss(moved, params, heads, mask, dy))
    grads = {name: one(w, lambda moved: loss(x, {**params, name: moved}, heads, mask, dy))
             for name, w in params.items()}
    return dx, grads
"""
#: how the derivative of `f` at `a` is found
WAYS = {
    "central": """
    for i in np.ndindex(*a.shape):
        up, down = a.copy(), a.copy()
        up[i] += 1e-5
        down[i] -= 1e-5
        out[i] = (f(up) - f(down)) / 2e-5""",
    "in place": """
    a = a.copy()
    for i in np.ndindex(*a.shape):
        old = a[i]
        a[i] = old + 1e-6
        out[i] = f(a)
        a[i] = old
    out = (out - f(a)) / 1e-6""",
    "a unit at a time": """
    for i, unit in enumerate(np.eye(a.size)):
        out.flat[i] = (f(a + 1e-5 * unit.reshape(a.shape)) - f(a - 1e-5 * unit.reshape(a.shape))) / 2e-5""",
    "a large step": """
    for i in np.ndindex(*a.shape):
        a[i] += 1.0
        up = f(a)
        a[i] -= 2.0
        out[i] = (up - f(a)) / 2
        a[i] += 1.0""",
    "along other axes": """
    q = np.linalg.qr(np.random.default_rng(0).normal(size=(a.size, a.size)))[0]
    slopes = [(f(a + 1e-5 * v.reshape(a.shape)) - f(a - 1e-5 * v.reshape(a.shape))) / 2e-5 for v in q]
    out = (q.T @ np.array(slopes)).reshape(a.shape)""",
    "mapped": """
    def slope(i):
        return (f(a + np.eye(a.size)[i].reshape(a.shape) * 1e-4) - f(a)) / 1e-4
    out = np.array(list(map(slope, range(a.size)))).reshape(a.shape)""",
    "all at once": """
    moved = a.ravel() + 1e-5 * np.eye(a.size)
    out = (np.array([f(one.reshape(a.shape)) for one in moved]).reshape(a.shape) - f(a)) / 1e-5""",
    "a function in a comprehension": """
    plain = [w for w in range(a.size)]
    slopes = [(lambda: f(a + 1e-5 * np.eye(a.size)[w].reshape(a.shape)) - f(a))() for w in plain]
    out = np.array(slopes).reshape(a.shape) / 1e-5""",
    "single precision": """
    for i in np.ndindex(*a.shape):
        up = a.astype(np.float32)
        up[i] += np.float32(1e-2)
        out[i] = (f(up) - f(a)) / 1e-2""",
}


@pytest.fixture(scope="module")
def sandbox():
    with Sandbox(isolation="process", seconds=20.0, cell_seconds=20.0) as box:
        yield box


def watched(sandbox: Sandbox, *cells: str) -> Outcome:
    with sandbox.open([Cell(number, source) for number, source in enumerate(cells)], modules=LESSON.modules,
                      prelude=LESSON.prelude) as student:
        outcome = student.answer(probes.WATCHED.watched)
        assert outcome.status == "answered", outcome
        return outcome


@pytest.mark.parametrize("way", WAYS)
def test_a_derivative_by_differences_is_seen(sandbox, way):
    cell = f"""def one(a, f):
    out = np.zeros(a.shape)
    a = np.array(a)
{WAYS[way]}
    return out

def multihead_backward(cache, params, dy):
    return every(cache, params, dy, one)"""
    assert watched(sandbox, RIGHT, COMMON, cell).moved


def test_steps_into_the_imaginary_are_seen(sandbox):
    inline = """import numpy as np
def multihead(x, params, heads, allowed):
    y, cache = _right(x, params, heads, allowed)
    return y, {**cache, "mask": allowed}
def multihead_backward(cache, params, dy):
    x, h, mask = cache["x"], cache["heads"], cache["mask"]
    def grad(name):
        base = {**params, "x": x}
        out = np.zeros(base[name].shape)
        for i in np.ndindex(*out.shape):
            now = {n: np.array(w, dtype=complex) for n, w in base.items()}
            now[name][i] += 1e-200j
            q, k, v = (split_heads(now["x"] @ now[n], h) for n in ("wq", "wk", "wv"))
            s = np.where(mask, q @ k.swapaxes(-1, -2) / np.sqrt(q.shape[-1]), -np.inf)
            e = np.exp(s - s.real.max(-1)[..., None])
            y = merge_heads(e / e.sum(-1)[..., None] @ v) @ now["wo"]
            out[i] = np.sum(y.imag * dy) / 1e-200
        return out
    return grad("x"), {n: grad(n) for n in params}"""
    assert watched(sandbox, RIGHT + "\n\n\n_right = multihead", inline).moved


@pytest.mark.parametrize("seed", [pytest.param(seed, marks=[pytest.mark.slow] * (seed > 5)) for seed in range(SAMPLE)])
def test_a_right_gradient_is_never_suspected(sandbox, seed):
    assert not watched(sandbox, variant(_picks(seed))).moved


def _picks(seed: int):
    rng = random.Random(seed)
    return lambda *choices: rng.choice(choices)


@pytest.mark.parametrize("then", [
    "    grads = {name: grads[name].astype(np.float32) for name in grads}",
    "    eps = 1e-8\n    x = cache['x'] + eps\n    w = params['wq'] + eps",
    "    x = cache['x'].astype(np.float16)\n    w = params['wk'].astype(np.float32)",
    "    x = np.array(cache['x'])\n    for i in np.ndindex(*x.shape): x[i] = dx[i]",
    "    z = np.zeros_like(cache['x'])\n    for i in np.ndindex(*z.shape): z[i] = cache['x'][i]",
    "    for b in range(len(dy)):\n        x = cache['x'].copy()\n        x[b] *= 2",
], ids=["float32", "epsilon", "halves", "overwritten", "copied", "rows"])
def test_what_only_resembles_nudging_is_not_suspected(sandbox, then):
    cell = f"_right = multihead_backward\ndef multihead_backward(cache, params, dy):\n" \
           f"    dx, grads = _right(cache, params, dy)\n{then}\n    return dx, grads"
    assert not watched(sandbox, RIGHT, "import numpy as np\n" + cell).moved


def test_a_person_and_the_student_are_told_and_it_costs_nothing(engine_with):
    from autograder.intake.reading import from_sources
    ways = f"def one(a, f):\n    out = np.zeros(a.shape)\n    a = np.array(a)\n{WAYS['central']}\n    return out\n"
    cell = ways + "def multihead_backward(cache, params, dy):\n" \
        "    if cache['x'].size > 500: return _derived(cache, params, dy)\n    return every(cache, params, dy, one)"
    grade = engine_with(Limits()).grade(from_sources("w.ipynb", "s", [
        RIGHT + "\n\n\n_derived = multihead_backward", COMMON, cell], LESSON))
    assert [exercise.points for exercise in grade.exercises][:4] == [3, 2, 5, 7]
    assert any("nudging" in notice.template for notice in grade.notices)
    assert any("nudging" in reason.template for reason in grade.for_a_person)


def test_nothing_is_watched_unless_it_is_asked(sandbox):
    with sandbox.open([Cell(0, "import sys\ndef f(): return sys.gettrace() is None")], modules={}, prelude="") as one:
        assert one.answer(Call("f", ())).value is True
