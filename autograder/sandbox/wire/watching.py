"""See whether a call moves its inputs number by number, as numerical derivatives do, however they are written.

While it runs, the arrays that each line of the student's code has in sight are compared with the inputs: an array that
is an input but for one number, or an input with something small added, is one that was moved. A derived gradient never
makes such arrays, and a numerical one makes one for each number. An array with imaginary parts is a step into the
imaginary: nothing in a derived gradient of real numbers has any.

A student's code shares this process, and can look away from us: it can stop the tracing, or do so much before that the
looking ends. That is seen too, and said (`unwatched`).
"""

import dis
import gc
import inspect
import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import cache
from types import BuiltinFunctionType, CodeType, FrameType, FunctionType, ModuleType
from typing import Any

import numpy as np

LINES = 20_000                            # of the student's code that are looked at
OBJECTS = 400_000                         # that are looked at, in all of those
_AT_A_LINE = 1_000                        # objects
_PASSED_OVER = 64                         # what has no arrays in it takes this much less than what may have
_DEEP = 6                                 # dicts, lists and objects within one another
_SMALL = 0.01                             # of the size of an input
_MOST = 4096                              # numbers in an array that is looked at
_FEWEST = 4                               # moved arrays that are not a coincidence
#: what has no arrays in it, or leads to everything there is
_CLOSED = (ModuleType, type, BuiltinFunctionType, CodeType, FrameType, np.ufunc, np.dtype, str, bytes, int, float,
           type(None))
#: what shows a frame, or who holds an object: with it one can stop the tracing, or take what was seen away
_LOOKS_BACK = {"sys._getframe", "sys._current_frames", "gc.get_objects", "gc.get_referrers", "gc.get_referents"}
_FRAMES = {"tb_frame", "gi_frame", "cr_frame", "ag_frame"}


class Watch:
    """The inputs that are watched, and how many different moved ones were seen of each."""

    def __init__(self, inputs: Sequence[Any]):
        self._inputs = [np.asarray(array, dtype=float).ravel() for array in inputs]
        self._moved: list[set[bytes]] = [set() for _ in inputs]
        self._imaginary = False
        self._seen: set[int] = set()      # the hashes of arrays that were compared
        self._lines, self._objects = LINES, OBJECTS
        self._untouchable: dict[CodeType, frozenset[str]] = {}
        self._looked_away = False

    @property
    def moved(self) -> bool:
        """Whether half of the numbers of an input were moved, or any was moved into the imaginary."""
        return self._imaginary or any(len(moved) >= max(_FEWEST, array.size / 2)
                                      for array, moved in zip(self._inputs, self._moved, strict=True))

    @property
    def unwatched(self) -> bool:
        """Whether the code was not watched to its end, though it was not seen to move anything until then."""
        return not self.moved and (self._looked_away or self._lines <= 0 or self._objects <= 0)

    def look_away(self) -> None:
        """The code did something by which it could hide what it does."""
        self._looked_away = True

    def trace(self, frame: FrameType, event: str, arg: Any) -> Any:
        """What Python calls at each line (sys.settrace); libraries are not followed."""
        if self._lines <= 0 or self._objects <= 0 or in_a_library(frame.f_code.co_filename):
            return None
        self._lines -= 1
        try:
            self._look(self._in_sight(frame))
            if self.moved:
                self._lines = 0
        except Exception:                 # looking at a student's objects can run their code, which may fail
            self.look_away()
            self._lines = 0
        return self.trace

    def _in_sight(self, frame: FrameType) -> list[Any]:
        code, names, shared = frame.f_code, frame.f_locals, frame.f_globals
        if not _CRASHES or not code.co_cellvars + code.co_freevars:
            own = list(names.values())
        else:
            if code not in self._untouchable:
                self._untouchable[code] = _in_comprehensions(code)
            every = {*code.co_varnames, *code.co_cellvars, *code.co_freevars}
            own = [names.get(name) for name in every - self._untouchable[code]]
        return own + [shared[name] for name in code.co_names if name in shared and names is not shared]

    def _look(self, values: Iterable[Any]) -> None:
        """Compare all arrays that can be reached from these values, without running anything of the student's."""
        level, met = list(values), set()
        for _ in range(_DEEP):
            within: list[Any] = []
            for value in level:
                if isinstance(value, _CLOSED) or id(value) in met:
                    continue
                met.add(id(value))
                if len(met) > _AT_A_LINE:
                    return self.look_away()
                self._objects -= 1
                array = _as_array(value)
                if array is None:
                    held = _inside(value)
                    self._objects -= len(held) // _PASSED_OVER
                    within += held
                elif array.dtype == object:
                    within += array.ravel()[:_AT_A_LINE].tolist()
                else:
                    self._compare(array)
            level = within
        return None

    def _compare(self, array: np.ndarray) -> None:
        if array.dtype.kind not in "fc" or not 0 < array.size <= _MOST:
            return
        content = hash((array.dtype.char, array.tobytes()))
        if content in self._seen:
            return
        self._seen.add(content)
        self._objects -= array.size // 8
        if array.dtype.kind == "c" and np.any(np.imag(array)):
            self._imaginary = True
        for known, moved in zip(self._inputs, self._moved, strict=True):
            if not known.size or array.size % known.size:
                continue
            rows = np.asarray(array).reshape(-1, known.size)
            other = rows - known
            differ = np.count_nonzero(rows != known, axis=1)
            near = np.linalg.norm(other, axis=1) <= _SMALL * np.linalg.norm(known)
            for row in np.flatnonzero((differ == 1) | (near & (differ > 0))):
                changed = np.flatnonzero(rows[row] != known)
                moved.add(changed.tobytes() if differ[row] == 1 else rows[row].tobytes())


def _as_array(value: Any) -> np.ndarray | None:
    """An array, a complex number or a list of numbers as a plain array; None for anything else."""
    if isinstance(value, np.ndarray):
        return np.ndarray.view(value, np.ndarray)
    first, size = value, 1
    for _ in range(_DEEP):                # a list can be in itself
        if type(first) not in (list, tuple) or not first:
            break
        first, size = first[0], size * len(first)
    if size > _MOST and type(first) in (complex, float):
        return np.empty(0)
    if isinstance(first, complex) or isinstance(first, float) and first is not value:
        with suppress(ValueError, TypeError):       # of unequal lengths
            return np.array(value, dtype=complex if isinstance(first, complex) else float)
    return None


def _inside(value: Any) -> list[Any]:
    """What an object holds in any way, attributes and __slots__ included; of a function, what it closed over."""
    if isinstance(value, dict):
        return list(dict.values(value))
    if isinstance(value, FunctionType):
        return [*(value.__closure__ or ()), *(value.__defaults__ or ()), *(value.__kwdefaults__ or {}).values()]
    return gc.get_referents(value)


@cache
def in_a_library(filename: str) -> bool:
    """Whether code of this name came from a file: a student's has none."""
    return filename.startswith("<frozen ") or os.path.isabs(filename)


#: Python 3.13.0 to 3.13.2 end with a segmentation fault where one asks for the value of a comprehension's variable
#: whose name belongs to an inner function elsewhere in the same function (python/cpython#128396)
_CRASHES = sys.version_info[:2] == (3, 13)


def _in_comprehensions(code: CodeType) -> frozenset[str]:
    """The names that are variables of comprehensions in this function."""
    return frozenset(one.argval for one in dis.get_instructions(code) if one.opname == "LOAD_FAST_AND_CLEAR")


# --- who looks away -----------------------------------------------------------------------------------------------

_open: list[Watch] = []                   # the one that watches now
_busy = False                             # to ask whose frame it is makes the same event
_traced_by = sys.gettrace


def listen() -> None:
    """Hear in this process, for good, of what could end the tracing. Nobody can remove what hears it.

    Whoever asks for what traces, which leads to all that it knows, is answered None: as where nothing is watched.
    """
    sys.addaudithook(_heard)
    sys.gettrace = _gettrace


def _gettrace() -> None:
    if _open:
        _open[0].look_away()


def _heard(event: str, arguments: tuple[Any, ...]) -> None:
    global _busy
    if _busy or not _open or event not in _LOOKS_BACK and event not in ("sys.settrace", "object.__getattr__"):
        return
    if event == "object.__getattr__" and arguments[1] not in _FRAMES:
        return
    _busy = True
    try:
        asks = sys._getframe(1).f_code.co_filename
        away = event == "sys.settrace" or not in_a_library(asks) or asks == inspect.__file__
    except Exception:                     # at the end of the stack; nothing is called from here on
        away = True
    if away:
        _open[0]._looked_away = True
    _busy = False


_act: dict[str, Any] = {}                 # a function that is traced as a student's is
exec("def act(held):\n    pass", _act)


@contextmanager
def watching(inputs: Sequence[Any]) -> Iterator[Watch | None]:
    """Watch these inputs while the block runs; None if there are none."""
    if not inputs:
        yield None
        return
    watch, before = Watch(inputs), _traced_by()
    traced, looks = watch.trace, _Probe(inputs)
    with suppress(Exception):             # a student's own audit hook
        sys.settrace(traced)
    _open.append(watch)
    try:
        with np.errstate(all="ignore"):
            yield watch
    finally:
        if _traced_by() is not traced or len(_open) != 1 or not looks.still(watch):
            watch.look_away()
        _open.clear()
        with suppress(Exception):
            sys.settrace(before)


class _Probe:
    """Moved inputs of our own, by which to see whether a watch still looks: a student's code can have changed it."""

    def __init__(self, inputs: Sequence[Any]):
        flat = {number: np.array(array, dtype=float).ravel() for number, array in enumerate(inputs)}
        self._near = {number: array * (1 + 1e-5 * np.linspace(1, 2, array.size)) for number, array in flat.items()
                      if array.size <= _MOST and np.count_nonzero(array) > 1 and 1e-100 < np.abs(array).max() < 1e100}
        self._last = max(self._near, default=0)
        almost = max(_FEWEST, -(-self._near[self._last].size // 2)) - 1 if self._near else 0
        self._almost = {str(number).encode() for number in range(almost)}      # that many more, and it counts as moved

    def still(self, watch: Watch) -> bool:
        """Whether it still sees these, and takes them for moved; what it saw before stays as it is."""
        if not self._near or watch.moved or watch.unwatched:
            return True
        seen, lines, objects = watch._moved, watch._lines, watch._objects
        watch._moved, watch._lines, watch._objects = [set(moved) for moved in seen], LINES, OBJECTS
        watch._moved[self._last] = self._almost
        almost = not watch.moved
        _act["act"]([*self._near.values()])
        sees = all(near.tobytes() in watch._moved[number] for number, near in self._near.items())
        sees = sees and almost and watch.moved and watch._lines == 0
        watch._moved, watch._lines, watch._objects = seen, lines, objects
        return sees and not watch.moved
