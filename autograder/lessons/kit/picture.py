"""Record where an answer differs, for a small picture: shapes, places and, for examples, numbers.

For a hidden check a picture holds no more than the sentence beside it says: the axes, their sizes, and the one place
along an axis that differs or is right.
"""

from typing import Any

import numpy as np
from msgspec.structs import replace

from autograder.lessons.kit.compare import lengths, names_of, odd_one_out, off, place_along
from autograder.records import Picture

NUMBERS = 32                                # with more numbers the picture would not be small


def picture_of(got: Any, want: np.ndarray, axes: str, name: str, shown: bool = False) -> Picture | None:
    """The picture of this difference, or None if there is nothing to draw; arguments as in compare.difference."""
    got = np.asarray(got)
    same_shape, floats = got.shape == want.shape, got.dtype.kind == "f" or want.dtype.kind != "f"
    if got.dtype.kind not in "fiub" or not got.size or (same_shape and not floats):
        return None
    wrong = off(got, want) if same_shape else np.ones(1, dtype=bool)
    if not wrong.any():
        return None
    names = names_of(axes, want.ndim)
    drawn = Picture(name, lengths(names), tuple(map(place_along, names)), got.shape, want.shape)
    if shown and max(got.size, want.size) <= NUMBERS:
        where = tuple(int(index) for index in np.flatnonzero(wrong)) if same_shape else ()
        return replace(drawn, seen=_written(got), expected=_written(want), wrong=where)
    if not same_shape:
        return drawn
    found = odd_one_out(wrong) if np.isfinite(got).all() else None
    if found is None:
        return None
    axis, index, differs = found
    return replace(drawn, axis=axis, index=index, differs=differs)


def _written(array: np.ndarray) -> tuple[str, ...]:
    """The numbers as people read them, in the array's order."""
    return tuple(f"{float(number):.5g}" for number in array.ravel())
