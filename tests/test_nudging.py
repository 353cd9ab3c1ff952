"""Numerical derivatives are noticed by what they do, however they are written; right gradients never are."""
from __future__ import annotations

import random

import numpy as np
import pytest
from sampled import by_turns

from autograder.judge.engine import Limits
from autograder.judge.local_subject import LocalSubject
from autograder.lessons.kit.remarks import IN_OTHER_UNITS, NOT_IN_A_LARGE_CASE, UNWATCHED, how_derived
from autograder.lessons.multihead import probes
from autograder.lessons.multihead.lesson import LESSON
from autograder.lessons.multihead.variants import variant
from autograder.records import Call, Cell, Outcome, Text
from autograder.sandbox.student import Sandbox
from autograder.sandbox.wire.watching import OBJECTS, Watch

SAMPLE = 30
RIGHT = LESSON.reference_source
REFERENCE = LocalSubject(RIGHT, "reference")
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
    own = f"""def one(a, f):
    out = np.zeros(a.shape)
    a = np.array(a)
{WAYS[way]}
    return out

def multihead_backward(cache, params, dy):
    return every(cache, params, dy, one)"""
    assert watched(sandbox, RIGHT, COMMON, own).moved


IMAGINARY = """import numpy as np
{before}
def softmax(s):
    e = np.exp(s - s.real.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)
def through(x, w, h, mask):
    q, k, v = (split_heads(x @ w[n], h) for n in ("wq", "wk", "wv"))
    s = np.where(mask, q @ k.swapaxes(-1, -2) / np.sqrt(q.shape[-1]), -np.inf)
    return merge_heads(softmax(s) @ v) @ w["wo"]
def multihead(x, params, heads, allowed):
    y, cache = _right(x, params, heads, allowed)
    return y, {{**cache, "mask": np.array(allowed)}}
def multihead_backward(cache, params, dy):
    x, h, mask = cache["x"], cache["heads"], cache["mask"]
    if x.size > 1000: return _derived(cache, params, dy)
    base = {{**{{n: np.array(w) for n, w in params.items()}}, "x": np.array(x)}}
    def grad(name):
        out = np.zeros(base[name].shape)
{body}
        return out
    return grad("x"), {{n: grad(n) for n in params}}"""
#: how `out`, the gradient of base[name], is found; what comes before, at the top of the cell
IN_VIEW = {
    "as an argument": ("", """
        for i in np.ndindex(*out.shape):
            now = {n: np.array(w, dtype=complex) for n, w in base.items()}
            now[name][i] += 1e-200j
            y = through(now.pop("x"), now, h, mask)
            out[i] = np.sum(y.imag * dy) / 1e-200"""),
    "Cauchy's integral": ("", """
        for i in np.ndindex(*out.shape):
            for z in 0.3 * np.exp(2j * np.pi * np.arange(24) / 24):
                now = {n: np.array(w, dtype=complex) for n, w in base.items()}
                now[name][i] += z
                out[i] += np.sum(through(now.pop("x"), now, h, mask) * dy / z).real / 24"""),
    "in slots": ("""
class Held:
    __slots__ = ("one",)
    def __init__(self, one): self.one = one
def far(held, h, mask):
    return through(held.one[0][0].pop("x"), held.one[0][0], h, mask)""", """
        for i in np.ndindex(*out.shape):
            held = Held([[dict(base)]])
            held.one[0][0][name] = held.one[0][0][name].astype(complex)
            held.one[0][0][name][i] += 1e-30j
            out[i] = np.sum(far(held, h, mask).imag * dy) / 1e-30"""),
    "in a global": ("state = {'all': {}}", """
        state["all"].update(base)
        for i in np.ndindex(*out.shape):
            state["all"][name] = base[name].astype(complex)
            state["all"][name][i] += 1e-30j
            out[i] = np.sum(through(state["all"]["x"], state["all"], h, mask).imag * dy) / 1e-30"""),
    "as objects": ("", """
        for i in np.ndindex(*out.shape):
            moved = base[name].astype(object)
            moved[i] += 1e-30j
            now = {**base, name: moved.astype(complex)}
            out[i] = np.sum(through(now.pop("x"), now, h, mask).imag * dy) / 1e-30"""),
    "after many lines": ("", """
        s = 0
        for _ in range(3000):
            s += 1
        for i in np.ndindex(*out.shape):
            now = {n: np.array(w, dtype=complex) for n, w in base.items()}
            now[name][i] += 1e-200j
            out[i] = np.sum(through(now.pop("x"), now, h, mask).imag * dy) / 1e-200"""),
}
STEP = """
        for i in np.ndindex(*out.shape):
            now = {n: np.array(w, dtype=complex) for n, w in base.items()}
            now[name][i] += STEP * 1j
            out[i] = np.sum(through(now.pop("x"), now, h, mask).imag * dy) / STEP"""
OWN_STEP = STEP.replace("STEP", "abs(base[name][i] * 1e-30 or 1e-30)")
#: ways to keep what is done from being traced, at the beginning of a backward
HIDING = {
    "no tracing": "import sys; sys.settrace(None)",
    "no tracing for a while": "import sys; seen = sys.gettrace(); sys.settrace(None); sys.settrace(seen)",
    "no tracing of a frame": "import sys; sys._getframe().f_trace = None",
    "no lines": "import inspect; inspect.currentframe().f_trace_lines = False",
    "the frame of an exception": """
    try: 1 / 0
    except ZeroDivisionError as error: error.__traceback__.tb_frame.f_trace_lines = False""",
    "the frame of a generator": "(lambda: (yield))().gi_frame.f_back",
    "whoever holds the trace": "import gc; gc.get_referrers(cache)",
    "very many lines": """
    for _ in range(21_000): pass""",
    "an end where it is watched": "import sys; sys.gettrace() is None or sys.exit(3)",
    "what traces": "import sys; sys.gettrace()",
    "what is looked for": "import sys; sys.modules['autograder.sandbox.wire.watching']._FEWEST = 10 ** 9",
    "what compares": "import sys; sys.modules['autograder.sandbox.wire.watching'].Watch._compare = print",
    "who watches": """
    import sys
    held = sys.modules['autograder.sandbox.wire.watching']._open
    held.clear()""",
    "the end of the stack": """
    import sys
    def deep():
        for do in (lambda: sys.settrace(None), deep, lambda: sys.settrace(None)):
            try: do()
            except RecursionError: pass
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(150)
    deep()
    sys.setrecursionlimit(limit)""",
    "very many objects": "held = [[[n] for n in range(40)] for _ in range(40)]",
}


def cell(body: str, before: str = "") -> tuple[str, str]:
    """Two cells: the right solution, and one whose backward finds `out` by this body."""
    return (f"{RIGHT}\n\n\n_right, _derived = multihead, multihead_backward",
            IMAGINARY.format(before=before, body=body))


@pytest.mark.parametrize("way", IN_VIEW)
def test_steps_into_the_imaginary_are_seen(sandbox, way):
    before, body = IN_VIEW[way]
    assert watched(sandbox, *cell(body, before)).moved


def test_steps_of_q_k_and_v_are_seen(sandbox):
    only = """import numpy as np
def weights(q, k, mask):
    s = np.where(mask, q @ k.swapaxes(-1, -2) / np.sqrt(q.shape[-1]), -np.inf)
    e = np.exp(s - s.real.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)
def multihead(x, params, heads, allowed):
    y, cache = _right(x, params, heads, allowed)
    return y, {**cache, "mask": np.array(allowed)}
def multihead_backward(cache, params, dy):
    x, h, w = cache["x"], cache["heads"], params
    q, k, v = (split_heads(x @ w[n], h) for n in ("wq", "wk", "wv"))
    dout = split_heads(dy @ w["wo"].T, h)
    ends = []
    for given in range(3):
        d = np.zeros(q.shape)
        for i in np.ndindex(*q.shape):
            a = [q, k, v]
            a[given] = a[given].astype(complex)
            a[given][i] += 1e-30j
            d[i] = np.sum((weights(a[0], a[1], cache["mask"]) @ a[2]).imag * dout) / 1e-30
        ends.append(merge_heads(d))
    grads = {n: np.einsum("btc,btd->cd", x, d) for n, d in zip(("wq", "wk", "wv"), ends)}
    grads["wo"] = np.einsum("btc,btd->cd", merge_heads(weights(q, k, cache["mask"]) @ v), dy)
    return sum(d @ w[n].T for n, d in zip(("wq", "wk", "wv"), ends)), grads"""
    assert watched(sandbox, cell("")[0], only).moved
    untraced = only.replace("    ends = []", "    import sys; sys.settrace(None)\n    ends = []")
    assert asked(sandbox, cell("")[0], untraced) == [IN_OTHER_UNITS]


def asked(sandbox: Sandbox, *cells: str, large: bool = False, units: bool = True) -> list[Text]:
    """Why a person would ask how these gradients were derived, which are right for a small case."""
    case = probes.WATCHED
    with sandbox.open([Cell(number, source) for number, source in enumerate(cells)], modules=LESSON.modules,
                      prelude=LESSON.prelude) as student:
        calls = (case.backward, probes.LARGE.backward) if large else (case.backward,)
        answers = {case.backward.function: {call: student.answer(call) for call in calls}}
        return how_derived(answers, case, probes.OTHER_UNITS if units else (), probes.LARGE, REFERENCE, student.answer,
                           student.answer(case.watched))


@pytest.mark.parametrize("step", by_turns([
    "1e-20", "1e-40", "1e-70", "1e-100", "1e-130", "1e-160", "1e-200", "1e-20 * abs(base[name]).max()",
    "1e-30 * max(1, abs(base[name][i]))"], 4, 1))
def test_a_step_of_a_fixed_size_is_told_from_the_numbers_alone(sandbox, step):
    hidden = f"        import sys; sys.settrace(None)\n        size = {{}}{STEP}".replace("STEP", f"({step})")
    assert asked(sandbox, *cell(hidden)) == [IN_OTHER_UNITS]


@pytest.mark.parametrize("how", by_turns(HIDING, 5, 1, long={"what is looked for"}))
def test_where_the_code_could_not_be_watched_a_person_is_told(sandbox, how):
    ends = how == "an end where it is watched"
    hides = f"_right = multihead_backward\ndef multihead_backward(cache, params, dy):\n    {HIDING[how]}\n" \
            "    return _right(cache, params, dy)"
    if not ends:
        seen = watched(sandbox, RIGHT, hides)
        assert seen.unwatched
        assert not seen.moved
    assert asked(sandbox, RIGHT, hides) == [UNWATCHED]


@pytest.mark.parametrize("keeps", [
    "import warnings; warnings.warn('told')", "import traceback; traceback.format_stack()",
    "from collections import namedtuple; namedtuple('Grads', 'dx dw')", "import logging; logging.warning('told')",
    "parts = [[a * 1.0 for a in dy] for _ in range(20)]", "old = list(range(5000)); x = dy.ravel().tolist()",
    "own = []; own.append(own); pair = (own, own)", "large = [[1.0] * 1000 for _ in range(2000)]; x = 1; x = 2",
], ids=["a warning", "a stack", "a tuple", "a log", "parts", "lists", "in itself", "large lists"])
def test_what_only_libraries_look_up_hides_nothing(sandbox, keeps):
    plain = f"_right = multihead_backward\ndef multihead_backward(cache, params, dy):\n    {keeps}\n" \
            "    return _right(cache, params, dy)"
    assert not watched(sandbox, RIGHT, plain).unwatched


def test_a_large_case_that_is_given_up_is_told(sandbox):
    body = f"        import sys; sys.settrace(None){OWN_STEP}"
    right, own = cell(body)
    gives_up = own.replace("return _derived(cache, params, dy)",
                           "return np.zeros(x.shape), {n: np.zeros(w.shape) for n, w in params.items()}")
    assert gives_up != own
    assert asked(sandbox, right, gives_up, large=True, units=False) == [NOT_IN_A_LARGE_CASE]


@pytest.mark.parametrize("seed", [pytest.param(seed, marks=[pytest.mark.slow] * (seed > 5)) for seed in range(SAMPLE)])
def test_a_right_gradient_is_never_suspected(sandbox, seed):
    source = variant(_picks(seed))
    seen = watched(sandbox, source)
    assert not seen.moved
    assert not seen.unwatched
    assert asked(sandbox, source) == []


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
    other = f"_right = multihead_backward\ndef multihead_backward(cache, params, dy):\n" \
           f"    dx, grads = _right(cache, params, dy)\n{then}\n    return dx, grads"
    assert not watched(sandbox, RIGHT, "import numpy as np\n" + other).moved


AUTOMATIC = {
    "dual numbers": """
class Dual:
    def __init__(self, a, d): self.a, self.d = a, d
    def __add__(self, o): return Dual(self.a + o.a, self.d + o.d)
    def __matmul__(self, o): return Dual(self.a @ o.a, self.d @ o.a + self.a @ o.d)
    def exp(self): return Dual(np.exp(self.a), self.d * np.exp(self.a))
    def over(self, o): return Dual(self.a / o.a, (self.d * o.a - self.a * o.d) / o.a ** 2)
    def by(self, f): return Dual(f(self.a), f(self.d))
def y_of(x, w, h, mask):
    q, k, v = ((x @ w[n]).by(lambda a: split_heads(a, h)) for n in ("wq", "wk", "wv"))
    s = (q @ k.by(lambda a: a.swapaxes(-1, -2))).by(lambda a: a / np.sqrt(q.a.shape[-1]))
    e = s.exp().by(lambda a: np.where(mask, a, 0))
    return (e.over(e.by(lambda a: a.sum(-1, keepdims=True))) @ v).by(merge_heads) @ w["wo"]
def grad(name, base, h, mask, dy):
    out = np.zeros(base[name].shape)
    for i in np.ndindex(*out.shape):
        now = {n: Dual(a, np.zeros(a.shape)) for n, a in base.items()}
        now[name].d[i] = 1
        out[i] = np.sum(y_of(now.pop("x"), now, h, mask).d * dy)
    return out""",
    "a tape": """
class Tape:
    def __init__(self): self.back = []
    def do(self, a, *ways):
        self.back.append((a, ways))
        return a
def pull(tape, last, g):
    slopes = {id(last): g}
    for a, ways in reversed(tape.back):
        g = slopes.get(id(a))
        for source, way in ways:
            if g is not None: slopes[id(source)] = slopes.get(id(source), 0) + way(g)
    return slopes
def grad(name, base, h, mask, dy):
    t, x = Tape(), base["x"]
    def linear(a, w):
        return t.do(a @ w, (a, lambda g: g @ w.T), (w, lambda g: np.einsum("btc,btd->cd", a, g)))
    q, k, v = (linear(x, base[n]) for n in ("wq", "wk", "wv"))
    qh, kh, vh = (t.do(split_heads(a, h), (a, merge_heads)) for a in (q, k, v))
    s = t.do(np.where(mask, qh @ kh.swapaxes(-1, -2) / np.sqrt(qh.shape[-1]), -np.inf),
             (qh, lambda g: g @ kh / np.sqrt(qh.shape[-1])),
             (kh, lambda g: g.swapaxes(-1, -2) @ qh / np.sqrt(qh.shape[-1])))
    e = np.exp(s - s.max(-1, keepdims=True))
    p = e / e.sum(-1, keepdims=True)
    p = t.do(p, (s, lambda g: p * (g - (g * p).sum(-1, keepdims=True))))
    o = t.do(p @ vh, (p, lambda g: g @ vh.swapaxes(-1, -2)), (vh, lambda g: p.swapaxes(-1, -2) @ g))
    m = t.do(merge_heads(o), (o, lambda g: split_heads(g, h)))
    return pull(t, y := linear(m, base["wo"]), dy)[id(base[name])]""",
}


@pytest.mark.parametrize("way", AUTOMATIC)
def test_automatic_differentiation_derives(sandbox, way):
    right, own = cell("        out = found(name, base, h, mask, dy)", f"{AUTOMATIC[way]}\nfound = grad")
    assert not watched(sandbox, right, own).moved
    assert not watched(sandbox, right, own).unwatched
    assert asked(sandbox, right, own) == []


def test_a_gradient_of_loops_over_every_number_is_watched_to_its_end(sandbox):
    loops = """import numpy as np
_right = multihead_backward
def product(a, b):
    out = np.zeros((len(a), len(b[0])))
    for i in range(len(a)):
        for j in range(len(b[0])):
            for k in range(len(b)):
                out[i, j] = out[i, j] + a[i][k] * b[k][j]
    return out
def multihead_backward(cache, params, dy):
    x, h, C = cache["x"], cache["heads"], cache["x"].shape[-1]
    if x.size > 1000: return _right(cache, params, dy)
    lists = {n: w.tolist() for n, w in params.items()}
    for _ in range(20):
        for n in lists: product(x[0].tolist(), lists[n])
    return _right(cache, params, dy)"""
    seen = watched(sandbox, RIGHT, loops)
    assert not seen.moved
    assert not seen.unwatched
    assert asked(sandbox, RIGHT, loops) == []


def test_a_person_and_the_student_are_told_and_it_costs_nothing(engine_with):
    from autograder.intake.reading import from_sources
    ways = f"def one(a, f):\n    out = np.zeros(a.shape)\n    a = np.array(a)\n{WAYS['central']}\n    return out\n"
    own = ways + "def multihead_backward(cache, params, dy):\n" \
        "    if cache['x'].size > 500: return _derived(cache, params, dy)\n    return every(cache, params, dy, one)"
    grade = engine_with(Limits()).grade(from_sources("w.ipynb", "s", [
        RIGHT + "\n\n\n_derived = multihead_backward", COMMON, own], LESSON))
    assert [exercise.points for exercise in grade.exercises][:4] == [3, 2, 5, 7]
    assert any("nudging" in notice.template for notice in grade.notices)
    assert any("nudging" in reason.template for reason in grade.for_a_person)


def test_nothing_is_watched_unless_it_is_asked(sandbox):
    with sandbox.open([Cell(0, "import sys\ndef f(): return sys.gettrace() is None")], modules={}, prelude="") as one:
        assert one.answer(Call("f", ())).value is True


def test_what_holds_very_many_things_without_numbers_is_not_looked_through_at_every_line():
    """A right solution that has a long list of words at hand would spend all its time on being watched."""
    watch, words = Watch([np.ones((2, 3))]), ["word"] * (OBJECTS // 4)
    watch._objects, looks = OBJECTS // 10, 0
    while not watch.unwatched and looks < 100:
        watch._look([words])
        looks += 1
    assert 1 < looks < 100
