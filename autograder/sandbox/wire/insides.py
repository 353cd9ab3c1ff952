"""Look at the arrays and numbers inside any object, at any depth, and make the same object with others in their place.

An answer that only the student's own code can read (a tuple, an object, a function that remembers) still consists of
arrays and numbers, which are met in the same order every time.
"""

import copy
import types
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from autograder.sandbox.wire.plain import exact_array

MOST_INSIDE = 200                         # arrays and numbers of one answer
_DEPTH = 20


def insides(value: Any) -> list[Any]:
    """The arrays and numbers of a value in order, None for an array that cannot travel; nothing if there are too many.
    """
    found: list[Any] = []

    def look(leaf: Any) -> Any:
        found.append(exact_array(leaf) if isinstance(leaf, np.ndarray) else leaf)
        return leaf
    try:
        _Walk(look).of(value, 0)
    except Exception:                     # the student's own code may run when an object is looked at
        return []
    return [] if len(found) > MOST_INSIDE else [
        one if type(one) in (np.ndarray, int, float) else None for one in found]


def with_insides(value: Any, instead: Sequence[Any]) -> Any:
    """The same object with these in the place of its arrays and numbers, in their order; None leaves one as it is.

    LookupError where the object cannot be made again.
    """
    new = iter(instead)

    def change(leaf: Any) -> Any:
        put = next(new, None)
        return leaf if put is None else np.array(put) if isinstance(put, np.ndarray) else put
    try:
        return _Walk(change).of(value, 0)
    except Exception as error:
        raise LookupError(f"the earlier answer cannot be copied: {type(error).__name__}") from None


class _Walk:
    """One walk through a value, in which `change` gives each array and number, and every other object is copied."""

    def __init__(self, change: Callable[[Any], Any]):
        self._change = change
        self._made: dict[int, Any] = {}

    def of(self, value: Any, depth: int) -> Any:
        """The same for the same object, however often it is met; of numbers, each is its own."""
        if type(value) in (int, float):
            return self._change(value)
        if depth > _DEPTH or value is None or isinstance(value, str | bytes | type | types.ModuleType | np.generic):
            return value
        if id(value) not in self._made:
            self._made[id(value)] = self._change(value) if isinstance(value, np.ndarray) else self._again(value, depth)
        return self._made[id(value)]

    def _again(self, value: Any, depth: int) -> Any:
        if isinstance(value, tuple):
            return tuple.__new__(type(value), [self.of(part, depth + 1) for part in value])
        if isinstance(value, types.MethodType):
            return types.MethodType(value.__func__, self.of(value.__self__, depth + 1))
        if isinstance(value, types.FunctionType):
            return self._function(value, depth + 1)
        return self._copied(value, depth + 1)

    def _function(self, value: types.FunctionType, depth: int) -> Any:
        """A function that remembers what was there when it was made; one that remembers nothing is itself."""
        if not value.__closure__ and not value.__defaults__:
            return value
        cells = tuple([types.CellType() for _ in value.__closure__ or ()])
        made = self._made[id(value)] = types.FunctionType(value.__code__, value.__globals__, value.__name__, None,
                                                          cells or None)
        made.__defaults__, made.__kwdefaults__ = self.of(value.__defaults__, depth), value.__kwdefaults__
        for cell, old in zip(cells, value.__closure__ or (), strict=True):
            cell.cell_contents = self.of(old.cell_contents, depth)
        return made

    def _copied(self, value: Any, depth: int) -> Any:
        made = self._made[id(value)] = copy.copy(value)
        if isinstance(value, list):
            made[:] = [self.of(part, depth) for part in value]
        elif isinstance(value, dict):
            for key, part in value.items():
                made[key] = self.of(part, depth)
        for name, part in _attributes(value):
            object.__setattr__(made, name, self.of(part, depth))
        return made


def _attributes(value: Any) -> Iterator[tuple[str, Any]]:
    """The names and values of an object's own attributes."""
    yield from getattr(value, "__dict__", {}).items()
    for kind in type(value).__mro__:
        slots = kind.__dict__.get("__slots__", ())
        for name in (slots,) if isinstance(slots, str) else slots:
            if name not in ("__dict__", "__weakref__") and hasattr(value, name):
                yield name, getattr(value, name)
