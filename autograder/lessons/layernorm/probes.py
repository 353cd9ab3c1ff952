"""The seeded inputs of the lesson: worked examples N1-N3 and hidden cases, with all sizes of a case different.

Axes: B batch, T time, C model width. Calls are made once, so that answers can be cached.
"""
from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from autograder import kit

PARAMS = ("gain", "bias")
TINY = 1e-12                                    # an eps too small to matter: other cases show what eps is for


@dataclass(frozen=True, eq=False)
class Case(kit.Case):
    """One set of arguments for layer_norm and layer_norm_backward; params are gain and bias, each (C,)."""

    function = "layer_norm"
    eps: float

    def forward_args(self) -> tuple[Any, ...]:
        return self.x, self.params["gain"], self.params["bias"], self.eps

    def each(self, change: Callable[[np.ndarray], np.ndarray]) -> Case:
        """The same case with every array changed."""
        return replace(self, x=change(self.x), dy=change(self.dy),
                       params={name: change(array) for name, array in self.params.items()})


def random_case(seed: int, B: int, T: int, C: int, eps: float = TINY) -> Case:
    """A case in which nothing is symmetric or equal by accident: each feature has its own mean and spread."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(B, T, C)) * rng.uniform(0.5, 3, size=C) + rng.normal(size=C)
    params = {"gain": rng.uniform(0.5, 2, size=C) * rng.choice([-1, 1], size=C), "bias": rng.normal(size=C)}
    return Case(x, params, rng.normal(size=(B, T, C)), eps)


def _with_constant_tokens(case: Case) -> Case:
    """One token of the first sequence, and every token of the last one, have equal features."""
    x = case.x.copy()
    x[0, 1] = 3.0
    x[-1] = -2.0
    return replace(case, x=x)


def _whole_numbers(seed: int, B: int, T: int, C: int) -> Case:
    """Small integers everywhere but in eps."""
    rng = np.random.default_rng(seed)
    params = {name: rng.integers(-3, 4, size=C) for name in PARAMS}
    return Case(rng.integers(-4, 5, size=(B, T, C)), params, rng.integers(-3, 4, size=(B, T, C)), TINY)


# --- hidden cases -------------------------------------------------------------------------------------------------
GENERAL = random_case(20271, B=2, T=5, C=7)
#: small, of numbers that every kind of float holds exactly: what moves one of them can be seen
WATCHED = random_case(20270, B=1, T=2, C=6, eps=0.5).each(lambda array: np.round(16 * array) / 16)
_FEATURES = np.array([500, 0, -500, 40, -200, 300])
_PLAIN_UNITS = random_case(20269, B=1, T=2, C=6, eps=0.5)
_PLAIN_UNITS.x[0, 0, 1] = 0.0                                       # of which no step can be a part
#: other units for all of x, whose square eps has, and for each feature of y
OTHER_UNITS = tuple(replace(
    _PLAIN_UNITS.in_units(x=np.array(power), gain=_FEATURES, bias=_FEATURES, dy=-_FEATURES),
    eps=float(np.ldexp(0.5, 2 * power))) for power in (320, -320))
OTHER = random_case(20272, B=4, T=3, C=6)
PLAIN = replace(OTHER, params={"gain": np.ones(6), "bias": np.zeros(6)})
EPS = random_case(20273, B=3, T=2, C=5, eps=0.5)
ONE_TOKEN = random_case(20274, B=1, T=1, C=6)
ONE_SEQUENCE, TWICE_THE_SEQUENCE = OTHER.only_the_first(1), OTHER.only_the_first(2)
CONSTANT = _with_constant_tokens(random_case(20275, B=3, T=4, C=5, eps=1e-8))
FAR_AWAY = replace(OTHER, x=OTHER.x + 1e6)
WHOLE_NUMBERS = _whole_numbers(20276, B=2, T=4, C=5)
SMALL_INTEGERS = WHOLE_NUMBERS.each(lambda array: array.astype(np.int32))
SINGLE_PRECISION = GENERAL.each(lambda array: array.astype(np.float32))
LARGE = random_case(20277, B=4, T=48, C=128, eps=1e-5)

# --- worked examples ----------------------------------------------------------------------------------------------
_X = np.array([[[0.0, 8.0, 6.0, 6.0], [1.0, 7.0, 9.0, 15.0]]])
N1 = Case(_X, {"gain": np.array([1.0, 2.0, 3.0, 4.0]), "bias": np.array([0.0, 0.0, 0.0, 10.0])},
          np.zeros((1, 2, 4)), 0.0)
N2 = Case(np.array([[[1.0, 1.0, 3.0, 3.0], [4.0, 4.0, 4.0, 4.0]]]), {"gain": np.ones(4), "bias": np.zeros(4)},
          np.zeros((1, 2, 4)), 3.0)
N3 = Case(_X, {"gain": np.array([1.0, 3.0, 1.0, 1.0]), "bias": np.zeros(4)},
          np.array([[[0.0, 3.0, 0.0, 0.0], [20.0, 0.0, 0.0, 0.0]]]), 0.0)
