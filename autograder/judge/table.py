"""Hold the answers of many wrong subjects to the same questions as one table of fingerprints."""
from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from autograder.judge.fingerprint import Row
from autograder.lessons.kit.lesson import Mistake
from autograder.records import Call, Result
from autograder.sandbox.wire.tree import leaves

Made = tuple[Mistake, ...]                      # mistakes made together


@dataclass(frozen=True, eq=False)
class Table:
    """The answers of many wrong subjects to the same questions: a row each."""

    made: list[Made]
    calls: list[Call]
    starts: list[int]                           # the column at which each call begins, and the end
    rows: Row
    right: Row                                  # the reference's own row

    def only(self, calls: Iterable[Call]) -> Table:
        """The table of these calls alone, in the table's order."""
        chosen = set(calls)
        kept = [index for index, call in enumerate(self.calls) if call in chosen]
        columns = np.concatenate([np.arange(self.starts[i], self.starts[i + 1]) for i in kept])
        return Table(self.made, [self.calls[i] for i in kept], [], self.rows.take(columns), self.right.take(columns))

    def less(self, left_out: frozenset[str]) -> Table:
        """The table without the rows in which one of these mistakes is made."""
        if not left_out:
            return self
        stays = [i for i, made in enumerate(self.made) if left_out.isdisjoint(mistake.id for mistake in made)]
        return replace(self, made=[self.made[i] for i in stays], rows=self.rows.only(stays))


def size_of(call: Call) -> int:
    """The bytes of a call's arrays, including those of an earlier call that it refers to."""
    return sum(size_of(leaf.of) if isinstance(leaf, Result) else getattr(leaf, "nbytes", 0)
               for leaf in leaves(call.args))


def all_at_work(made: Made, table: Table, agrees: np.ndarray, seen: Row) -> bool:
    """Whether mistakes made in one source are all at work: none undoes another where the answer is right.

    If an answer has several parts, one of the mistakes explains a wrong part alone. Otherwise two mistakes about the
    same thing (dividing by a root too often, multiplying by it) would pass for a third, unknown one.
    """
    rows = [table.made.index((mistake,)) for mistake in made]
    right, differs = table.right.agrees(seen), ~table.rows.agrees(table.right)[rows]
    several = len(seen.tokens) > 2 * len(table.calls)
    return not (differs & right).any() and bool(not several or (differs & agrees[rows]).any())


def exact(value: Any) -> list[bytes | str]:
    """An answer to the last bit, to compare with others."""
    return [leaf.tobytes() if isinstance(leaf, np.ndarray) else repr(leaf) for leaf in leaves(value)]
