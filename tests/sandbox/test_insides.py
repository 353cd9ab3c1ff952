"""The arrays inside any object can be seen, and others put in their place."""
from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from autograder.sandbox.wire.insides import MOST_INSIDE, insides, with_insides

ONE, TWO = np.arange(3.0), np.ones((2, 2))
Pair = namedtuple("Pair", "one two")


@dataclass(frozen=True)
class Frozen:
    one: np.ndarray
    two: np.ndarray


class Slots:
    __slots__ = ("one", "two")

    def __init__(self, one: np.ndarray, two: np.ndarray):
        self.one, self.two = one, two


class Bound:
    def __init__(self, one: np.ndarray, two: np.ndarray):
        self.kept = [one, two]

    def both(self) -> list[np.ndarray]:
        return self.kept


def remembering(one: np.ndarray, two: np.ndarray) -> Callable[[], tuple[np.ndarray, np.ndarray]]:
    return lambda: (one, two)


def by_default(one: np.ndarray, two: np.ndarray) -> Callable[..., tuple[np.ndarray, np.ndarray]]:
    return lambda a=one, b=two: (a, b)


#: how the two are kept -> how they are read again
WAYS: dict[str, tuple[Callable[..., Any], Callable[[Any], Any]]] = {
    "a tuple": (lambda one, two: (one, two), lambda kept: kept),
    "a list in a dict": (lambda one, two: {"a": [one], 3: two}, lambda kept: (*kept["a"], kept[3])),
    "a named tuple": (Pair, lambda kept: (kept.one, kept.two)),
    "a frozen dataclass": (Frozen, lambda kept: (kept.one, kept.two)),
    "slots": (Slots, lambda kept: (kept.one, kept.two)),
    "a method": (lambda one, two: Bound(one, two).both, lambda kept: kept()),
    "a closure": (remembering, lambda kept: kept()),
    "defaults": (by_default, lambda kept: kept()),
}


@pytest.mark.parametrize("way", WAYS)
def test_arrays_are_found_and_replaced_at_any_depth(way: str) -> None:
    keep, read = WAYS[way]
    kept = keep(ONE, TWO)
    seen = insides(kept)
    assert [array.tolist() for array in seen] == [ONE.tolist(), TWO.tolist()]
    one, two = read(with_insides(kept, [None, 5 * TWO]))
    assert [one.tolist(), two.tolist()] == [ONE.tolist(), (5 * TWO).tolist()]
    assert [array.tolist() for array in read(kept)] == [ONE.tolist(), TWO.tolist()]      # itself it is as it was


def test_one_array_in_two_places_stays_one() -> None:
    again = with_insides({"a": ONE, "b": (ONE, 2)}, [TWO, 3])
    assert again["a"] is again["b"][0]
    assert again["b"][1] == 3


def test_a_cycle_ends() -> None:
    ring: list[Any] = [ONE]
    ring.append(ring)
    again = with_insides(ring, [TWO])
    assert again[1] is again
    assert again[0].tolist() == TWO.tolist()


def test_what_cannot_be_copied_or_is_too_large_says_so() -> None:
    class Stubborn:
        def __copy__(self) -> Any:
            raise RuntimeError("no")
    assert insides(Stubborn()) == []
    with pytest.raises(LookupError, match="cannot be copied"):
        with_insides(Stubborn(), [ONE])
    assert insides([ONE.copy() for _ in range(MOST_INSIDE + 1)]) == []
