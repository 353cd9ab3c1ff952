"""The answers of many wrong subjects to the same questions, as one table of fingerprints."""
from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np

from autograder.judge.fingerprint import Row
from autograder.lessons.kit.lesson import Mistake
from autograder.records import Call, Result

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
    def size(value: object) -> int:
        if isinstance(value, Result):
            return size_of(value.of)
        parts = value.values() if isinstance(value, dict) else ()
        return value.nbytes if isinstance(value, np.ndarray) else sum(map(size, parts))
    return sum(map(size, call.args))
