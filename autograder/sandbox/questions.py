"""Encode a Call for the wire, and record an Answer as an Outcome."""

import builtins
from collections.abc import Callable
from typing import Any
from weakref import WeakKeyDictionary

import msgspec
import numpy as np

from autograder.records import Call, Opaque, Outcome, Proxy, Result, StandIns
from autograder.sandbox.wire import wire
from autograder.sandbox.wire.messages import MESSAGE_CAP, PATH_CAP, PATHS_CAP, WORDS_CAP, Answer, Ask, encode_value
from autograder.sandbox.wire.tree import leaves, mapped

_EXCEPTIONS = {name for name, kind in vars(builtins).items()
               if isinstance(kind, type) and issubclass(kind, BaseException)}
_MARKS = {wire.Handle, wire.Proxy, wire.Unplain}
_encoded: WeakKeyDictionary[Call, list[Any]] = WeakKeyDictionary()
_results: WeakKeyDictionary[Call, list[Result]] = WeakKeyDictionary()


def results_in(value: Any) -> list[Result]:
    """The earlier answers that an argument, or a tuple of arguments, refers to."""
    return [leaf for leaf in leaves(value) if isinstance(leaf, Result)]


def results_of(call: Call) -> list[Result]:
    """Those of a call's arguments, looked for once: a class asks the same questions."""
    found = _results.get(call)
    if found is None:
        found = _results[call] = results_in(call.args)
    return found


def arguments(call: Call, number_of: Callable[[Call], int]) -> list[Any]:
    """The call's arguments for an Ask. What is the same for every submission is encoded only once."""
    if call not in _encoded:
        _encoded[call] = [arg if results_in(arg) else msgspec.Raw(encode_value(on_wire(arg, number_of)))
                          for arg in call.args]
    return [arg if type(arg) is msgspec.Raw else on_wire(arg, number_of) for arg in _encoded[call]]


def question(call: Call, nonce: int, number: int, number_of: Callable[[Call], int]) -> Ask:
    """The call as a message; the answer gets this number."""
    return Ask(nonce, number, call.function, arguments(call, number_of),
               anew=any(type(arg) is Proxy for arg in call.args), watch=list(call.watch),
               instead=[on_wire(new) for result in results_of(call) for new in result.instead])


def on_wire(value: Any, number_of: Callable[[Call], int] | None = None) -> Any:
    """A value of the judge's, with its records as the wire's own marks."""
    def mark(leaf: Any) -> Any:
        if number_of is not None and isinstance(leaf, Result):
            return wire.Handle(number_of(leaf.of), -1 if leaf.part is None else leaf.part)
        if isinstance(leaf, Proxy):
            return wire.Proxy(argument_name(leaf))
        if number_of is not None and isinstance(leaf, np.ndarray) and not leaf.flags.c_contiguous:    # an argument
            return wire.Laid(leaf)
        return wire.Unplain(leaf.type) if isinstance(leaf, Opaque) else leaf
    return mapped(value, mark, list)


def argument_name(given: Proxy) -> str:
    """What the student's process calls back by: one that brings its own answers is not a stand-in of that name."""
    return given.name if given.answers is None else f"{wire.ARGUMENT}{given.name}"


def arguments_of(call: Call) -> StandIns:
    """The functions that a call gives as arguments, by the name that they are called back by."""
    return {argument_name(arg): arg.answers for arg in call.args if isinstance(arg, Proxy) and arg.answers}


def recorded(value: Any) -> Any:
    """A value from the wire as records keep it; WireError if it holds what an answer cannot hold.

    It is as `messages` decodes it: all sequences are tuples.
    """
    marks = _MARKS.intersection(map(type, leaves(value)))
    if not marks:
        return value
    if marks != {wire.Unplain}:
        raise wire.WireError("an answer that refers to other answers")
    return mapped(value, lambda leaf: Opaque(leaf.type) if type(leaf) is wire.Unplain else leaf)


def outcome_of(answer: Answer, seconds: float) -> Outcome:
    """The Outcome of an Answer, cut to what an honest one holds; WireError if it cannot be recorded."""
    return Outcome(answer.status, recorded(answer.value), _short(answer.changed),
                   _short(answer.shares), answer.error[:WORDS_CAP], answer.message[:MESSAGE_CAP],
                   tuple(kind for kind in answer.kinds[:PATHS_CAP] if kind in _EXCEPTIONS), answer.where,
                   seconds=seconds, moved=answer.moved, own=answer.own, unwatched=answer.unwatched)


def _short(paths: list[str]) -> tuple[str, ...]:
    """Paths as messages quote them: a key in one can have millions of letters."""
    return tuple([path if len(path) <= PATH_CAP else f"{path[:PATH_CAP]}…" for path in paths[:PATHS_CAP]])
