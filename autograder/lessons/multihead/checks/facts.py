"""Facts that several exercises are checked for, each as a function that raises Wrong where it does not hold."""
from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from autograder.compare import difference, kind_of
from autograder.lesson import REFUSALS, UNWRITTEN, Ask, Wrong
from autograder.records import Call, Outcome, Text, text


def equal(got: Any, want: np.ndarray, axes: str, name: str, shown: bool = False) -> None:
    """`got` is the array that was expected (compare.difference says how that is judged)."""
    why = difference(got, want, axes, name, shown)
    if why is not None:
        raise Wrong(why)


def refuses(ask: Ask, calls: Iterable[Call], what: Text) -> None:
    """Each of the calls is refused with ValueError, TypeError or AssertionError."""
    for call in calls:
        outcome = ask.outcome(call)
        if outcome.status == "answered":
            raise Wrong(text("{function} accepts {what}, expected a ValueError, TypeError or AssertionError",
                             function=call.function, what=what))
        if UNWRITTEN in outcome.kinds:
            ask.value(call)
        if outcome.status == "raised" and REFUSALS.isdisjoint((outcome.error, *outcome.kinds)):
            raise Wrong(text("{function} stops at {what} with {error}; refuse it yourself, before that happens",
                             function=call.function, what=what, error=error_name(outcome)))
        if outcome.status != "raised":
            ask.value(call)                     # ends the check with what happened instead


def error_name(outcome: Outcome) -> str:
    """The type of an exception: of a student's own type, the built-in one that it is."""
    return outcome.kinds[0] if outcome.kinds else "Exception"


def leaves_arguments(ask: Ask, call: Call, names: tuple[str, ...]) -> None:
    """The call leaves every argument as it was; `names` are the parameters."""
    ask.value(call)
    for path in ask.outcome(call).changed:
        head, _, rest = path.partition(".")
        name = names[int(head)] if head.isdigit() and int(head) < len(names) else head
        raise Wrong(text("{function} changes its argument {argument}; work on a copy",
                         function=call.function, argument=f"{name}[{rest!r}]" if rest else name))


def same_again(first: Any, second: Any, function: str) -> None:
    """Two answers to the same question are equal."""
    for one, two in zip(arrays(first), arrays(second), strict=False):
        if difference(two, one, "", function) is not None:
            raise Wrong(text("{function} gives another answer when it is asked the same thing again; "
                             "does it remember something?", function=function))


def arrays(value: Any) -> list[np.ndarray]:
    """All arrays of floats in a plain value, in order; a cache's own nested dicts are left out."""
    if isinstance(value, np.ndarray):
        return [np.asarray(value, dtype=float)] if value.dtype.kind in "fiub" else []
    if isinstance(value, tuple):
        return [array for part in value for array in arrays(part)]
    if isinstance(value, dict):
        return [array for key in sorted(value) if not isinstance(value[key], dict) for array in arrays(value[key])]
    return []


def pair(value: Any, function: str, names: str) -> tuple[Any, Any]:
    """The two parts that a function returns."""
    if not isinstance(value, tuple) or len(value) != 2:
        raise Wrong(text("{function} should return two things: {names}", function=function, names=names))
    return value[0], value[1]


def entry(mapping: Any, key: str, name: str) -> Any:
    """What stands under a key of a returned dict."""
    if not isinstance(mapping, dict):
        kind = text("an array") if isinstance(mapping, np.ndarray) else kind_of(mapping)
        raise Wrong(text("{name} should be a dict, but it is {kind}", name=name, kind=kind))
    if key not in mapping:
        raise Wrong(text("{name} has no entry {key}", name=name, key=repr(key)))
    return mapping[key]
