"""Say why a check has no answer to judge: what happened instead, and what most often causes it."""

from collections.abc import Callable

from autograder.lessons.kit.exceptions import about, unknown_name
from autograder.lessons.kit.lesson import UNWRITTEN
from autograder.lessons.kit.quoting import because, stopped, unwritten
from autograder.records import Outcome, Text, text

OF_YOUR_OWN = text("{function} stops at a raise or assert of your own, with {error}, where an answer belongs: which "
                   "input does that condition refuse?").template


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
    error = stopped(outcome, _said(outcome) if shown else "")
    if outcome.own:
        return Text(OF_YOUR_OWN, {"function": name, "error": error})
    why = text("{function} raised {error}", function=name, error=error)
    if of_an_example(unknown_name(outcome)):
        return text("{why}; variables of the example cells do not exist when your work is graded", why=why)
    return because(why, about(outcome))


def _said(outcome: Outcome) -> str:
    """The exception in its own words."""
    return f"{outcome.error}: {outcome.message}" if outcome.message else outcome.error


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
    "refused": text("{function} answered something that is not plain data (numbers, arrays, dicts of arrays), or "
                    "more than can be kept"),
    "tampering": text("{function} tried something that no solution of this exercise needs; a person will look at it"),
    "skipped": text("not tried"),
    "broken": text("the autograder failed here; that is not your fault, and a person will look at it"),
}
