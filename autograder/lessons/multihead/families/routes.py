"""The last step of multihead_backward: dx as the sum of the routes through Q, K and V, and wrong ways."""

from collections.abc import Callable

import numpy as np

from autograder.lessons.kit.model import Do, State, Step, Way, setting, way
from autograder.records import Text, text

PARTS = "qkv"


def _routes(**ways: Callable[[State], np.ndarray]) -> Do:
    """dx as the sum of its three routes, with these in another way."""
    right = {part: lambda s, part=part: getattr(s, f"d{part}") @ getattr(s, f"w{part}").T for part in PARTS}
    return setting(dx=lambda s: sum(route(s) for route in {**right, **ways}.values()))


def _route(id: str, what: Text | str, **ways: Callable[[State], np.ndarray]) -> Way:
    return Way(id, what, _routes(**ways))


def _zero(s: State) -> np.ndarray:
    return np.zeros_like(s.x)


def _through_w(part: str, times: float = 1.0) -> Callable[[State], np.ndarray]:
    return lambda s: times * getattr(s, f"d{part}") @ getattr(s, f"w{part}").T


def _of_each(part: str) -> list[Way]:
    """What goes wrong with one route."""
    up = part.upper()
    others = [other for other in PARTS if other != part]
    return [
        _route(f"dx-missing-{part}", text("a dX without the route through {part}", part=up), **{part: _zero}),
        _route(f"dx-only-{part}", text("a dX with the route through {part} alone", part=up),
               **dict.fromkeys(others, _zero)),
        _route(f"dx-minus-{part}", text("a dX from which the route through {part} is subtracted", part=up),
               **{part: _through_w(part, -1.0)}),
        _route(f"dx-twice-{part}", text("a dX with the route through {part} twice", part=up),
               **{part: _through_w(part, 2.0)}),
        _route(f"dx-half-{part}", text("a dX with half of the route through {part}", part=up),
               **{part: _through_w(part, 0.5)}),
        _route(f"dx-{part}-no-transpose", f"d{up}·W{up}",
               **{part: lambda s: getattr(s, f"d{part}") @ getattr(s, f"w{part}")}),
        _route(f"dx-{part}-skips-matrix", text("{part} without its matrix in dX", part=f"d{up}"),
               **{part: lambda s: getattr(s, f"d{part}")}),
        *(_route(f"dx-{part}-with-w{other}", f"d{up}·W{other.upper()}ᵀ",
                 **{part: lambda s, other=other: getattr(s, f"d{part}") @ getattr(s, f"w{other}").T})
          for other in (*others, "o"))]


DX = Step(_routes(), (
    *(each for part in PARTS for each in _of_each(part)),
    _route("dx-no-transpose", text("matrices that are not transposed in dX"),
           **{part: lambda s, part=part: getattr(s, f"d{part}") @ getattr(s, f"w{part}") for part in PARTS}),
    _route("dx-skips-matrices", "dX = dQ + dK + dV", **{part: lambda s, part=part: getattr(s, f"d{part}")
                                                      for part in PARTS}),
    way("dx-plus-dy", text("dY added to dX"), dx=lambda s: _sum(s) + s.dy),
    way("dx-plus-dj", text("dJ added to dX"), dx=lambda s: _sum(s) + s.dj),
    way("dx-plus-x", text("X added to dX"), dx=lambda s: _sum(s) + s.x),
    way("dx-product", text("routes that are multiplied"),
        dx=lambda s: _through_w("q")(s) * _through_w("k")(s) * _through_w("v")(s)),
    way("dx-from-dy", "dX = dY·WVᵀ", dx=lambda s: s.dy @ s.wv.T),
    way("dx-from-dj", "dX = dJ·WVᵀ", dx=lambda s: s.dj @ s.wv.T),
    way("dx-first-sequence", text("only sequence 0 of dX"), dx=lambda s: _sum(s)[:1]),
    way("dx-first-sequence-repeated", text("the dX of sequence 0 for every sequence"),
        dx=lambda s: np.repeat(_sum(s)[:1], s.B, 0)),
    way("dx-summed", text("dX summed over the sequences"), dx=lambda s: _sum(s).sum(0)),
    way("dx-summed-everywhere", text("the sum over the sequences in every sequence of dX"),
        dx=lambda s: _sum(s).sum(0, keepdims=True) + 0 * s.x),
    way("dx-averaged-over-time", text("dX averaged over the tokens"),
        dx=lambda s: _sum(s).mean(1, keepdims=True) + 0 * s.x),
    way("dx-flat", text("dX flattened to (B·T, C)"), dx=lambda s: _sum(s).reshape(-1, s.C))))


def _sum(s: State) -> np.ndarray:
    q, k, v = (_through_w(part)(s) for part in PARTS)
    return q + k + v
