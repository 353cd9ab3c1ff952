"""Run the reference and the known mistakes as subjects in this process: they are ours and trusted.

They answer exactly as a student's process does: fresh arguments, the same plain view, the same record of changes. An
answer that a later call refers to is handed on as it is, so that a change in place shows in the next call.
"""

import re
import sys
import types
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from types import MappingProxyType
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from autograder.lessons.kit.bounded import TooLong, bounded
from autograder.records import Call, Outcome, Proxy, Result, StandIns
from autograder.sandbox.allowance import for_everybody
from autograder.sandbox.questions import on_wire, outcome_of, recorded, results_in
from autograder.sandbox.wire.calling import described, fresh, perform, proxy
from autograder.sandbox.wire.insides import insides, with_insides
from autograder.sandbox.wire.kept import Kept
from autograder.sandbox.wire.messages import Answer, CallBackAnswer, as_received
from autograder.sandbox.wire.plain import plain
from autograder.sandbox.wire.wire import WireError

NO_STAND_INS: StandIns = MappingProxyType({})
SOURCE = "subject"                                   # the file name of its code
_BETWEEN_PARTS = re.compile(r"\n\n\n(?=\S)")         # two blank lines, and then something that is not indented


class LocalSubject:
    """The functions that a source defines. Answers are remembered by the identity of the Call, as long as it lives."""

    def __init__(self, source: str, name: str = "reference", stand_ins: StandIns = NO_STAND_INS,
                 install: tuple[str, ...] = ()):
        self.source = source
        self._namespace = {**vars(types.ModuleType(name)), "print": _silent}
        self._stand_ins = stand_ins
        replaced = dict.fromkeys(install)
        for part in _BETWEEN_PARTS.split(source):
            exec(_compiled(part), self._namespace)
            self._put_in_place(replaced)
        self._outcomes: WeakKeyDictionary[Call, Outcome] = WeakKeyDictionary()
        self._live: WeakKeyDictionary[Call, Kept] = WeakKeyDictionary()
        self._endless: set[str] = set()                         # the functions that were stopped once

    def _put_in_place(self, replaced: dict[str, Any]) -> None:
        """Let stand-ins take the place of what was defined since, as in a student's process."""
        for name, stand_in in replaced.items():
            if stand_in is None or self._namespace.get(name) is not stand_in:
                self._namespace[name] = replaced[name] = self._proxy(name, self._stand_ins[name])

    def answer(self, call: Call) -> Outcome:
        """The outcome of this call. Only Ctrl-C and the like, and a lack of memory of our own, are raised."""
        if call not in self._outcomes:
            with for_everybody():
                self._outcomes[call] = self._asked(call)
        return self._outcomes[call]

    def called(self, name: str, args: tuple[Any, ...]) -> Outcome:
        """The outcome for student code that calls this function, without what the call changed or shares."""
        try:
            with np.errstate(all="ignore"):
                live = self._namespace[name](*[fresh(arg, self._special) for arg in args])
        except MemoryError:                                     # this process has no more
            raise
        except Exception as error:
            how = described(error)
            return Outcome("raised", error=how["error"], message=how["message"], kinds=tuple(how["kinds"]))
        return Outcome("answered", recorded(plain(live)))

    def unchanged(self, call: Call) -> bool:
        """Whether the answer to this call is unchanged since it was given."""
        return call not in self._live or self._live[call].same

    def insides(self, result: Result) -> list[Any]:
        """The arrays and numbers that this (part of an) answer holds, at any depth."""
        if self.answer(result.of).status != "answered":
            return []
        try:
            return insides(self._special(result))
        except LookupError:                                     # the answer has no such part
            return []

    def quantities(self, call: Call) -> dict[str, Any]:
        """The arrays and numbers with which this call's functions end, by the names of their variables.

        What a cache holds is among them. The variables of the function that is asked win over those of what it calls.
        """
        found: dict[str, Any] = {}

        def look(frame: types.FrameType, event: str, _: Any) -> None:
            if event == "return" and frame.f_code.co_filename == SOURCE and frame.f_code.co_name.isidentifier():
                found.update(_numbers(frame.f_locals))
        before = sys.getprofile()
        sys.setprofile(look)
        try:
            self.called(call.function, call.args)
        finally:
            sys.setprofile(before)
        return found

    def forgets(self, function: str) -> bool:
        """Always False: nobody needs to know, since a fresh subject of ours costs little."""
        return False

    def expect(self, order: Sequence[Call | None]) -> None:
        """Nothing is gained by what is known before: it answers at once."""

    def _asked(self, call: Call) -> Outcome:
        for result in results_in(call.args):
            earlier = self.answer(result.of)
            if earlier.status != "answered":
                return Outcome(earlier.status, error=earlier.error,
                               message=f"{result.of.function}, whose answer this call needs, gave none")
        if call.function in self._endless:
            return Outcome("timed_out")
        try:
            with np.errstate(all="ignore"), bounded():
                live, answer = perform(self._namespace, call.function, call.args, self._special, Exception)
            self._live[call] = Kept(live)
            if answer.status == "out_of_memory":                # this process has no more: nothing to remember
                raise MemoryError(answer.message or call.function)
            return outcome_of(as_received(answer), 0.0)
        except TooLong:
            self._endless.add(call.function)
            return Outcome("timed_out")
        except SystemExit:
            return Outcome("quit")
        except (LookupError, WireError) as error:
            return Outcome("refused", message=str(error.args[0]))

    def _special(self, value: Any) -> Any:
        if isinstance(value, Proxy):
            return self._proxy(value.name, value.answers or self._stand_ins[value.name])
        if not isinstance(value, Result):
            return value
        answer = self._live[value.of].value
        if value.part is not None:
            if not isinstance(answer, tuple | list) or value.part >= len(answer):
                raise LookupError(f"the earlier answer has no part {value.part}")
            answer = answer[value.part]
        return with_insides(answer, value.instead) if value.instead else answer

    def _proxy(self, name: str, answers: Callable[..., Outcome]) -> Callable[..., Any]:
        """A function whose answers are as they would come over the wire."""
        def call_back(_: str, args: list[Any]) -> CallBackAnswer:
            sent = as_received(Answer(0, "answered", args))
            outcome = answers(*[recorded(arg) for arg in sent.value])
            error = outcome.kinds[0] if outcome.kinds else outcome.error
            return CallBackAnswer(0, outcome.status, on_wire(outcome.value), error, outcome.message)
        return proxy(name, call_back, own=self._namespace.get(name))


@cache
def _compiled(part: str) -> types.CodeType:
    """A top-level part of a source, compiled once: a mistake differs from the reference in one part only."""
    return compile(part, SOURCE, "exec", dont_inherit=True)


def _numbers(values: Mapping[str, Any]) -> dict[str, Any]:
    """The arrays and numbers among these, and those in dicts among them."""
    inside = {f"{name}.{key}": part for name, value in values.items() if isinstance(value, dict)
              for key, part in value.items()}
    return {name: np.array(value) if isinstance(value, np.ndarray) else value
            for name, value in {**inside, **values}.items() if type(value) in (np.ndarray, int, float)}


def _silent(*args: Any, **named: Any) -> None:
    """What a mistake prints belongs on nobody's screen: the judge's output may be JSON."""
