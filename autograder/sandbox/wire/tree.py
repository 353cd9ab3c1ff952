"""Walk the tree of plain data: dicts, tuples and lists hold parts, everything else is a leaf."""

from collections.abc import Callable, Iterable, Iterator
from itertools import pairwise
from typing import Any

Path = tuple[str | int, ...]
_HOLD = (dict, tuple, list)                     # a tuple of types: isinstance of a union takes three times as long
_SEQUENCES = (tuple, list)


def parts(value: Any) -> Iterable[Any]:
    """The parts of a dict, tuple or list; none for a leaf."""
    return value.values() if isinstance(value, dict) else value if isinstance(value, _SEQUENCES) else ()


def entries(value: Any) -> Iterable[tuple[str | int, Any]]:
    """The same parts, each with its name in the dict or its number in the sequence."""
    return value.items() if isinstance(value, dict) else enumerate(parts(value))


def paths(value: Any, above: Path = ()) -> Iterator[tuple[Path, Any]]:
    """All leaves of a value in order, each after the names and numbers that lead to it."""
    if isinstance(value, _HOLD):
        for name, part in entries(value):
            if isinstance(part, _HOLD):
                yield from paths(part, (*above, name))
            else:
                yield (*above, name), part
    else:
        yield above, value


def leaves(value: Any) -> list[Any]:
    """All leaves of a value, in order."""
    if not isinstance(value, _HOLD):
        return [value]
    found: list[Any] = []
    for part in value.values() if isinstance(value, dict) else value:
        if isinstance(part, _HOLD):
            found += leaves(part)
        else:
            found.append(part)
    return found


def nested(path: Path) -> bool:
    """Whether it leads into a dict that is itself in a dict."""
    return any(isinstance(name, str) and isinstance(inner, str) for name, inner in pairwise(path))


def mapped(value: Any, leaf: Callable[[Any], Any], sequence: type = tuple) -> Any:
    """The same tree with `leaf` applied to each leaf; lists and tuples become a `sequence`."""
    if not isinstance(value, _HOLD):
        return leaf(value)
    if isinstance(value, dict):
        return {key: mapped(part, leaf, sequence) if isinstance(part, _HOLD) else leaf(part)
                for key, part in value.items()}
    return sequence([mapped(part, leaf, sequence) if isinstance(part, _HOLD) else leaf(part) for part in value])
