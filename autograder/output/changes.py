"""List whose grade changes, by how much and in which check, for an instructor."""
from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from autograder.locale.language import translate
from autograder.output.marks import number, points_of
from autograder.output.plain import plain
from autograder.records import Left

_WHY = {"work": "other work", "checks": "other checks", "isolation": "another wall"}


def change_lines(changes: Sequence[Any], left: Sequence[Left] = ()) -> Iterator[str]:
    """The students whose grade changes, each with the checks that change, what may be work but is not looked at, and a
    final line with the totals.
    """
    for change in changes:
        if change.changes:
            yield plain(_headline(change))
            yield from (f"    {plain(_check(check))}" for check in change.checks)
            yield from (f"    {plain(translate(why, 'en'))}" for why in _why_not(change.after))
    gone = [change for change in changes if change.after is None]
    for change in gone:
        yield plain(f"{change.student}  {_points(change.before)} stays: the submission is gone")
    for each in left:
        if each.asks:
            yield plain(f"{each.path} is not looked at: {translate(each.why, 'en')}")
    new = sum(change.before is None for change in changes)
    other, there = sum(change.changes for change in changes) - new, len(changes) - len(gone)
    yield f"{other} of {there} change, {new} new, {there - other - new} unchanged" + (
        f", {len(gone)} with no submission left" if gone else "")


def _why_not(grade: Any) -> Sequence[Any]:
    """Why there is no grade, if so: a fault of ours is in `for_a_person`, anything else in the last notice."""
    return {"unreadable": grade.notices, "broken": grade.for_a_person}.get(grade.status, ())[-1:]


def _points(grade: Any) -> float | str | None:
    return "?" if grade.points is None else number(grade.points)


def _headline(change: Any) -> str:
    after = points_of(change.after.points, change.after.max_points)
    if change.before is None:
        return f"{change.student}  new: {after}{_status(change.after)}"
    by = "" if change.by is None else f" ({change.by:+.4g})"
    why = ", ".join(_WHY[reason] for reason in change.why) or "the same work and checks"
    return f"{change.student}  {_points(change.before)} → {after}{by}{_status(change.after)}: {why}"


def _status(grade: Any) -> str:
    return "" if grade.status == "graded" else f" {grade.status}"


def _check(check: Any) -> str:
    return f"{check.exercise}/{check.check}: {_verdict(check.before)} → {_verdict(check.after)}"


def _verdict(verdict: Any) -> str:
    if verdict is None:
        return "absent"
    return f"{verdict.verdict.replace('_', ' ')} {points_of(verdict.points, verdict.max_points)}"
