"""Quote what a student's code chose. Every message of a check passes through here, and only this is quoted.

Whatever a function does after it has seen hidden inputs can carry them: a key, a text, a length, a line. So a message
says of a shape only lengths that the question had itself, of an exception a built-in kind and one place in an exercise,
and nothing that is long. Words in a message are the lesson's own; `shape_of` and `stopped` mark what is not.
"""

from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Any

import numpy as np
from msgspec.structs import replace

from autograder.records import Outcome, Text, text
from autograder.sandbox.wire.tree import leaves

Value = str | int | float | Text                # what fills a gap
CHARACTERS = 80                                 # of one quotation
COUNTED = 9                                     # what is longer is not counted
_UNKNOWN = "?"                                  # replaces a length that the question does not have
_LENGTH = "length"                              # begins the name of a gap that holds the length of an axis
_SOMEWHERE, _ANYWHERE = "{error} (cell {cell}, line {line})", "{error}"
_UNWRITTEN, _WITH_CAUSE = "{function} calls {other}, and {other} is not written yet", "{why}. {cause}"
ANOTHER = text("another exception")
_FAMILIAR = {"list", "set", "object", "function", "method", "generator", "range", "map", "zip", "filter", "module",
             "type", "bytes", "complex", "ellipsis", "matrix", "recarray", "MaskedArray", "DataFrame", "Series",
             "Tensor", "ndarray of object", "object array"}


def shape_of(shape: Sequence[int]) -> Text:
    """A shape as Python writes it; what of it may be read is decided by `quoted`."""
    gaps: dict[str, Value] = {f"{_LENGTH}{axis}": length for axis, length in enumerate(shape)}
    return Text(f"({', '.join(f'{{{gap}}}' for gap in gaps)}{',' * (len(gaps) == 1)})", gaps)


def type_of(name: str) -> Text | str:
    """The name of a type that is not plain data, if everybody knows it."""
    return name if name in _FAMILIAR else text("something else")


def count_of(things: Sequence[Any]) -> Text:
    """How many things came back together."""
    if len(things) > COUNTED:
        return text("a tuple or a list")
    return text("a tuple or a list of {count}", count=len(things))


def kind_of_error(outcome: Outcome) -> str:
    """The type of an exception; of a student's own type, the built-in type that it derives from."""
    return outcome.kinds[0] if outcome.kinds else "Exception"


def stopped(outcome: Outcome, kind: str = "") -> Text:
    """The exception with which a call stopped, and where; `once` sees that an exercise tells of one."""
    error = kind or kind_of_error(outcome)
    if outcome.where is None:
        return Text(_ANYWHERE, {"error": error})
    return text("{error} (cell {cell}, line {line})", error=error, cell=outcome.where[0] + 1, line=outcome.where[1])


def unwritten(name: str, outcome: Outcome) -> Text:
    """Which function is not written yet: the one that was asked, or one of the student's that it calls."""
    if outcome.within not in ("", name):
        return text("{function} calls {other}, and {other} is not written yet", function=name, other=outcome.within)
    return text("{function} is not written yet", function=name)


def because(why: Text, cause: Text | None) -> Text:
    """The sentence with the most common cause of what it tells of."""
    return why if cause is None else text("{why}. {cause}", why=why, cause=cause)


# --- what every message passes through ----------------------------------------------------------------------------

def quoted(why: Text, lengths: Collection[int] | None = None) -> Text:
    """The sentence with what is long cut, and without lengths other than these; None allows all of them."""
    def allowed(gap: str, value: str | int | float) -> Value:
        if isinstance(value, str):
            return value if len(value) <= CHARACTERS else f"{value[:CHARACTERS]}…"
        own = lengths is None or not gap.startswith(_LENGTH) or value in lengths
        return value if own else _UNKNOWN
    return _mapped(why, allowed)


def once(whys: Iterable[Text | None]) -> list[Text | None]:
    """The messages of one exercise, of which only one exception is told, and where it arose: that of the first."""
    told: list[Text] = []
    causes: list[Value] = []

    def first_only(why: Text) -> Text:
        if why.template in (_SOMEWHERE, _ANYWHERE, _UNWRITTEN):
            told.append(why)
            return why if why == told[0] else _less(why)
        values: dict[str, Value] = {gap: first_only(value) if isinstance(value, Text) else value
                                    for gap, value in why.values.items()}
        if why.template == _WITH_CAUSE:         # a cause says which exception it is
            causes.append(values["cause"])
            if values["why"] != why.values["why"] or values["cause"] != causes[0]:
                return values["why"] if isinstance(values["why"], Text) else why
        return replace(why, values=values)
    return [why and first_only(why) for why in whys]


def _less(why: Text) -> Text:
    """What is said where another exception was told already."""
    if why.template == _UNWRITTEN:
        return text("{function} calls another function, and that is not written yet", function=why.values["function"])
    return ANOTHER


def _mapped(why: Text, value_of: Callable[[str, str | int | float], Value]) -> Text:
    return Text(why.template, {gap: _mapped(value, value_of) if isinstance(value, Text) else value_of(gap, value)
                               for gap, value in why.values.items()})


def lengths_in(value: Any) -> set[int]:
    """The lengths of the axes of all arrays in a value of ours, and its small whole numbers (heads)."""
    return {length for leaf in leaves(value)
            for length in (leaf.shape if isinstance(leaf, np.ndarray) else (leaf,) if type(leaf) is int else ())}
