"""Encode a Call for the wire, and record an Answer as an Outcome."""
from __future__ import annotations

import builtins
from collections.abc import Callable, Iterator
from typing import Any
from weakref import WeakKeyDictionary

import msgspec

from autograder.records import Call, Opaque, Outcome, Proxy, Result
from autograder.sandbox.wire import wire
from autograder.sandbox.wire.messages import MESSAGE_CAP, PATHS_CAP, WORDS_CAP, Answer, encode_value

_EXCEPTIONS = {name for name, kind in vars(builtins).items()
               if isinstance(kind, type) and issubclass(kind, BaseException)}
_encoded: WeakKeyDictionary[Call, list[Any]] = WeakKeyDictionary()


def results_in(value: Any) -> Iterator[Result]:
    """The earlier answers that an argument, or a tuple of arguments, refers to."""
    if isinstance(value, Result):
        yield value
    elif isinstance(value, dict | tuple):
        for part in value.values() if isinstance(value, dict) else value:
            yield from results_in(part)


def arguments(call: Call, number_of: Callable[[Call], int]) -> list[Any]:
    """The call's arguments for an Ask. What is the same for every submission is encoded only once."""
    if call not in _encoded:
        _encoded[call] = [arg if any(results_in(arg)) else msgspec.Raw(encode_value(on_wire(arg, number_of)))
                          for arg in call.args]
    return [arg if type(arg) is msgspec.Raw else on_wire(arg, number_of) for arg in _encoded[call]]


def on_wire(value: Any, number_of: Callable[[Call], int] | None = None) -> Any:
    """A value of the judge's, with its records as the wire's own marks."""
    if isinstance(value, Result):
        return wire.Handle(number_of(value.of), -1 if value.part is None else value.part)
    if isinstance(value, Proxy):
        return wire.Proxy(value.name)
    if isinstance(value, Opaque):
        return wire.Unplain(value.type)
    if isinstance(value, dict):
        return {key: on_wire(part, number_of) for key, part in value.items()}
    if isinstance(value, tuple | list):
        return [on_wire(part, number_of) for part in value]
    return value


def recorded(value: Any) -> Any:
    """A value from the wire as records keep it; WireError if it holds what an answer cannot hold."""
    if isinstance(value, wire.Unplain):
        return Opaque(value.type)
    if isinstance(value, wire.Handle | wire.Proxy):
        raise wire.WireError("an answer that refers to other answers")
    if isinstance(value, dict):
        return {key: recorded(part) for key, part in value.items()}
    return tuple([recorded(part) for part in value]) if isinstance(value, tuple) else value


def outcome_of(answer: Answer, seconds: float) -> Outcome:
    """The Outcome of an Answer, cut to what an honest one holds; WireError if it cannot be recorded."""
    return Outcome(answer.status, recorded(answer.value), tuple(answer.changed[:PATHS_CAP]),
                   tuple(answer.shares[:PATHS_CAP]), answer.error[:WORDS_CAP], answer.message[:MESSAGE_CAP],
                   tuple(kind for kind in answer.kinds[:PATHS_CAP] if kind in _EXCEPTIONS), answer.where,
                   seconds=seconds)
