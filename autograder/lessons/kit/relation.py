"""Say what one simple thing turns the right array into the one that was given, if there is such a thing."""

from collections.abc import Callable, Iterator
from itertools import permutations

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


def misshapen(got: Array, want: Array, axes: str) -> tuple[str, Text] | None:
    """The same for an array of another shape: "its axes in the order (T, B, C)", "only the first of its sequences"."""
    if got.shape == want.shape or got.dtype.kind not in "fiub" or not np.isfinite(got).all():
        return None
    letters = names_of(axes, want.ndim)
    return next((found for way in (_other_axes, _fewer, _longer) for found in way(got, want, letters)), None)


def _other_axes(got: Array, want: Array, letters: list[str]) -> Found:
    """All numbers, and other axes."""
    if got.size != want.size:
        return
    if _alike(got.ravel(), want.ravel()):
        ones = np.squeeze(want).shape == np.squeeze(got).shape
        if ones and got.ndim < want.ndim:
            yield "squeezed", text("axes of length 1 missing")
        elif ones:
            yield "unsqueezed", text("an axis of length 1 too many")
        else:
            yield "not-reshaped", text("a reshape to ({axes}) missing at the end", axes=", ".join(letters))
    if got.ndim == want.ndim <= 4:
        for order in permutations(range(got.ndim)):
            if want.transpose(order).shape == got.shape and _alike(got, want.transpose(order)):
                moved = [letters[axis] for axis in order]
                yield f"axes-{''.join(moved)}", text("its axes in the order ({axes})", axes=", ".join(moved))


def _fewer(got: Array, want: Array, letters: list[str]) -> Found:
    """One axis less, or of length 1."""
    for axis, letter in enumerate(letters):
        gone = np.delete(want.shape, axis)
        if want.shape[axis] < 2 or got.size * want.shape[axis] != want.size or (
                tuple(gone) != got.shape and np.squeeze(got).shape != np.squeeze(want.take(0, axis)).shape):
            continue
        many = _many(letter)
        for id, what, made in (("only-first", text("only the first of its {axis}", axis=many), want.take(0, axis)),
                               ("only-last", text("only the last of its {axis}", axis=many), want.take(-1, axis)),
                               ("added-up", text("its {axis} added up", axis=many), want.sum(axis)),
                               ("averaged", text("its {axis} averaged", axis=many), want.mean(axis))):
            if _alike(got.ravel(), made.ravel()):
                yield f"{id}-{letter}", what


def _longer(got: Array, want: Array, letters: list[str]) -> Found:
    """Places missing at an end, or an axis that should be summed over."""
    if got.ndim == want.ndim:
        for axis, letter in enumerate(letters):
            short, many = want.shape[axis] - got.shape[axis], _many(letter)
            if got.size and short > 0:
                last, first = (text("the last of its {axis} missing", axis=many),
                               text("the first of its {axis} missing", axis=many)) if short == 1 else (
                    text("its last few {axis} missing", axis=many), text("its first few {axis} missing", axis=many))
                for word, what, start in (("last", last, 0), ("first", first, short)):
                    part = want.take(range(start, start + got.shape[axis]), axis)
                    if part.shape == got.shape and _alike(got, part):
                        yield f"without-{word}-{letter}", what
    for axis in range(got.ndim if got.ndim == want.ndim + 1 else 0):
        if np.delete(got.shape, axis).tolist() == list(want.shape) and _alike(got.sum(axis), want):
            yield "not-summed", text("its axis {index} (counting from 0) still there: a sum over it is missing",
                                     index=axis)


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
