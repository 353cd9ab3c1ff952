"""Say why a check has no answer to judge: what happened instead, and what most often causes it."""
from __future__ import annotations

from collections.abc import Callable

from autograder.lessons.kit.exceptions import about, unknown_name
from autograder.lessons.kit.lesson import UNWRITTEN
from autograder.records import Outcome, Text, text


def why_unanswered(name: str, outcome: Outcome, shown: bool, of_an_example: Callable[[str], bool]) -> Text:
    """What this function did instead of answering; for a hidden call, no text that the student's code made."""
    if outcome.status == "raised":
        return _raised(name, outcome, shown, of_an_example)
    if outcome.status == "timed_out":
        return _too_slow(name, outcome)
    return text(_WHY[outcome.status].template, function=name)


def _raised(name: str, outcome: Outcome, shown: bool, of_an_example: Callable[[str], bool]) -> Text:
    if UNWRITTEN in outcome.kinds:
        return unwritten(name, outcome)
    why = _stops(name, outcome, shown)
    if of_an_example(unknown_name(outcome)):
        return text("{why}; variables of the example cells do not exist when your work is graded", why=why)
    cause = about(outcome)
    return text("{why}. {cause}", why=why, cause=cause) if cause else why


def unwritten(name: str, outcome: Outcome) -> Text:
    """Which function is not written yet: the one that was asked, or one of the student's that it calls."""
    if outcome.within not in ("", name):
        return text("{function} calls {other}, and {other} is not written yet", function=name, other=outcome.within)
    return text("{function} is not written yet", function=name)


def _stops(name: str, outcome: Outcome, shown: bool) -> Text:
    """The exception with which it stops, and where."""
    kind = outcome.error if shown else (outcome.kinds[0] if outcome.kinds else "Exception")
    said = f"{kind}: {outcome.message}" if shown and outcome.message else kind
    if outcome.where is None:
        return text("{function} raised {error}", function=name, error=said)
    return text("{function} raised {error} (cell {cell}, line {line})", function=name, error=said,
                cell=outcome.where[0] + 1, line=outcome.where[1])     # people count cells from 1


def _too_slow(name: str, outcome: Outcome) -> Text:
    if outcome.seconds < 1:                         # it had hardly begun, or was not asked any more
        return text("there was no time left for {function}", function=name)
    return text("{function} was not done after {seconds} seconds, which is all the time that one call has",
                function=name, seconds=f"{outcome.seconds:.0f}")


_WHY = {
    "missing": text("there is no function {function}"),
    "out_of_memory": text("{function} asked for more memory than there is"),
    "crashed": text("the Python process crashed in {function}"),
    "quit": text("{function} ended the Python process; a function returns its answer and never exits"),
    "refused": text("{function} answered something that is no plain data (numbers, arrays, dicts of arrays)"),
    "tampering": text("{function} tried something that no solution of this exercise needs; a person will look at it"),
    "skipped": text("not tried"),
    "broken": text("the autograder failed here; that is not your fault, and a person will look at it"),
}
