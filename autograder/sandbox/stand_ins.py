"""What the judge answers when a student's code calls a function of the judge's.

A student chooses the arguments, and so how much memory and time the answer takes: attention needs T * T numbers for T
tokens. Small calls are answered here. A large one is answered by the same source in a process of its own, within a
student's limits, so that it costs the judge nothing but the frames.
"""
from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import numpy as np

from autograder.records import Call, Cell, Outcome, StandIns
from autograder.sandbox.messages import CallBack, CallBackAnswer
from autograder.sandbox.questions import on_wire, recorded
from autograder.sandbox.wire import WireError

if TYPE_CHECKING:
    from autograder.sandbox.student import Sandbox, Student

SMALL = 96 * 2**10                        # bytes in the arrays of one call


class Answering:
    """Answers the calls of one student."""

    def __init__(self, stand_ins: StandIns, sandbox: Sandbox):
        self._stand_ins, self._sandbox = stand_ins, sandbox
        self._elsewhere: dict[str, Student] = {}

    def answer(self, question: CallBack, seconds: float) -> CallBackAnswer:
        """The answer to this question, which `seconds` are left for; WireError for a name that nobody answers."""
        function = self._stand_ins.get(question.name)
        if function is None:
            raise WireError(f"{question.name[:100]} is not answered here")
        args = tuple([recorded(arg) for arg in question.args])
        source = getattr(function, "source", None)
        if source is None or bytes_in(args) <= SMALL:
            outcome = function(*args)
        else:
            outcome = self._in_its_own_process(source, Call(question.name, args), seconds)
        error = outcome.kinds[0] if outcome.kinds else outcome.error
        return CallBackAnswer(question.nonce, outcome.status, on_wire(outcome.value), error, outcome.message)

    def _in_its_own_process(self, source: str, call: Call, seconds: float) -> Outcome:
        if source not in self._elsewhere:
            self._elsewhere[source] = self._sandbox.open([Cell(0, source)], modules={}, prelude="")
        student = self._elsewhere[source]
        student.until = time.monotonic() + seconds
        return student.answer(call)

    def close(self) -> None:
        """End the processes that answered."""
        while self._elsewhere:
            self._elsewhere.popitem()[1].close()


def bytes_in(value: Any) -> int:
    """How many bytes the arrays in a value hold."""
    if isinstance(value, np.ndarray):
        return value.nbytes
    if isinstance(value, dict | tuple):
        return sum(map(bytes_in, value.values() if isinstance(value, dict) else value))
    return 0
