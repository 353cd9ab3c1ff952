"""Walk the tree of plain data: dicts, tuples and lists hold parts, everything else is a leaf."""
from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any


def parts(value: Any) -> Iterable[Any]:
    """The parts of a dict, tuple or list; none for a leaf."""
    return value.values() if isinstance(value, dict) else value if isinstance(value, tuple | list) else ()


def leaves(value: Any) -> Iterator[Any]:
    """All leaves of a value, in order."""
    if isinstance(value, dict | tuple | list):
        for part in parts(value):
            yield from leaves(part)
    else:
        yield value


def mapped(value: Any, leaf: Callable[[Any], Any], sequence: type = tuple) -> Any:
    """The same tree with `leaf` applied to each leaf; lists and tuples become a `sequence`."""
    if isinstance(value, dict):
        return {key: mapped(part, leaf, sequence) for key, part in value.items()}
    if isinstance(value, tuple | list):
        return sequence([mapped(part, leaf, sequence) for part in value])
    return leaf(value)
