"""See whether a call moves its inputs number by number, as numerical derivatives do, however they are written.

While it runs, the arrays that each line of the student's code has in sight are compared with the inputs: an array that
is an input but for one number, or an input with something small added, real or imaginary, is one that was moved. A
derived gradient never makes such arrays, and a numerical one makes one for each number.
"""
from __future__ import annotations

import dis
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from types import CodeType, FrameType
from typing import Any

import numpy as np

from autograder.sandbox.wire.tree import parts

LINES = 4_000                             # of the student's code that are looked at
_SMALL = 0.01                             # of the size of an input
_MOST = 4096                              # numbers in an array that is looked at
_PARTS = 20                               # of a dict, a list or an object
_FEWEST = 4                               # moved arrays that are not a coincidence


class Watch:
    """The inputs that are watched, and how many different moved ones were seen of each."""

    def __init__(self, inputs: Sequence[Any]):
        self._inputs = [np.asarray(array, dtype=float).ravel() for array in inputs]
        self._moved: list[set[bytes]] = [set() for _ in inputs]
        self._left = LINES
        self._untouchable: dict[CodeType, frozenset[str]] = {}

    @property
    def moved(self) -> bool:
        """Whether half of the numbers of an input were moved."""
        return any(len(moved) >= max(_FEWEST, array.size / 2)
                   for array, moved in zip(self._inputs, self._moved, strict=True))

    def trace(self, frame: FrameType, event: str, arg: Any) -> Any:
        """What Python calls at each line (sys.settrace); only cells are followed."""
        if not frame.f_code.co_filename.startswith("cell ") or self._left <= 0:
            return None
        self._left -= 1
        try:
            for value in self._in_sight(frame):
                self._look(value)
            if self.moved:
                self._left = 0
        except Exception:                 # looking at a student's objects can run their code, which may fail
            self._left = 0
        return self.trace

    def _in_sight(self, frame: FrameType) -> list[Any]:
        code, names = frame.f_code, frame.f_locals
        if not _CRASHES or not code.co_cellvars + code.co_freevars:
            return list(names.values())
        if code not in self._untouchable:
            self._untouchable[code] = _in_comprehensions(code)
        every = {*code.co_varnames, *code.co_cellvars, *code.co_freevars}
        return [names.get(name) for name in every - self._untouchable[code]]

    def _look(self, value: Any, depth: int = 0) -> None:
        if isinstance(value, np.ndarray):
            self._compare(value)
        elif depth == 0:
            inside = parts(value) or getattr(value, "__dict__", {}).values()
            for part in list(inside)[:_PARTS]:
                self._look(part, 1)

    def _compare(self, array: np.ndarray) -> None:
        if array.dtype.kind not in "fc" or not 0 < array.size <= _MOST:
            return
        for known, moved in zip(self._inputs, self._moved, strict=True):
            if array.size % known.size:
                continue
            rows = np.asarray(array).reshape(-1, known.size)
            other = rows - known
            differ = np.count_nonzero(rows != known, axis=1)
            near = np.linalg.norm(other, axis=1) <= _SMALL * np.linalg.norm(known)
            for row in np.flatnonzero((differ == 1) | (near & (differ > 0))):
                changed = np.flatnonzero(rows[row] != known)
                moved.add(changed.tobytes() if differ[row] == 1 else rows[row].tobytes())


#: Python 3.13.0 to 3.13.2 end with a segmentation fault where one asks for the value of a comprehension's variable
#: whose name belongs to an inner function elsewhere in the same function (python/cpython#128396)
_CRASHES = sys.version_info[:2] == (3, 13)


def _in_comprehensions(code: CodeType) -> frozenset[str]:
    """The names that are variables of comprehensions in this function."""
    return frozenset(one.argval for one in dis.get_instructions(code) if one.opname == "LOAD_FAST_AND_CLEAR")


@contextmanager
def watching(inputs: Sequence[Any]) -> Iterator[Watch | None]:
    """Watch these inputs while the block runs; None if there are none."""
    if not inputs:
        yield None
        return
    watch, before = Watch(inputs), sys.gettrace()
    sys.settrace(watch.trace)
    try:
        with np.errstate(all="ignore"):
            yield watch
    finally:
        sys.settrace(before)
