"""Say what one simple thing turns the right array into the one that was given, if there is such a thing."""
from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from autograder.lessons.kit.compare import TOLERANCE, names_of, off, place_along, relative_error
from autograder.records import Text, text

Array = np.ndarray
Found = Iterator[tuple[str, Text]]
FEWEST = 4                                      # numbers that have to differ: fewer could be like anything

_MANY = {"B": text("sequences"), "T": text("time steps"), "H": text("heads"), "C": text("features"),
         "d": text("features"), "r": text("rows"), "c": text("columns")}


def _many(letter: str) -> Text:
    return _MANY.get(letter) or text("places along axis {index}", index=letter)


def _sigmoid(a: Array) -> Array:
    return 1 / (1 + np.exp(-a))


#: what happens to every number: an id, what is said, and the change
_EVERYWHERE: tuple[tuple[str, Text, Callable[[Array], Array]], ...] = (
    ("no-negatives", text("zeros in the place of negative numbers"), lambda a: np.maximum(a, 0)),
    ("no-positives", text("zeros in the place of positive numbers"), lambda a: np.minimum(a, 0)),
    ("absolute", text("its minus signs gone"), np.abs),
    ("tanh", text("tanh taken of it"), np.tanh),
    ("sigmoid", text("a sigmoid taken of it"), _sigmoid),
    ("exp", text("exp taken of it"), np.exp),
    ("squared", text("its numbers squared"), np.square),
    ("cut-off", text("the digits after the point cut off"), np.trunc),
    ("floor", text("its numbers rounded down"), np.floor),
    *((f"rounded-{digits}", text("its numbers rounded"), lambda a, digits=digits: np.round(a, digits))
      for digits in range(4)))


def turned_into(got: Array, want: Array, axes: str) -> tuple[str, Text] | None:
    """An id, and what is different about `got` (a letter of `axes` for each axis): "its heads in reversed order"."""
    if got.shape != want.shape or got.dtype.kind not in "fiub" or not np.isfinite(got).all():
        return None
    got = np.asarray(got, dtype=float)
    if off(got, want).sum() < FEWEST:
        return None
    with np.errstate(all="ignore"):
        everywhere = ((id, what) for id, what, change in _EVERYWHERE if _alike(got, change(want)))
        found = [*everywhere, *_bounded(got, want), *_shifted(got, want)][:1]
        for along in (_ordered, _zeroed, _summed, _scaled, _added):
            for axis, letter in enumerate(names_of(axes, got.ndim)):
                if not found and got.shape[axis] > 1:
                    found = [*along(np.moveaxis(got, axis, 0), np.moveaxis(want, axis, 0), letter)][:1]
    return found[0] if found else None


def vague(id: str) -> bool:
    """Whether naming one place where it differs says more than this."""
    return id.startswith(("ordered-", "repeated-", "scaled-", "added-"))


def _alike(got: Array, want: Array) -> bool:
    return bool(np.isfinite(want).all() and want.any() and relative_error(got, want) <= TOLERANCE)


def _bounded(got: Array, want: Array) -> Found:
    """Cut off at its largest or smallest number, which then occurs more than once."""
    low, high = got.min(), got.max()
    at_a_bound = int(np.isclose(got, high).sum()) + int(np.isclose(got, low).sum())
    if at_a_bound > FEWEST and _alike(got, np.clip(want, low, high)):
        yield "bounded", text("numbers beyond a bound replaced by that bound")


def _shifted(got: Array, want: Array) -> Found:
    if _alike(got, want + np.mean(got - want)):
        yield "shifted", text("one and the same number added everywhere")


# --- along the first axis -----------------------------------------------------------------------------------------

def _ordered(got: Array, want: Array, letter: str) -> Found:
    order = [next((j for j, should in enumerate(want) if _alike(one, should)), -1) for one in got]
    if -1 in order or order == sorted(set(order)) and len(set(order)) == len(order):
        return
    if order == [*range(len(order))][::-1]:
        yield f"reversed-{letter}", text("its {axis} in reversed order", axis=_many(letter))
    elif len(set(order)) == len(order):
        yield f"ordered-{letter}", text("its {axis} in another order", axis=_many(letter))
    else:
        yield f"repeated-{letter}", text("one of its {axis} in the place of others", axis=_many(letter))


def _zeroed(got: Array, want: Array, letter: str) -> Found:
    gone = [i for i, one in enumerate(got) if not one.any() and want[i].any()]
    left = [i for i in range(len(got)) if i not in gone]
    if gone and left and all(not off(got[i], want[i]).any() for i in left):
        yield f"zeros-{letter}", text("zeros in the place of {axis} {places} (counting from 0)",
                                      axis=place_along(letter), places=", ".join(map(str, gone)))


def _summed(got: Array, want: Array, letter: str) -> Found:
    mean, many = want.mean(axis=0, keepdims=True), _many(letter)
    for id, what, made in (
            ("less-mean", text("its mean over the {axis} taken off", axis=many), want - mean),
            ("mean", text("the mean of its {axis} in the place of each", axis=many), mean + 0 * want),
            ("sum", text("the sum of its {axis} in the place of each", axis=many), len(want) * mean + 0 * want),
            ("running-sum", text("a running sum over its {axis}", axis=many), np.cumsum(want, axis=0)),
            ("sorted", text("its {axis} sorted", axis=many), np.sort(want, axis=0))):
        if _alike(got, made):
            yield f"{id}-{letter}", what


def _scaled(got: Array, want: Array, letter: str) -> Found:
    if want[0].size < FEWEST or not all(one.any() for one in got):
        return
    factors = [float(np.vdot(should, one) / np.vdot(should, should)) for one, should in zip(got, want, strict=True)]
    if np.allclose(factors, factors[0], TOLERANCE) or sum(abs(factor - 1) > TOLERANCE for factor in factors) < 2:
        return                                  # one factor for all, or only one place differs
    if all(_alike(one, factor * should) for one, factor, should in zip(got, factors, want, strict=True)):
        yield f"scaled-{letter}", text("another factor for each of its {axis}", axis=_many(letter))


def _added(got: Array, want: Array, letter: str) -> Found:
    if _alike(got, want + (got - want).mean(axis=0, keepdims=True)):
        yield f"added-{letter}", text("the same thing added to each of its {axis}", axis=_many(letter))
