"""List whose grade changes, by how much and in which check, for an instructor."""
from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from autograder.locale.language import translate
from autograder.output.class_list import NOBODY, ClassList, Person
from autograder.output.marks import number, points_of
from autograder.output.plain import plain
from autograder.records import Left

_WHY = {"work": "other work", "checks": "other checks", "isolation": "another wall"}


def change_lines(changes: Sequence[Any], left: Sequence[Left] = (), people: ClassList = NOBODY,
                 absent: Sequence[Person] = ()) -> Iterator[str]:
    """The students whose grade changes, each with the checks that change, what may be work but is not looked at, and a
    final line with the totals.
    """
    yield from _weights(changes)
    for change in changes:
        if change.changes and not _only_weights(change):
            yield plain(_headline(change, people))
            yield from (f"    {plain(_check(check))}" for check in change.checks if not _is_weight(check))
            yield from (f"    {plain(translate(why, 'en'))}" for why in _why_not(change.after))
    gone = [change for change in changes if change.after is None]
    for change in gone:
        yield plain(f"{people.called(change.student)}  {_points(change.before)} stays: the submission is gone")
    for person in absent:
        yield plain(f"{people.called(person.student)}  handed in nothing")
    for each in left:
        if each.asks:
            yield plain(f"{each.path} is not looked at: {translate(each.why, 'en')}")
    new = sum(change.before is None for change in changes)
    other, there = sum(change.changes for change in changes) - new, len(changes) - len(gone)
    yield f"{other} of {there} change, {new} new, {there - other - new} unchanged" + (
        f", {len(gone)} with no submission left" if gone else "")


def _weights(changes: Sequence[Any]) -> Iterator[str]:
    """One line about points that are divided otherwise, however many students and checks that concerns."""
    worth: dict[str, tuple[float, float]] = {}
    for change in changes:
        if any(map(_is_weight, change.checks)):
            before, after = ({exercise.name: exercise.max_points for exercise in grade.exercises}
                             for grade in (change.before, change.after))
            worth.update({name: (before[name], after[name]) for name in before.keys() & after.keys()
                          if before[name] != after[name]})
    found = [change for change in changes if _only_weights(change)]
    if not worth and not found:
        return
    names = [f"{name} {number(was)} → {number(now)}" for name, (was, now) in sorted(worth.items())]
    by = [change.by or 0.0 for change in found]
    which = ", ".join(names) or "of checks, within their exercises"
    yield (f"other points: {which}; for {len(found)} of {len(changes)} students nothing else changes"
           + (f" ({min(by):+.4g} to {max(by):+.4g})" if by else ""))


def _only_weights(change: Any) -> bool:
    """Whether the same checks hold as before, and are only worth something else."""
    return bool(change.checks) and all(map(_is_weight, change.checks)) and change.before.status == change.after.status


def _is_weight(check: Any) -> bool:
    """Whether a check came out as before, and earns the same share of other points."""
    before, after = check.before, check.after
    if before is None or after is None or before.verdict != after.verdict or None in (before.points, after.points):
        return False
    return before.max_points != after.max_points and abs(
        before.points * after.max_points - after.points * before.max_points) < 1e-6


def _why_not(grade: Any) -> Sequence[Any]:
    """Why there is no grade, if so: a fault of ours is in `for_a_person`, anything else in the last notice."""
    return {"unreadable": grade.notices, "broken": grade.for_a_person}.get(grade.status, ())[-1:]


def _points(grade: Any) -> float | str | None:
    return "?" if grade.points is None else number(grade.points)


def _headline(change: Any, people: ClassList) -> str:
    who = people.called(change.student)
    after = points_of(change.after.points, change.after.max_points)
    if change.before is None:
        return f"{who}  new: {after}{_status(change.after)}"
    by = "" if change.by is None else f" ({change.by:+.4g})"
    why = ", ".join(_WHY[reason] for reason in change.why) or "the same work and checks"
    return f"{who}  {_points(change.before)} → {after}{by}{_status(change.after)}: {why}"


def _status(grade: Any) -> str:
    return "" if grade.status == "graded" else f" {grade.status}"


def _check(check: Any) -> str:
    return f"{check.exercise}/{check.check}: {_verdict(check.before)} → {_verdict(check.after)}"


def _verdict(verdict: Any) -> str:
    if verdict is None:
        return "absent"
    return f"{verdict.verdict.replace('_', ' ')} {points_of(verdict.points, verdict.max_points)}"
