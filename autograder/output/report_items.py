"""Item analysis: how hard each check is, and whether it separates those who can from those who cannot.

Difficulty is the share that passes. Discrimination is the point-biserial correlation of passing with the points for
everything else (the item-rest correlation, rir): near 0 the check says nothing about a student, below 0 it is odd.
"""
from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from statistics import StatisticsError, correlation

from autograder.output.report_cells import code_of, earned, judged
from autograder.output.report_facts import Class, Column, verdicts_of
from autograder.records import Verdict

ENOUGH = 10                                     # students, for a correlation to mean anything
WEAK = 0.2                                      # an item-rest correlation below this is usually called poor


@dataclass(frozen=True)
class Item:
    """One check over the whole class. `rest` is the item-rest correlation, None where there is none."""

    column: Column
    tried: int
    passed: int
    not_written: int
    rest: float | None

    @property
    def share(self) -> float | None:
        return self.passed / self.tried if self.tried else None

    @property
    def failed(self) -> int:
        """Those who wrote something that the check found wanting."""
        return self.tried - self.passed - self.not_written

    @property
    def separates(self) -> bool:
        return 0 < self.passed < self.tried

    @property
    def odd(self) -> bool:
        return self.tried >= ENOUGH and self.rest is not None and self.rest < 0

    @property
    def remark(self) -> str:
        """What a lecturer should know about this check; "" where there is nothing."""
        if not self.tried:
            return "never judged"
        if self.passed == self.tried:
            return "everybody passes: separates nobody"
        if not self.passed:
            return "nobody passes: separates nobody"
        if self.tried < ENOUGH or self.rest is None:
            return ""
        if self.rest < 0:
            return "odd: those who do well elsewhere fail it more"
        return "hardly separates" if self.rest < WEAK else ""


def items(of: Class) -> list[Item]:
    """One Item for each check, in the order of the exercises."""
    table = [(grade.points, verdicts_of(grade)) for grade in of.graded]
    return [_item(column, [(points, verdicts[column.exercise, column.check]) for points, verdicts in table
                           if (column.exercise, column.check) in verdicts]) for column in of.columns]


def _item(column: Column, found: list[tuple[float, Verdict]]) -> Item:
    found = [(points, verdict) for points, verdict in found if judged(verdict)]
    passing = [earned(verdict) for _, verdict in found]
    blank = sum(code_of(verdict, column.exercise) in "nm" for _, verdict in found)
    rest = [points - (verdict.points or 0.0) for points, verdict in found]
    return Item(column, len(found), sum(passing), blank, _correlation(passing, rest))


def _correlation(passing: list[bool], rest: list[float]) -> float | None:
    try:
        return correlation([float(one) for one in passing], rest)
    except StatisticsError:                     # fewer than two students, or all the same
        return None


def most_failed(found: list[Item], count: int = 10) -> Iterator[Item]:
    """The checks that most of those who wrote something fail."""
    ranked = sorted((item for item in found if item.failed > 0), key=lambda item: -item.failed)
    yield from ranked[:count]
