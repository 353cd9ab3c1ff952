"""Make the plain view of a value: the part of it that can be shown outside its process.

Plain are None, truth values, numbers, texts, exact arrays of numbers, tuples, and dicts with names as keys. Anything
else is an Unplain with the name of its type, and stays where it is.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from autograder.sandbox.wire.tree import mapped, paths
from autograder.sandbox.wire.wire import Unplain, travels

MAX_ITEMS = 10_000                        # in all containers of a value together
MAX_DEPTH = 20                            # containers inside each other; a cycle ends here too
LARGE = 2**20                             # bytes of an array that makes way where an answer is too large
TOGETHER = 2 * LARGE                      # bytes of the arrays that do not
LARGE_ARRAY = "large array"               # the type of what made way
_INTEGERS = range(-2**63, 2**64)          # the range of msgpack
_LONG = (np.dtype(np.longdouble), np.dtype(np.clongdouble))


def plain(value: Any, numbers: bool = False) -> Any:
    """The plain view of a value. A NumPy scalar becomes an array without axes.

    With `numbers`, and inside dicts for integers and truth values, it becomes a Python number instead.
    """
    return _View(numbers).of(value, 0, False)


def without_large(value: Any) -> Any:
    """A value whose large arrays make way for the name LARGE_ARRAY; an answer that is one array stays as it is.

    An honest cache may hold a Jacobian of 10 MB, or 200 copies of x, which nobody but the student's own backward reads.
    So do those that are too many: what lies deepest makes way first.
    """
    if not isinstance(value, dict | tuple | list):
        return value
    sizes = [(len(path), max(leaf.nbytes, 8 * leaf.size) if type(leaf) is np.ndarray else 0)
             for path, leaf in paths(value)]
    room, stays = TOGETHER, [True] * len(sizes)
    for place in sorted(range(len(sizes)), key=lambda place: sizes[place][0]):
        size = sizes[place][1]
        stays[place] = not size or size <= min(LARGE, room)
        room -= size * stays[place]
    stay = iter(stays)
    return mapped(value, lambda leaf: leaf if next(stay) else Unplain(LARGE_ARRAY))


class _View:
    """One walk through a value; unlike those of `tree`, it counts how many items may still be shown (`left`)."""

    def __init__(self, numbers: bool):
        self._numbers = numbers
        self._left = MAX_ITEMS

    def of(self, value: Any, depth: int, in_dict: bool) -> Any:
        if value is None or type(value) in (bool, float):
            return value
        if type(value) is np.ndarray:
            return exact_array(value)
        if isinstance(value, np.generic):
            return self._scalar(value, in_dict)
        if isinstance(value, np.ndarray):
            return exact_array(value)
        if isinstance(value, int):
            return int.__int__(value) if value in _INTEGERS else Unplain("int")
        if isinstance(value, float):
            return float.__float__(value)
        if isinstance(value, str):
            return exact_text(value)
        if isinstance(value, (list, tuple, dict, Mapping)) and depth < MAX_DEPTH:
            return self._container(value, depth, in_dict)
        return Unplain(type_name(value))

    def _scalar(self, value: np.generic, in_dict: bool) -> Any:
        if isinstance(value, np.str_):
            return exact_text(value)
        if isinstance(value, (np.bool_, np.integer)) and (in_dict or self._numbers):
            return value.item()
        if isinstance(value, np.floating) and self._numbers:
            return float(value)
        return exact_array(np.asarray(value))

    def _container(self, value: Any, depth: int, in_dict: bool) -> Any:
        size = len(value)
        self._left -= size
        if self._left < 0:
            self._left += size
            return Unplain(type_name(value))
        if isinstance(value, (list, tuple)):
            return tuple([self.of(part, depth + 1, in_dict) for part in value])
        items = list(dict.items(value) if isinstance(value, dict) else value.items())
        if not all(isinstance(key, str) for key, _ in items):
            return Unplain(type_name(value))
        return {exact_text(key): self.of(part, depth + 1, True) for key, part in items}


def exact_array(array: np.ndarray) -> np.ndarray | Unplain:
    """The array as an exact ndarray in native byte order; Unplain if it holds no numbers that can travel.

    A long double is shown as a float64.
    """
    array = np.asarray(array)
    if travels(array.dtype, array.ndim):
        return array
    if array.dtype in _LONG:
        array = array.astype(np.float64 if array.dtype.kind == "f" else np.complex128)
    elif not array.dtype.isnative:
        array = array.astype(array.dtype.newbyteorder("="))
    if travels(array.dtype, array.ndim):
        return array
    return Unplain(f"ndarray of {array.dtype}" if array.ndim <= 8 else f"ndarray with {array.ndim} axes")


def exact_text(text: str) -> str:
    """The text as an exact str that can be encoded as UTF-8: a lone surrogate becomes a question mark."""
    return text if type(text) is str and text.isascii() else str.encode(text, "utf-8", "replace").decode("utf-8")


def type_name(value: Any) -> str:
    """The name of a value's type, as text."""
    return exact_text(type(value).__name__)[:100]
