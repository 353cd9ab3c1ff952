"""Turn an answer into a short row of numbers, to compare it with the whole catalogue at once.

Each leaf of an answer (y, an entry of the cache, one gradient) becomes a token (what kind of thing it is: shape, kind
of number, finite or not) and a random projection of its numbers. Equal answers have equal rows up to rounding;
different ones differ except by a freak of chance. The layout of an own attention's cache does not matter, so nested
dicts are left out; nor does it matter which of the refusing exceptions was raised where a refusal is due.
"""
from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from math import isfinite, sqrt
from typing import Any
from zlib import crc32

import numpy as np

from autograder.lessons.kit.lesson import REFUSALS, UNWRITTEN
from autograder.records import Outcome
from autograder.sandbox.wire.tree import Path, nested, paths

MOST = 2**16                                    # numbers in a direction of their own
ALIKE = 1e-4                                    # far above float32's rounding, far below any real fault


#: of one leaf: its token, its projection and its norm
Entry = tuple[int, float, float]


def paths_of(right: Outcome) -> list[Path]:
    """The paths of the leaves that matter in the reference's answer."""
    return [path for path, _ in paths(right.value) if not nested(path)]


class Row:
    """The fingerprint of some answers: tokens, projections and norms, one entry per leaf."""

    def __init__(self, tokens: np.ndarray, values: np.ndarray, norms: np.ndarray):
        self.tokens, self.values, self.norms = tokens, values, norms

    @classmethod
    def of(cls, pairs: Iterable[tuple[Outcome, Outcome]]) -> Row:
        """The row of these (answer, the reference's answer to the same question)."""
        return cls.made_of(entry for outcome, right in pairs for entry in entries_of(outcome, right, paths_of(right)))

    @classmethod
    def made_of(cls, entries: Iterable[Entry]) -> Row:
        """The row of these entries."""
        tokens, values, norms = tuple(zip(*entries, strict=True)) or ((), (), ())
        return cls(np.array(tokens, dtype=np.int64), np.array(values, dtype=float), np.array(norms, dtype=float))

    @classmethod
    def stack(cls, rows: list[Row], leaves: int) -> Row:
        """Many rows, or none, as one table (n, leaves)."""
        none = cls(np.zeros((0, leaves), dtype=np.int64), np.zeros((0, leaves)), np.zeros((0, leaves)))
        return cls(*(np.stack([getattr(row, name) for row in rows]) if rows else getattr(none, name)
                     for name in ("tokens", "values", "norms")))

    def take(self, columns: np.ndarray) -> Row:
        """Only these leaves."""
        return Row(self.tokens[..., columns], self.values[..., columns], self.norms[..., columns])

    def only(self, rows: list[int]) -> Row:
        """Only these rows of a table."""
        return Row(self.tokens[rows], self.values[rows], self.norms[rows])

    def agrees(self, other: Row) -> np.ndarray:
        """Where two rows agree; a table against a row gives a table."""
        room = ALIKE * np.maximum(self.norms, other.norms) + 1e-12
        near = np.isfinite(room) & (np.abs(self.values - other.values) <= room)    # else huge answers are like all
        return (self.tokens == other.tokens) & (near | (self.values == other.values))


def width(right: Outcome) -> int:
    """How many entries one question takes in a row."""
    return 1 + len(paths_of(right))


def agree(one: Entry, other: Entry) -> bool:
    """Whether two entries agree, as those of two rows do."""
    if one[0] != other[0]:
        return False
    room = ALIKE * max(one[2], other[2]) + 1e-12
    return one[1] == other[1] or isfinite(room) and abs(one[1] - other[1]) <= room


def entries_of(outcome: Outcome, right: Outcome, leaves: Sequence[Path]) -> list[Entry]:
    """First the outcome of the call (and the arguments it changed), then these leaves of the answer."""
    if outcome.status == "answered":
        touched = sorted({path.partition(".")[0] for path in outcome.changed})
        return [(_token("answered", *touched), 0.0, 0.0), *(_leaf(outcome.value, path) for path in leaves)]
    return [(_token(outcome.status, _manner(outcome, right)), 0.0, 0.0)] * (1 + len(leaves))


def _manner(outcome: Outcome, right: Outcome) -> str:
    """How an exception counts: an unwritten stub, a refusal where that is right, or its own text.

    Where an answer was asked for, exceptions are the same mistake only if their texts are equal: anything can raise.
    """
    if UNWRITTEN in outcome.kinds:
        return UNWRITTEN
    if right.status == "answered":
        return f"{outcome.kinds[:1]} {outcome.message}"
    return "refuses" if not REFUSALS.isdisjoint((outcome.error, *outcome.kinds)) else ""


def _leaf(value: Any, path: Path) -> Entry:
    for step in path:
        inside = value if isinstance(value, dict) else range(len(value)) if isinstance(value, tuple | list) else ()
        if step not in inside:
            return _token("absent", *_holds(value)), 0.0, 0.0
        value = value[step]  # pyright: ignore[reportArgumentType, reportCallIssue] -- it is in there
    if isinstance(value, np.ndarray) and value.dtype.kind in "fiub":
        return _array(value)
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return _token("number"), float(value), abs(float(value))
    return _token(type(value).__name__), 0.0, 0.0


def _holds(value: Any) -> list[str]:
    """What an absent leaf is told apart by: the kind of what is there, and for a dict its keys."""
    return [type(value).__name__, *(sorted(value) if isinstance(value, dict) else [])]


def _array(value: np.ndarray) -> Entry:
    finite, holes = np.isfinite(value), ""
    if not finite.all():
        holes, value = str(crc32(np.ascontiguousarray(finite).tobytes())), np.where(finite, value, 0)
    token = _token("array", str(value.shape), str(value.dtype.kind == "f"), holes)
    numbers = value.ravel().astype(float, copy=False)
    return token, float(numbers @ directions(numbers.size)), sqrt(numbers @ numbers)


def directions(size: int, *many: int) -> np.ndarray:
    """Fixed random directions, the same in every process; a student chooses how many there are, and how long."""
    return _kept_directions(size, *many) if size <= MOST else np.resize(_kept_directions(MOST, *many), (size, *many))


@lru_cache(maxsize=64)
def _kept_directions(*shape: int) -> np.ndarray:
    return np.random.default_rng(shape[0]).normal(size=shape)


def _token(*words: str) -> int:
    return crc32("\0".join(words).encode())
