"""Find the first difference between an answer and what was expected, and say it in words.

The order is: shape, kind of number, finiteness, then the numbers as a whole (norm-wise). Comparing element by element
would fail a correct float32 answer near zeros; `not (error <= bound)` is phrased so that NaN fails.
"""

from collections.abc import Iterable
from functools import reduce
from math import sqrt
from typing import Any

import numpy as np

from autograder.lessons.kit.quoting import shape_of, type_of
from autograder.records import Opaque, Text, text
from autograder.sandbox.wire.plain import LARGE_ARRAY

#: The smallest real fault in the general case is 9e-2, float16 is off by 9e-4, float32 by 1e-7, a correct rewrite by
#: 1e-15: a relative 1e-5 tells them apart.
TOLERANCE = 1e-5

#: what an axis is called in a sentence
AXES = {"B": text("sequence"), "T": text("time step"), "H": text("head"), "C": text("feature"),
        "d": text("feature"), "r": text("row"), "c": text("column")}

#: the letter for an axis's length, if it is not the letter of the axis: a matrix has C rows and C columns
LENGTHS = {"r": "C", "c": "C"}


def names_of(axes: str, count: int) -> list[str]:
    """What each of this many axes is called in `axes`: its letter, or its number where there are too few letters."""
    return [axes[axis:axis + 1] or str(axis) for axis in range(count)]


def place_along(name: str) -> Text:
    """What one place along the axis with this name is called: "head", or "axis N, place" for any other letter."""
    return AXES.get(name) or text("axis {index}, place", index=name)


def lengths(names: Iterable[str]) -> str:
    """The letters of a shape: "CC" for the rows and columns "rc" of a matrix, "?" for an axis without a letter."""
    return "".join("?" if name.isdigit() else LENGTHS.get(name, name) for name in names)


class NotPlain(Exception):
    """The answer is not an array; the text says what it is. `opaque`: it is not even plain data."""

    def __init__(self, why: Text, opaque: bool = False):
        super().__init__(why.template)
        self.why, self.opaque = why, opaque


def relative_error(got: np.ndarray, want: np.ndarray) -> float:
    """|got - want| / |want| in the Euclidean norm; the plain norm where `want` is all zeros. NaN stays NaN."""
    with np.errstate(all="ignore"):
        error = _norm(np.asarray(got, dtype=float) - want)
        size = _norm(want)
    return error / size if size else error


def _norm(array: np.ndarray) -> float:
    """What np.linalg.norm gives, in a third of the time that it takes for a small array."""
    flat = np.asarray(array, dtype=float).ravel(order="K")
    return sqrt(flat.dot(flat))


def alike(got: Any, want: Any) -> bool:
    """Whether both are arrays, finite, and equal within rounding."""
    return (isinstance(got, np.ndarray) and isinstance(want, np.ndarray) and got.shape == want.shape
            and relative_error(got, want) <= TOLERANCE)


def unchanged(later: np.ndarray, earlier: np.ndarray) -> bool:
    """Whether two answers to one question are equal within rounding, with what is not finite in the same places."""
    finite = np.isfinite(earlier)
    return (later.shape == earlier.shape and np.array_equal(finite, np.isfinite(later))
            and relative_error(later[finite], earlier[finite]) <= TOLERANCE)


def difference(got: Any, want: np.ndarray, axes: str, name: str, shown: bool = False) -> Text | None:
    """What is wrong with `got`, or None if it is right. `axes` has a letter for each axis of `want`.

    Only answers to examples in the notebook may show numbers (`shown`). Raises NotPlain if the answer is not an array
    or a number.
    """
    got, want = as_array(got, name), np.asarray(want)
    return (_shape(got, want, axes, name) or _kind(got, want, name) or _finite(got, name)
            or _numbers(got, want, axes, name, shown))


def inequality(got: Any, want: Any, axes: str, name: str) -> Text | None:
    """What is wrong with `got` where nothing but this text, None, truth value, whole number or array of such is right.

    Raises NotPlain if an array or a number was expected and the answer is something else.
    """
    if want is None or isinstance(want, str):
        if type(got) is not type(want):
            found = text("an array or a number") if isinstance(got, np.ndarray | bool | int | float) else kind_of(got)
            return text("{name} should be {want}, but it is {kind}", name=name, kind=found,
                        want=text("None") if want is None else kind_of(want))
        return None if got == want else text("{name} is another text than was expected", name=name)
    got, want = as_array(got, name), np.asarray(want)
    expected = text("True and False") if want.dtype.kind == "b" else text("whole numbers")
    if got.shape == want.shape and got.dtype.kind not in ("b" if want.dtype.kind == "b" else "iu"):
        return text("{name} holds numbers of kind {got}, expected {kinds}", name=name, got=str(got.dtype),
                    kinds=expected)
    if got.shape != want.shape or np.array_equal(got, want):
        return _shape(got, want, axes, name)
    found = odd_one_out(got != want)
    if found is None:
        return text("{name} has the right shape but wrong values", name=name)
    return text("{name} has the right shape but wrong values: {where}", name=name,
                where=_only(found, names_of(axes, want.ndim)))


def as_array(got: Any, name: str) -> np.ndarray:
    """The answer as an exact array; raises NotPlain for anything else."""
    if type(got) is np.ndarray:
        return got
    if isinstance(got, (bool, int, float)):
        return np.asarray(got)
    if isinstance(got, Opaque) and got.type == LARGE_ARRAY:
        raise NotPlain(text("{name} is too large to be kept: more than 1 MB", name=name))
    kind = kind_of(got)
    raise NotPlain(text("{name} should be an array, but it is {kind}", name=name, kind=kind), isinstance(got, Opaque))


def kind_of(got: Any) -> Text | str:
    """What kind of thing an answer is, in words."""
    if isinstance(got, Opaque):
        return type_of(got.type)
    return _KINDS.get(type(got), text("something else"))


_KINDS = {type(None): text("None (is there a return?)"), tuple: text("a tuple or a list"), dict: text("a dict"),
          str: text("a piece of text")}


def _shape(got: np.ndarray, want: np.ndarray, axes: str, name: str) -> Text | None:
    if got.shape == want.shape:
        return None
    letters = ", ".join(lengths(names_of(axes, want.ndim))) + ("," if want.ndim == 1 else "")
    return text("{name} has shape {got}, expected {want} = ({axes})",
                name=name, got=shape_of(got.shape), want=str(want.shape), axes=letters)


def _kind(got: np.ndarray, want: np.ndarray, name: str) -> Text | None:
    if want.dtype.kind == "f" and got.dtype.kind != "f":
        return text("{name} holds numbers of kind {got}, expected floats", name=name, got=str(got.dtype))
    if got.dtype.kind not in "fiub":
        return text("{name} holds numbers of kind {got}, expected real numbers", name=name, got=str(got.dtype))
    return None


def _finite(got: np.ndarray, name: str) -> Text | None:
    if np.isfinite(got).all():
        return None
    return text("{name} holds values that are not finite (nan or inf)", name=name)


def _numbers(got: np.ndarray, want: np.ndarray, axes: str, name: str, shown: bool) -> Text | None:
    if relative_error(got, want) <= TOLERANCE:
        return None
    if shown:
        return _first_numbers(got, want, axes, name)
    where = place(got, want, axes)
    if where is None:
        return text("{name} has the right shape but wrong values", name=name)
    return text("{name} has the right shape but wrong values: {where}", name=name, where=where)


def off(got: np.ndarray, want: np.ndarray) -> np.ndarray:
    """Where the answer is off by more than the tolerance times the typical size of what was expected."""
    with np.errstate(all="ignore"):
        scale = float(np.sqrt(np.mean(np.square(want)))) if want.size else 0.0
        return ~(np.abs(np.asarray(got, dtype=float) - want) <= 10 * TOLERANCE * (scale or 1.0))


def _first_numbers(got: np.ndarray, want: np.ndarray, axes: str, name: str) -> Text:
    """The first entry that differs, with both numbers and its place: only for examples in the notebook."""
    wrong = off(got, want)
    index = tuple(int(i) for i in np.argwhere(wrong)[0]) if wrong.any() else (0,) * want.ndim
    numbers = {"got": f"{got[index]:.5g}", "want": f"{want[index]:.5g}"}
    if not index:
        return text("{at} is {got}, expected {want}", at=name, **numbers)
    at = f"{name}[{', '.join(map(str, index))}]"
    return text("{at} is {got}, expected {want} ({where})", at=at, where=_spot(index, axes), **numbers)


def _spot(index: tuple[int, ...], axes: str) -> Text:
    """A place, axis by axis: "sequence 0, time step 1, feature 2"."""
    words = (text("{axis} {index}", axis=place_along(name), index=at)
             for name, at in zip(names_of(axes, len(index)), index, strict=True))
    return reduce(lambda before, last: text("{before}, {last}", before=before, last=last), words)


def place(got: np.ndarray, want: np.ndarray, axes: str) -> Text | None:
    """Along which axis the difference lies: "only sequence 1 differs", or None."""
    found = odd_one_out(off(got, want))
    if found is None:
        return _factor(got, want)
    return _only(found, names_of(axes, want.ndim))


def _only(found: tuple[int, int, bool], names: list[str]) -> Text:
    axis, index, differs = found
    word = place_along(names[axis])
    if differs:
        return text("only {axis} {index} differs (counting from 0)", axis=word, index=index)
    return text("only {axis} {index} is right (counting from 0)", axis=word, index=index)


def odd_one_out(wrong: np.ndarray) -> tuple[int, int, bool] | None:
    """The first axis along which exactly one place differs (True), or exactly one is right (False), with that place."""
    for axis in range(wrong.ndim):
        bad = wrong.any(axis=tuple(other for other in range(wrong.ndim) if other != axis))
        if bad.size < 2 or not bad.any() or bad.all():
            continue
        if bad.sum() == 1:
            return axis, int(np.argmax(bad)), True
        if (~bad).sum() == 1:
            return axis, int(np.argmin(bad)), False
    return None


def _factor(got: np.ndarray, want: np.ndarray) -> Text | None:
    """Whether the whole answer is the expected answer times a constant."""
    if not want.ndim:                           # any number is any other times a constant
        return None
    got = np.asarray(got, dtype=float)
    factor = float(np.vdot(want, got) / np.vdot(want, want)) if want.any() else 0.0
    if min(abs(factor), abs(factor - 1)) < 1e-3 or not relative_error(got, factor * want) <= TOLERANCE:
        return None
    return text("it is the expected answer times a constant: is there a factor too much or too little?")
