"""Analyse each check as an item: how hard it is, and whether it discriminates between students.

Difficulty is the share that passes, of those who wrote something: as usual in item analysis, what was not reached says
nothing about the item. Discrimination is the point-biserial correlation of passing with the points for everything else
(the item-rest correlation, rir): near 0 the check says nothing about a student, below 0 it is odd.
"""

from dataclasses import dataclass
from math import sqrt
from statistics import StatisticsError, correlation

from autograder.output.changes import verdicts_of
from autograder.records import Verdict
from autograder.report.cells import BLANK, code_of, earned, judged
from autograder.report.facts import Class, Column

ENOUGH = 10                                     # students, the fewest for a meaningful correlation
WEAK = 0.2                                      # an item-rest correlation below this is usually called poor


@dataclass(frozen=True)
class Item:
    """One check over all who wrote something for it: `lost` points together.

    `rest` is the item-rest correlation, or None.
    """

    column: Column
    tried: int
    passed: int
    not_written: int
    lost: float
    rest: float | None

    @property
    def share(self) -> float | None:
        return self.passed / self.tried if self.tried else None

    @property
    def failed(self) -> int:
        return self.tried - self.passed

    @property
    def separates(self) -> bool:
        return 0 < self.passed < self.tried

    @property
    def odd(self) -> bool:
        """Whether the correlation is below 0 by more than chance: twice its standard error, 1/√n."""
        return self.tried >= ENOUGH and self.rest is not None and self.rest < -2 / sqrt(self.tried)

    @property
    def remark(self) -> str:
        """What a lecturer should know about this check, or ""."""
        if not self.tried:
            return "never judged"
        if self.passed == self.tried:
            return "does not discriminate: everyone passes"
        if not self.passed:
            return "does not discriminate: no one passes"
        if self.tried < ENOUGH or self.rest is None:
            return ""
        if self.odd:
            return "odd: students who do well elsewhere fail it more often"
        return "hardly discriminates" if self.rest < WEAK else ""


def items(of: Class) -> list[Item]:
    """One Item for each check, in the order of the exercises."""
    table = [(grade.points or 0.0, verdicts_of(grade)) for grade in of.graded]
    return [_item(column, [(points, verdicts[column.exercise, column.check]) for points, verdicts in table
                           if (column.exercise, column.check) in verdicts]) for column in of.columns]


def _item(column: Column, found: list[tuple[float, Verdict]]) -> Item:
    found = [(points, verdict) for points, verdict in found if judged(verdict)]
    written = [(points, verdict) for points, verdict in found if code_of(verdict) not in BLANK]
    passing = [earned(verdict) for _, verdict in written]
    rest = [points - (verdict.points or 0.0) for points, verdict in written]
    lost = sum(verdict.max_points - (verdict.points or 0.0) for _, verdict in written)
    return Item(column, len(written), sum(passing), len(found) - len(written), lost, _correlation(passing, rest))


def _correlation(passing: list[bool], rest: list[float]) -> float | None:
    try:
        return correlation([float(passed) for passed in passing], rest)
    except StatisticsError:                     # fewer than two students, or all the same
        return None


def remarked(found: list[Item]) -> list[Item]:
    """The checks with a remark: odd ones first, then those that no one passes, then the weakest."""
    return sorted((item for item in found if item.remark),
                  key=lambda item: (not item.odd, bool(item.passed), item.passed == item.tried, item.rest or 0.0))


def costliest(found: list[Item], each: int = 3) -> list[Item]:
    """The checks that cost the class most points, a few per exercise, so that one exercise does not hide the others."""
    exercises: dict[str, list[Item]] = {}
    for item in sorted(found, key=_cost):
        if item.failed > 0:
            exercises.setdefault(item.column.exercise, []).append(item)
    return sorted((item for ranked in exercises.values() for item in ranked[:each]), key=_cost)


def _cost(item: Item) -> tuple[float, int]:
    return -item.lost, -item.failed
