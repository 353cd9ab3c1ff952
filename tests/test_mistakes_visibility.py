"""Where a wrong solution cannot be told from the right one: the worked examples, and sizes that coincide.

Measured beforehand for 102 mistakes (mistake_table.py), and found again with the code of the catalogue.
"""
from __future__ import annotations

import copy
from typing import Any

import numpy as np
import pytest
from local import LESSON
from mistake_table import TABLE
from test_mistakes import NAMES, REFERENCE, Functions, functions

BY_ID = {mistake.id: mistake for mistake in LESSON.mistakes}
ROWS = [line.split(maxsplit=2) for line in TABLE.strip().splitlines()]
MISTAKEN = [row for row in ROWS if BY_ID[row[0]].advice is None]           # habits show in no value
I2, TRIANGLE = np.eye(2), np.array([[1.0, 1.0], [0.0, 1.0]])
W6_X = np.array([[[1, 0, 0, 1, 0.5, 0, -1, 0], [0, 1, 1, 0, 0, 0.5, 0, -1], [1, 1, -1, 0, 0.5, 0.5, 1, 1]]])


def each(rows: list[list[str]]) -> pytest.MarkDecorator:
    """Every third in `make test`."""
    return pytest.mark.parametrize(("name", "passes", "invisible"), [
        pytest.param(*row, id=row[0], marks=[pytest.mark.slow] * (place % 3 > 0)) for place, row in enumerate(rows)])


def near(got: Any, want: Any, within: float = 1e-9) -> bool:
    got, want = np.asarray(got, dtype=float), np.asarray(want, dtype=float)
    return got.shape == want.shape and bool(np.all(np.abs(got - want) <= within))


def there_and_back(of: Functions, x: list, dy: Any) -> tuple[Any, Any, Any]:
    """y, dx and grads of W2, W3 or W4, with one params dict for the way there and the way back."""
    params = {"wq": I2.copy(), "wk": I2.copy(), "wv": 2 * I2, "wo": TRIANGLE.copy()}
    y, cache = of["multihead"](np.array([x], dtype=float), params, 1, np.ones((len(x), len(x)), dtype=bool))
    return y, *of["multihead_backward"](cache, params, np.array([dy], dtype=float))


def w1(of: Functions) -> bool:
    return near(of["split_heads"](np.arange(8).reshape(1, 2, 4), 2), [[[[0, 1], [4, 5]], [[2, 3], [6, 7]]]])


def w2(of: Functions) -> bool:
    params = {"wq": I2, "wk": I2, "wv": 2 * I2, "wo": TRIANGLE}
    return near(of["multihead"](np.array([[[1.0, 2.0]]]), copy.deepcopy(params), 1, np.ones((1, 1), dtype=bool))[0],
                [[[2, 6]]])


def w3(of: Functions) -> bool:
    _, dx, grads = there_and_back(of, [[1, 2]], [[3, 5]])
    want = {"wo": [[6, 10], [12, 20]], "wv": [[8, 5], [16, 10]], "wq": 0 * I2, "wk": 0 * I2}
    return near(dx, [[[16, 10]]]) and all(near(grads[name], numbers) for name, numbers in want.items())


def w4(of: Functions) -> bool:
    _, dx, _ = there_and_back(of, [[1, 2], [0, 1]], np.ones((2, 2)))
    return dx.shape == (1, 2, 2) and near(dx[0, 0, 0], 7.0619, 5e-5)


def w6(of: Functions) -> bool:
    full = np.ones((3, 3), dtype=bool)
    third = [of["multihead"](W6_X.copy(), {name: np.eye(8) for name in NAMES}, 2, mask)[0][:, 2]
             for mask in (full, np.tril(full))]
    return all(near(y, [[0.860, 0.769, -0.488, 0.231, 0.429, 0.429, 0.576, 0.576]], 6e-4) for y in third)


def passed(of: Functions) -> str:
    return "".join("P" if holds(example, of) else "F" for example in (w1, w2, w3, w4, w6))


def holds(example: Any, of: Functions) -> bool:
    try:
        with np.errstate(all="ignore"):
            return example(of)
    except Exception:
        return False


# --- conditions ----------------------------------------------------------------------------------------------------

SIZES = {"H=1": {"H": 1}, "T=1": {"T": 1}, "B=1": {"B": 1}, "H=2": {"H": 2}, "H=C": {"d": 1}, "T=H": {"T": 3},
         "T=d": {"T": 4}, "H=d": {"H": 4}}


def case(B: int = 2, T: int = 5, H: int = 3, d: int = 4) -> dict[str, Any]:
    """Random arguments; the mask is irregular, and no query sees a later key."""
    rng = np.random.default_rng(0)
    C = H * d
    params = {name: rng.normal(size=(C, C)) / np.sqrt(C) for name in NAMES}
    allowed = np.tril(rng.random((T, T)) < 0.6) | np.eye(T, dtype=bool)
    return {"x": rng.normal(size=(B, T, C)), "params": params, "heads": H, "allowed": allowed,
            "dy": rng.normal(size=(B, T, C))}


def under(condition: str) -> dict[str, Any]:
    """The case under this condition."""
    it = case(**SIZES.get(condition, {}))
    x, p, T = it["x"], it["params"], it["x"].shape[1]
    changes = {
        "W=I": {"params": {name: np.eye(12) for name in NAMES}}, "Wo=I": {"params": {**p, "wo": np.eye(12)}},
        "Wsym": {"params": {name: w + w.T for name, w in p.items()}}, "qk=": {"params": {**p, "wk": p["wq"].copy()}},
        "tie": {"params": {**p, "wk": p["wq"].copy(), "wv": p["wq"].copy()}},
        "x=0": {"x": 0 * x}, "tok=": {"x": np.repeat(x[:, :1], T, axis=1)}, "big": {"x": 60 * x},
        "eye": {"allowed": np.eye(T, dtype=bool)}, "full": {"allowed": np.ones((T, T), dtype=bool)},
        "last": {"allowed": np.tril(np.ones((T, T), dtype=bool))},
    }
    return {**it, **changes.get(condition, {})}


CONDITIONS = (*SIZES, "W=I", "Wo=I", "Wsym", "qk=", "tie", "x=0", "tok=", "big", "eye", "full")
FORWARD_ONLY = {"last": lambda y: y[:, -1], "y-only": lambda y: y}


def results(of: Functions, condition: str) -> dict[str, Any]:
    """Everything that the four functions give, or what of y the condition leaves."""
    it = under(condition)
    y, cache = of["multihead"](it["x"], it["params"], it["heads"], it["allowed"])
    if condition in FORWARD_ONLY:
        return {"y": FORWARD_ONLY[condition](y)}
    y, joined = y.copy(), cache["joined"].copy()
    dx, grads = of["multihead_backward"](cache, it["params"], it["dy"])
    heads = of["split_heads"](it["x"].copy(), it["heads"])
    merged = of["merge_heads"](REFERENCE["split_heads"](it["x"], it["heads"]).copy())
    return {"split": heads, "merge": merged, "y": y, "J": joined, "dx": dx, **grads}


RIGHT = {condition: results(REFERENCE, condition) for condition in (*CONDITIONS, *FORWARD_ONLY)}


def visible(of: Functions, condition: str) -> bool:
    """Whether anything differs from the reference under this condition."""
    try:
        with np.errstate(all="ignore"):
            got = results(of, condition)
        return not all(np.shape(got[name]) == want.shape
                       and np.linalg.norm(got[name] - want) <= 1e-7 * max(np.linalg.norm(want), 1)
                       for name, want in RIGHT[condition].items())
    except Exception:
        return True


# --- what was measured ---------------------------------------------------------------------------------------------

def test_the_reference_passes_all_worked_examples() -> None:
    assert passed(REFERENCE) == "PPPPP"


@each(ROWS)
def test_a_mistake_passes_the_worked_examples_that_it_was_measured_to_pass(
        name: str, passes: str, invisible: str) -> None:
    assert passed(functions(BY_ID[name].make(LESSON.reference_source))) == passes


@each(MISTAKEN)
def test_a_mistake_is_invisible_only_where_it_was_measured_to_be(name: str, passes: str, invisible: str) -> None:
    of = functions(BY_ID[name].make(LESSON.reference_source))
    expected = CONDITIONS if invisible == "everything" else invisible.split()
    assert {c for c in CONDITIONS if not visible(of, c)} == set(expected) & set(CONDITIONS)


@each([row for row in MISTAKEN if BY_ID[row[0]].exercises == ("multihead",)])
def test_a_mistake_of_forward_hides_behind_y_only_where_it_was_measured_to(
        name: str, passes: str, invisible: str) -> None:
    of = functions(BY_ID[name].make(LESSON.reference_source))
    expected = FORWARD_ONLY if invisible == "everything" else invisible.split()
    assert {c for c in FORWARD_ONLY if not visible(of, c)} == set(expected) & set(FORWARD_ONLY)
