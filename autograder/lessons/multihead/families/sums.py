"""The gradients of the four matrices: sums of outer products over batch and time, and wrong ways."""

from collections.abc import Callable
from itertools import combinations, permutations

import numpy as np

from autograder.lessons.kit.model import Do, State, Step, Way, setting, way
from autograder.lessons.multihead.families.common import cut, joined
from autograder.lessons.multihead.families.routes import PARTS
from autograder.records import text


def _outer(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """The sum of outer products over batch and time."""
    return np.einsum("btc,bte->ce", one, other)


def _sums(f: Callable[[np.ndarray, np.ndarray], np.ndarray]) -> Do:
    """The gradients of all four matrices, each by `f` of its input and the gradient of its output."""
    return setting(dwo=lambda s: f(s.joined, s.dy), **{
        f"dw{part}": lambda s, part=part: f(s.x, getattr(s, f"d{part}")) for part in PARTS})


def _only(b: slice, t: slice) -> Do:
    return _sums(lambda one, other: _outer(one[b, t], other[b, t]))


def _in_place_of(one: str, other: str) -> Do:
    """The right gradients, one of them under two names."""
    def do(s: State) -> None:
        _sums(_outer)(s)
        setting(**{f"dw{one}": lambda s: getattr(s, f"dw{other}")})(s)
    return do


def _exchanged(one: str, other: str) -> Do:
    """The right gradients, two of them under each other's name."""
    def do(s: State) -> None:
        _sums(_outer)(s)
        setting(**{f"dw{one}": lambda s: getattr(s, f"dw{other}"), f"dw{other}": lambda s: getattr(s, f"dw{one}")})(s)
    return do


def _in_one_array(s: State) -> None:
    """What is added to one gradient is added to all of them."""
    _sums(_outer)(s)
    vars(s).update(dict.fromkeys(("dwo", "dwq", "dwk", "dwv"), s.dwo + s.dwq + s.dwk + s.dwv))


_ALL = slice(None)
SUMS = Step(_sums(_outer), (
    Way("sums-transposed", text("rows and columns exchanged"), _sums(lambda one, other: _outer(other, one))),
    Way("sums-first-sequence", text("a sum over sequence 0 only"), _only(slice(0, 1), _ALL)),
    Way("sums-last-sequence", text("a sum over the last sequence only"), _only(slice(-1, None), _ALL)),
    Way("sums-first-token", text("a sum over the first token only"), _only(_ALL, slice(0, 1))),
    Way("sums-last-token", text("a sum over the last token only"), _only(_ALL, slice(-1, None))),
    Way("sums-last-of-all", text("the last token of the last sequence alone, in the place of a sum"),
        _only(slice(-1, None), slice(-1, None))),
    Way("sums-first-of-all", text("the first token of sequence 0 alone, in the place of a sum"),
        _only(slice(0, 1), slice(0, 1))),
    Way("sums-without-last-token", text("a sum without the last token"), _only(_ALL, slice(None, -1))),
    Way("sums-without-first-token", text("a sum without the first token"), _only(_ALL, slice(1, None))),
    Way("sums-without-last-sequence", text("a sum without the last sequence"), _only(slice(None, -1), _ALL)),
    Way("sums-keep-batch", text("the axis of the batch still there"),
        _sums(lambda one, other: np.einsum("btc,bte->bce", one, other))),
    Way("sums-of-sums", text("an outer product of sums instead of a sum of outer products"),
        _sums(lambda one, other: np.outer(one.sum((0, 1)), other.sum((0, 1))))),
    Way("sums-of-means", text("an outer product of means instead of a sum of outer products"),
        _sums(lambda one, other: np.outer(one.mean((0, 1)), other.mean((0, 1))))),
    Way("sums-absolute", text("absolute values"), _sums(lambda one, other: np.abs(_outer(one, other)))),
    Way("sums-over-batch-first", text("a sum over the sequences before the outer product"),
        _sums(lambda one, other: np.einsum("tc,te->ce", one.sum(0), other.sum(0)))),
    Way("sums-over-time-first", text("a sum over the tokens before the outer product"),
        _sums(lambda one, other: np.einsum("bc,be->ce", one.sum(1), other.sum(1)))),
    Way("sums-of-products", text("products of features instead of outer products"),
        _sums(lambda one, other: np.diag((one * other).sum((0, 1))))),
    *(Way(f"dw{one}-and-dw{other}-exchanged", text("{one} and {other} exchanged", one=f"dW{one.upper()}",
                                               other=f"dW{other.upper()}"), _exchanged(one, other))
      for one, other in combinations("qkvo", 2)),
    *(Way(f"dw{one}-is-dw{other}", text("{other} in the place of {one}", one=f"dW{one.upper()}",
                                       other=f"dW{other.upper()}"), _in_place_of(one, other))
      for one, other in permutations("qkvo", 2)),
    way("sums-from-dy", text("dY in the place of dQ, dK and dV"),
        dwo=lambda s: _outer(s.joined, s.dy), **{f"dw{p}": lambda s: _outer(s.x, s.dy) for p in PARTS}),
    way("sums-from-dj", text("dJ in the place of dQ, dK and dV"),
        dwo=lambda s: _outer(s.joined, s.dj), **{f"dw{p}": lambda s: _outer(s.x, s.dj) for p in PARTS}),
    way("sums-from-joined", text("J in the place of X"),
        dwo=lambda s: _outer(s.joined, s.dy),
                **{f"dw{p}": lambda s, p=p: _outer(s.joined, getattr(s, f"d{p}")) for p in PARTS}),
    way("sums-from-parts", text("Q, K and V in the place of X"),
        dwo=lambda s: _outer(s.joined @ s.wo, s.dy), **{
            f"dw{p}": lambda s, p=p: _outer(joined(getattr(s, p)), getattr(s, f"d{p}")) for p in PARTS}),
    Way("dWO-from-x", text("X in the place of J"), lambda s: (
        _sums(_outer)(s), vars(s).update(dwo=_outer(s.x, s.dy)))),
    *(Way(f"dWO-from-the-{id}-J", text("the J of the {word} token", word=word), lambda s, by=by: (
        _sums(_outer)(s), vars(s).update(dwo=_outer(np.roll(s.joined, by, axis=1), s.dy))))
      for id, word, by in (("previous", text("previous"), 1), ("next", text("next"), -1))),
    Way("sums-in-one-array", text("one array for all four, in which everything is added up"), _in_one_array),
    Way("dWO-from-dJ", text("dJ in the place of dY"), lambda s: (
        _sums(_outer)(s), vars(s).update(dwo=_outer(s.joined, s.dj)))),
    Way("dWO-from-V", text("V in the place of J"), lambda s: (
        _sums(_outer)(s), vars(s).update(dwo=_outer(joined(s.v), s.dy)))),
    Way("dWO-by-reshape", text("a J whose heads are joined by a bare reshape"), lambda s: (
        _sums(_outer)(s), vars(s).update(dwo=_outer(cut(s.joined, s.H).reshape(s.x.shape), s.dy))))))
