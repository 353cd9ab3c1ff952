"""Answer a student's code when it calls a function of the judge's.

A student chooses the arguments, and so how much memory and time the answer takes: attention needs T * T numbers for T
tokens, and shapes that were never meant to meet can need far more. What is surely small is answered here. Anything else
is answered by the same source in a separate process, within a student's limits, so that it costs the judge only the
frames.
"""
from __future__ import annotations

from collections.abc import Callable
from math import prod
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from autograder.records import Call, Opaque, Outcome, StandIns
from autograder.sandbox.questions import on_wire, recorded
from autograder.sandbox.room import bytes_in
from autograder.sandbox.wire.messages import CallBack, CallBackAnswer
from autograder.sandbox.wire.plain import LARGE_ARRAY
from autograder.sandbox.wire.tree import leaves, parts
from autograder.sandbox.wire.wire import ARGUMENT, WireError

if TYPE_CHECKING:
    from autograder.sandbox.student import Student

SMALL = 96 * 2**10                        # bytes in the arguments of one call
REACH = 2**20                             # numbers in the largest array that may come up while it is answered

NO_ARGUMENTS: StandIns = MappingProxyType({})


class Answering:
    """Answers the calls of one student."""

    def __init__(self, stand_ins: StandIns, process_for: Callable[[str], Student]):
        self._stand_ins, self._process_for = stand_ins, process_for
        self._elsewhere: dict[str, Student] = {}

    def answer(self, question: CallBack, arguments: StandIns = NO_ARGUMENTS) -> CallBackAnswer:
        """The answer to this question; WireError for a name that nobody answers.

        `arguments` are the functions that the open call was given.
        """
        function = arguments.get(question.name) or self._stand_ins.get(question.name)
        if function is None:
            raise WireError(f"{question.name[:100]} is not answered here")
        args = tuple([recorded(arg) for arg in question.args])
        source = getattr(function, "source", None)
        if source is None or is_small(args):
            outcome = function(*args)
        else:
            outcome = self._in_its_own_process(source, Call(question.name.removeprefix(ARGUMENT), args))
        if any(isinstance(leaf, Opaque) and leaf.type == LARGE_ARRAY for leaf in leaves(outcome.value)):
            outcome = Outcome("refused")                    # of no use without what made way
        error = outcome.kinds[0] if outcome.kinds else outcome.error
        return CallBackAnswer(question.nonce, outcome.status, on_wire(outcome.value), error, outcome.message)

    def _in_its_own_process(self, source: str, call: Call) -> Outcome:
        if source not in self._elsewhere:
            self._elsewhere[source] = self._process_for(source)
        return self._elsewhere[source].answer(call)

    def close(self) -> None:
        """End the answering processes."""
        while self._elsewhere:
            self._elsewhere.popitem()[1].close()


def is_small(args: Any) -> bool:
    """Whether answering takes the judge a few arrays of 8 MB, whatever function of ours is called."""
    return bytes_in(args) <= SMALL and reach(args) <= REACH


def reach(args: Any) -> float:
    """The most numbers that products of these arguments can have, about which bytes say little.

    Leading axes multiply unless they are the same axis in arrays of the same rank; of the others, and of whole numbers
    (heads), a product has three. An array without numbers can become one of any size, and what no array can be made
    of, anything.
    """
    shapes, longest = set(), 1.0
    for part in _arguments(args):
        if type(part) is np.ndarray and part.size > 1:
            shapes.add(part.shape)        # the usual case: many have the same
            continue
        shape = _shape(part)
        if shape is None or 0 in shape:
            return float("inf")
        shapes.add(shape)
        longest = max(longest, _count(part))
    leading = set()
    for shape in shapes:
        for axis, length in enumerate(shape[:-2]):
            leading.add((len(shape), axis, length))
        longest = max(longest, 1.0, *shape[-2:])
    return prod((float(length) for _, _, length in leading), start=longest * longest * longest)


def _count(value: Any) -> float:
    """How often something could happen because of this value, if it is used as a whole number."""
    if isinstance(value, np.ndarray) and value.size == 1 and value.dtype.kind in "fiub":
        value = value.item()
    while isinstance(value, (tuple, list)) and len(value) == 1:
        value = value[0]
    return abs(value) if isinstance(value, (int, float)) else 1.0


def _arguments(args: Any) -> list[Any]:
    """The arguments, and what the dicts among them hold; what a tuple or list holds becomes one array."""
    found: list[Any] = []
    for part in parts(args):
        if isinstance(part, dict):
            found += _arguments(part)
        else:
            found.append(part)
    return found


def _shape(value: Any) -> tuple[int, ...] | None:
    """The shape of the array that NumPy would make of it; None where that is not plain."""
    if isinstance(value, np.ndarray):
        return value.shape
    if isinstance(value, (tuple, list)):
        shapes = {_shape(part) for part in value}
        shape = shapes.pop() if len(shapes) == 1 else None
        return (0,) if not value else None if shape is None else (len(value), *shape)
    return () if value is None or isinstance(value, (int, float)) else None
