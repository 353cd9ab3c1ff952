"""The seeded inputs of the lesson: worked examples W1-W6 and hidden cases, with all sizes of a case different.

Axes: B batch, T time, C model width, H heads, d = C / H. Calls are made once, so that answers can be cached.
"""
from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from autograder.lessons.kit import cases
from autograder.lessons.kit.cases import sliced, twice
from autograder.records import Call

WEIGHTS = ("wq", "wk", "wv", "wo")


@dataclass(frozen=True, eq=False)
class Case(cases.Case):
    """One set of arguments for multihead and multihead_backward; params are wq, wk, wv and wo, each (C, C)."""

    function = "multihead"
    heads: int
    allowed: np.ndarray                         # (T, T), True where query row i may look at key column j

    def forward_args(self) -> tuple[Any, ...]:
        return self.x, self.params, self.heads, self.allowed

    def backward_args(self) -> tuple[Any, ...]:
        return self.params, self.dy

    def each(self, change: Callable[[np.ndarray], np.ndarray]) -> Case:
        """The same case with every array of numbers changed."""
        return replace(self, x=change(self.x), dy=change(self.dy),
                       params={name: change(array) for name, array in self.params.items()})


def random_case(seed: int, B: int, T: int, H: int, d: int, allowed: np.ndarray | None = None) -> Case:
    """A case in which nothing is symmetric, small or equal by accident; the mask is full unless given."""
    rng = np.random.default_rng(seed)
    C = H * d
    params = {name: rng.normal(size=(C, C)) / np.sqrt(C) for name in WEIGHTS}
    params["wq"] = params["wq"] * 1.5           # scores of a few units: weights that are neither equal nor 0 or 1
    if allowed is None:
        allowed = np.ones((T, T), dtype=bool)
    x, dy = rng.normal(size=(B, T, C)), rng.normal(size=(B, T, C))
    return Case(x, params, dy, H, allowed)


def irregular_mask(T: int, seed: int) -> np.ndarray:
    """A boolean (T, T) mask with a true diagonal that is neither causal, symmetric nor the same for two rows."""
    mask = np.random.default_rng(seed).random((T, T)) < 0.5
    return mask | np.eye(T, dtype=bool)


def _whole_numbers(seed: int, B: int, T: int, H: int, d: int) -> Case:
    """Integers everywhere: x (B, T, C), matrices (C, C) and dy (B, T, C) of small whole numbers."""
    rng = np.random.default_rng(seed)
    C = H * d
    params = {name: rng.integers(-1, 2, size=(C, C)) * (rng.random((C, C)) < 0.6) for name in WEIGHTS}
    x, dy = rng.integers(-1, 2, size=(B, T, C)), rng.integers(-3, 4, size=(B, T, C))
    return Case(x, params, dy, H, irregular_mask(T, seed + 1))


# --- hidden cases -------------------------------------------------------------------------------------------------
GENERAL = random_case(20261, B=2, T=5, H=3, d=4, allowed=irregular_mask(5, 3))
#: small, of numbers that every kind of float holds exactly: what moves one of them can be seen
WATCHED = random_case(20260, B=1, T=2, H=2, d=2).each(lambda array: np.round(16 * array) / 16)
_FEATURES, _CHANNELS = np.array([500, 0, -500, 40]), np.array([-500, 500, 500, -500])
_PLAIN_UNITS = random_case(20259, B=1, T=2, H=2, d=2)
_PLAIN_UNITS.x[0, 0, 1] = _PLAIN_UNITS.params["wq"][0, 0] = 0.0      # of which no step can be a part
#: other units for each feature of x and of y; and for each channel of q and k, and of v
OTHER_UNITS = (
    _PLAIN_UNITS.in_units(x=_FEATURES, wo=_FEATURES, dy=-_FEATURES,
                          **dict.fromkeys(("wq", "wk", "wv"), -_FEATURES[:, None])),
    _PLAIN_UNITS.in_units(wq=_CHANNELS, wk=-_CHANNELS, wv=_CHANNELS, wo=-_CHANNELS[:, None]))
FULL_MASK = random_case(20262, B=3, T=4, H=2, d=5)
NARROW_HEADS = random_case(20263, B=2, T=3, H=4, d=1, allowed=np.tril(np.ones((3, 3), dtype=bool)))
ONE_HEAD = random_case(20264, B=2, T=4, H=1, d=3, allowed=np.tril(np.ones((4, 4), dtype=bool)))
SINGLE_KEY = random_case(20265, B=2, T=3, H=2, d=4, allowed=np.eye(3, dtype=bool))
ONE_TOKEN = random_case(20269, B=3, T=1, H=2, d=5)
WHOLE_NUMBERS = _whole_numbers(20266, B=2, T=4, H=3, d=2)
LARGE_SCORES = replace(GENERAL, x=GENERAL.x * 60)
ONE_SEQUENCE, TWICE_THE_SEQUENCE = FULL_MASK.only_the_first(1), FULL_MASK.only_the_first(2)
BYTES = replace(WHOLE_NUMBERS, x=WHOLE_NUMBERS.x.astype(np.int8), dy=(20 * WHOLE_NUMBERS.dy).astype(np.int8), params={
    name: ((100 if name in ("wv", "wo") else 1) * matrix).astype(np.int8)
    for name, matrix in WHOLE_NUMBERS.params.items()})
UNSIGNED = BYTES.each(lambda array: np.abs(array).astype(np.uint8))
#: every query may look at some key, but not all at themselves
OFF_DIAGONAL = random_case(20270, B=2, T=4, H=3, d=2, allowed=np.array(
    [[0, 1, 1, 0], [1, 1, 0, 1], [0, 1, 0, 0], [1, 0, 1, 1]], dtype=bool))
_PLAIN = random_case(20271, B=2, T=3, H=2, d=3, allowed=irregular_mask(3, 8))
OTHER_ORDER = replace(_PLAIN, params=dict(reversed(list(_PLAIN.params.items()))))
OTHER_LAYOUT = replace(_PLAIN.each(sliced), x=np.asfortranarray(_PLAIN.x), allowed=np.asfortranarray(_PLAIN.allowed))
SINGLE_PRECISION = _PLAIN.each(lambda array: array.astype(np.float32))
ALL_OTHER = replace(OTHER_LAYOUT.each(lambda array: array.astype(np.float32)), params={
    name: np.asfortranarray(matrix.astype(np.float32)) for name, matrix in OTHER_ORDER.params.items()})
LARGE = random_case(20267, B=3, T=40, H=6, d=16, allowed=irregular_mask(40, 5))

_rng = np.random.default_rng(20268)
SPLIT_X = _rng.normal(size=(2, 5, 12))
SPLIT = Call("split_heads", (SPLIT_X, 3))
SPLIT_OTHER = Call("split_heads", (_rng.normal(size=(3, 4, 10)), 2))
SPLIT_EDGES = tuple(Call("split_heads", (_rng.normal(size=shape), heads))
                    for shape, heads in (((2, 5, 3), 1), ((2, 5, 3), 3), ((1, 1, 6), 2)))
SPLIT_AGAIN = twice("split_heads", *SPLIT.args)
SPLIT_NEXT = Call("split_heads", (_rng.normal(size=SPLIT_X.shape), 3))
_x = _rng.normal(size=(3, 4, 6))
SPLIT_LAYOUTS = tuple(Call("split_heads", (x, 2)) for x in (
    np.asfortranarray(_x.astype(np.float32)), sliced(_x)))
MERGE = Call("merge_heads", (_rng.normal(size=(2, 3, 5, 4)),))
MERGE_LAYOUTS = tuple(Call("merge_heads", (h,)) for h in (
    np.swapaxes(_x.reshape(3, 4, 2, 3), 1, 2), sliced(_x.reshape(3, 2, 4, 3).astype(np.float32))))
MERGE_OTHER = Call("merge_heads", (_rng.normal(size=(3, 2, 4, 5)),))
MERGE_EDGES = tuple(Call("merge_heads", (_rng.normal(size=shape),))
                    for shape in ((2, 1, 5, 3), (2, 3, 5, 1), (1, 2, 1, 3)))
MERGE_AGAIN = twice("merge_heads", *MERGE.args)
MERGE_NEXT = Call("merge_heads", (_rng.normal(size=MERGE.args[0].shape),))


def split_refusal(heads: object) -> Call:
    """A number of heads that (2, 5, 12) cannot have; 5 and 8 do not divide 12, though 5 * 12 and 8 * 60 would fit."""
    return Call("split_heads", (SPLIT_X, heads))


SPLIT_NOT_A_DIVISOR = (split_refusal(5), split_refusal(8))
SPLIT_NOT_POSITIVE = (split_refusal(0), split_refusal(-2), split_refusal(-3))
SPLIT_BOOL = (split_refusal(True),)
SPLIT_FRACTIONS = (split_refusal(2.0), split_refusal(2.7))
SPLIT_TEXT = (split_refusal("3"), split_refusal(None))
SPLIT_OTHER_AXES = (Call("split_heads", (_rng.normal(size=(5, 12)), 3)),
                    Call("split_heads", (_rng.normal(size=(2, 5, 12, 1)), 3)),
                    Call("split_heads", (_rng.normal(size=(2, 5, 2, 12)), 3)))
MERGE_OTHER_AXES = (Call("merge_heads", (_rng.normal(size=(3, 5, 4)),)),
                    Call("merge_heads", (_rng.normal(size=(2, 3, 5, 4, 1)),)))

# --- worked examples ----------------------------------------------------------------------------------------------
W1_X = np.arange(8).reshape(1, 2, 4)
W1_HEADS = np.array([[[[0, 1], [4, 5]], [[2, 3], [6, 7]]]])
W1_SPLIT = Call("split_heads", (W1_X, 2))
W1_MERGE = Call("merge_heads", (W1_HEADS,))

_I = np.eye(2)
_W2_PARAMS = {"wq": _I, "wk": _I, "wv": 2 * _I, "wo": np.array([[1.0, 1.0], [0.0, 1.0]])}
W3 = Case(np.array([[[1.0, 2.0]]]), _W2_PARAMS, np.array([[[3.0, 5.0]]]), 1, np.ones((1, 1), dtype=bool))
W2 = W3.forward
W4 = Case(np.array([[[1.0, 2.0], [0.0, 1.0]]]), _W2_PARAMS, np.ones((1, 2, 2)), 1, np.ones((2, 2), dtype=bool))

_W6_X = np.array([[[1, 0, 0, 1, 0.5, 0, -1, 0], [0, 1, 1, 0, 0, 0.5, 0, -1], [1, 1, -1, 0, 0.5, 0.5, 1, 1]]])
_FULL, _CAUSAL = np.ones((3, 3), dtype=bool), np.tril(np.ones((3, 3), dtype=bool))
_EYES = {name: np.eye(8) for name in WEIGHTS}
W6 = {(H, mask): Call("multihead", (_W6_X, _EYES, H, allowed))
      for H in (1, 2, 4, 8) for mask, allowed in (("full", _FULL), ("causal", _CAUSAL))}
