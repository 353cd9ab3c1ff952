"""State facts that several exercises are checked for, as functions that raise Wrong if they do not hold."""

from collections.abc import Callable, Iterable
from operator import itemgetter
from typing import Any

import numpy as np
from msgspec.structs import replace

from autograder.lessons.kit.compare import difference, inequality, kind_of, unchanged
from autograder.lessons.kit.lesson import REFUSALS, UNWRITTEN, Ask, Wrong
from autograder.lessons.kit.picture import picture_of
from autograder.lessons.kit.quoting import count_of, stopped
from autograder.records import Call, Result, Text, text
from autograder.sandbox.wire.tree import nested, paths


def equal(got: Any, want: np.ndarray | float, axes: str, name: str, shown: bool = False) -> None:
    """`got` is the expected array or number, as compare.difference judges it; `axes` of a number is ""."""
    want = np.asarray(want)
    why = difference(got, want, axes, name, shown)
    if why is not None:
        raise Wrong(why, picture_of(got, want, axes, name, shown))


def exactly(got: Any, want: Any, axes: str, name: str) -> None:
    """`got` is this very text, None, truth value, whole number, or array of whole numbers or of truth values."""
    why = inequality(got, want, axes, name)
    if why is not None:
        raise Wrong(why)


def asked(ask: Ask, calls: Iterable[Call]) -> list[Call]:
    """The same questions, all of which are asked before the first answer is judged: together they say what is wrong."""
    calls = list(calls)
    for call in calls:
        ask.outcome(call)
    return calls


def for_these(kind: Text, holds: Callable[[], None]) -> None:
    """Run what raises Wrong; what it says then begins with the kind of arguments that it is about."""
    try:
        holds()
    except Wrong as wrong:
        raise Wrong(text("{kind}: {why}", kind=kind, why=wrong.why), wrong.picture) from None


def refuses(ask: Ask, calls: Iterable[Call], what: Text) -> None:
    """Each of the calls is refused with ValueError, TypeError or AssertionError."""
    calls = list(calls)
    for call, outcome in zip(calls, [ask.outcome(call) for call in calls], strict=True):   # all, for the diagnosis
        if outcome.status == "answered":
            raise Wrong(text("{function} accepts {what}, expected a ValueError, TypeError or AssertionError",
                             function=call.function, what=what))
        if UNWRITTEN in outcome.kinds and ask.answered(call.function):
            raise Wrong(text("{function} refuses {what} with NotImplementedError, which says that something is not "
                             "written yet; refuse with ValueError, TypeError or AssertionError",
                             function=call.function, what=what))
        if UNWRITTEN in outcome.kinds:
            ask.value(call)
        if outcome.status == "raised" and REFUSALS.isdisjoint((outcome.error, *outcome.kinds)):
            raise Wrong(text("{function} stops at {what} with {error}; "
                             "only ValueError, TypeError or AssertionError refuse it",
                             function=call.function, what=what, error=stopped(replace(outcome, where=None))))
        if outcome.status != "raised":
            ask.value(call)                     # ends the check with what happened instead


def leaves_arguments(ask: Ask, call: Call, names: tuple[str, ...]) -> None:
    """The call does not change any argument; `names` are the parameters."""
    ask.value(call)
    for path in ask.outcome(call).changed:
        raise Wrong(text("{function} changes its argument {argument}; work on a copy",
                         function=call.function, argument=_argument(ask, call, names, path)))


def _argument(ask: Ask, call: Call, names: tuple[str, ...], path: str) -> str:
    """The parameter that a path begins with, and an entry of it that was there before."""
    given = {str(index): (name, arg) for index, (name, arg) in enumerate(zip(names, call.args, strict=True))}
    head, _, rest = path.partition(".")
    name, arg = given.get(head, (", ".join(names), None))
    if isinstance(arg, Result):
        answer = ask.expected(arg.of)
        arg = answer if arg.part is None else answer[arg.part]
    key = rest.partition(".")[0]
    return f"{name}[{key!r}]" if isinstance(arg, dict) and key in arg else name


def same_again(first: Any, second: Any, function: str) -> None:
    """Two answers to the same question are equal."""
    for earlier, later in zip(arrays(first), arrays(second), strict=False):
        if not unchanged(later, earlier):
            raise Wrong(text("{function} gives another answer when it is asked the same thing again; "
                             "does it remember something?", function=function))


def stays_as_it_was(ask: Ask, first: Call, following: Call) -> None:
    """The answer to the first question is not overwritten by the next question."""
    ask.value(first)
    ask.outcome(following)
    if not ask.unchanged(first):
        raise Wrong(text("an earlier answer of {function} changes when it is asked something else; "
                         "does it fill the same array or dict again?", function=first.function))


def answers_what_was_asked(ask: Ask, first: Call, following: Call, axes: str, name: str) -> None:
    """The next question has its own answer, not the first one's; a first answer that is wrong tells nothing."""
    if difference(ask.value(first), ask.expected(first), axes, name) is None:
        equal(ask.value(following), ask.expected(following), axes, name)


def arrays(value: Any) -> list[np.ndarray]:
    """All float arrays in a plain value, in order, without a cache's nested dicts."""
    found = sorted(paths(value), key=itemgetter(0))         # dicts in the order of their keys
    return [np.asarray(leaf, dtype=float) for path, leaf in found
            if isinstance(leaf, np.ndarray) and leaf.dtype.kind in "fiub" and not nested(path)]


def pair(value: Any, function: str, names: str) -> tuple[Any, Any]:
    """The two parts that a function returns."""
    return _parts(value, 2, text("{function} should return two things ({names}), but what comes back is {kind}",
                                 function=function, names=names, kind=_things(value)))


def triple(value: Any, function: str, names: str) -> tuple[Any, Any, Any]:
    """The three parts that a function returns."""
    return _parts(value, 3, text("{function} should return three things ({names}), but what comes back is {kind}",
                                 function=function, names=names, kind=_things(value)))


def _things(value: Any) -> Text | str:
    """What came back instead of several things: how many, or what kind of thing."""
    return count_of(value) if isinstance(value, tuple) else _what(value)


def _parts(value: Any, count: int, why: Text) -> tuple[Any, ...]:
    if not isinstance(value, tuple) or len(value) != count:
        raise Wrong(why)
    return value


def _what(value: Any) -> Text | str:
    """What kind of thing came back; for several things, how many."""
    return text("an array") if isinstance(value, np.ndarray) else kind_of(value)


def entry(mapping: Any, key: str, name: str) -> Any:
    """The value under a key of a returned dict."""
    if not isinstance(mapping, dict):
        raise Wrong(text("{name} should be a dict, but it is {kind}", name=name, kind=_what(mapping)))
    if key not in mapping:
        raise Wrong(text("{name} has no entry {key}", name=name, key=repr(key)))
    return mapping[key]
