"""Say what is wrong with the notebook's examples, from a process that is asked about examples only.

Where a function has seen hidden inputs, whatever it answers can carry them, also to an example. So of an example that
failed nothing is said until it was asked again in a fresh process: then all that is quoted arose from shown inputs.
"""

from collections.abc import Iterable
from dataclasses import replace

from autograder.judge.worlds import NOT_YET_SHOWN, AskIn, Judged, Open, attempt, functions_of
from autograder.records import Subject, text

REMEMBERS = text("this example comes out right when it is asked first, but not after other questions: does your code "
                 "remember something?")


def show_examples(judged: Iterable[Judged], open_subject: Open, reference: Subject) -> None:
    """Give the examples that failed their messages."""
    failed: dict[tuple[str, ...], list[tuple[Judged, int, AskIn]]] = {}
    for one in judged:
        for index, tried in enumerate(one.attempts):
            if tried.why is NOT_YET_SHOWN and tried.ask is not None:
                failed.setdefault(tried.ask.installed, []).append((one, index, tried.ask))
    for installed, places in failed.items():
        with open_subject(functions_of(reference, installed), installed) as subject:
            for one, index, ask in places:
                again = attempt(one.exercise.checks[index], ask.of_examples(subject))
                one.attempts[index] = replace(one.attempts[index], why=again.why or REMEMBERS, picture=again.picture)
