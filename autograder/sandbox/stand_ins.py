"""Answer a student's code when it calls a function of the judge's.

A student chooses the arguments, and so how much memory and time the answer takes: attention needs T * T numbers for T
tokens, and shapes that were never meant to meet can need far more. What is surely small is answered here. Anything else
is answered by the same source in a separate process, within a student's limits, so that it costs the judge only the
frames.
"""
from __future__ import annotations

from collections.abc import Callable, Iterator
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from autograder.records import Call, Outcome, StandIns
from autograder.sandbox.questions import on_wire, recorded
from autograder.sandbox.wire.messages import CallBack, CallBackAnswer
from autograder.sandbox.wire.wire import WireError

if TYPE_CHECKING:
    from autograder.sandbox.student import Student

SMALL = 96 * 2**10                        # bytes in the arrays of one call
REACH = 2**22                             # numbers in the largest array that may arise while it is answered


class Answering:
    """Answers the calls of one student."""

    def __init__(self, stand_ins: StandIns, process_for: Callable[[str], Student]):
        self._stand_ins, self._process_for = stand_ins, process_for
        self._elsewhere: dict[str, Student] = {}

    def answer(self, question: CallBack) -> CallBackAnswer:
        """The answer to this question; WireError for a name that nobody answers."""
        function = self._stand_ins.get(question.name)
        if function is None:
            raise WireError(f"{question.name[:100]} is not answered here")
        args = tuple([recorded(arg) for arg in question.args])
        source = getattr(function, "source", None)
        if source is None or bytes_in(args) <= SMALL and reach(args) <= REACH:
            outcome = function(*args)
        else:
            outcome = self._in_its_own_process(source, Call(question.name, args))
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


def bytes_in(value: Any) -> int:
    """The number of bytes in a value's arrays."""
    return sum(part.nbytes for part in _parts(value) if isinstance(part, np.ndarray))


def reach(args: Any) -> float:
    """The most numbers that products of these arguments can have, about which bytes say little.

    Leading axes multiply unless they are the same axis in arrays of the same rank; of the others, and of whole numbers
    (heads), a product has three. An array without numbers can become one of any size.
    """
    leading, longest = set(), 1.0
    for part in _parts(args):
        if isinstance(part, np.ndarray):
            if part.size == 0:
                return float("inf")
            leading |= {(part.ndim, axis, length) for axis, length in enumerate(part.shape[:-2])}
            longest = max(longest, *part.shape[-2:], 1.0)
        elif isinstance(part, int | float):
            longest = max(longest, abs(part))
    return prod((float(length) for _, _, length in leading), start=longest * longest * longest)


def _parts(value: Any) -> Iterator[Any]:
    """Everything in dicts and tuples, at any depth."""
    if isinstance(value, dict | tuple):
        for part in value.values() if isinstance(value, dict) else value:
            yield from _parts(part)
    else:
        yield value
