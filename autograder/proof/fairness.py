"""Check that right solutions keep every point, composed at random from right ways to write each step."""

import random
import warnings
from collections.abc import Callable
from importlib import import_module
from typing import Any

from autograder.faults import Refused
from autograder.judge.local_subject import LocalSubject
from autograder.judge.worlds import own_world
from autograder.lessons.kit.bounded import TooLong, bounded
from autograder.lessons.kit.lesson import Lesson
from autograder.proof.claim import Claim, Progress
from autograder.records import Subject


def variant_of(lesson: Lesson) -> Callable[[Callable[..., Any]], str]:
    """The lesson's composer: pick(a, b, ...) -> the source of a right solution; the reference, if it has none."""
    if not lesson.has("variants"):
        return lambda pick: lesson.home.text(lesson.reference)
    return import_module(f"{lesson.home.package}.variants").variant


def seeded_variant(lesson: Lesson, seed: int) -> str:
    """The right solution with this number, always the same."""
    rng = random.Random(seed)
    try:
        with bounded():
            return variant_of(lesson)(lambda *options: options[rng.randrange(len(options))])
    except (Exception, TooLong) as error:       # it is somebody's own Python and can raise anything
        raise Refused(f"{lesson.home.place}/variants: right solution {seed} cannot be composed: "
                      f"{type(error).__name__}: {error}") from error


def harm(lesson: Lesson, reference: Subject, source: str) -> list[str]:
    """The checks that a right solution fails: there should be none, else the check is unfair."""
    given = "\n\n".join(lesson.given_sources.values())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            subject = LocalSubject(f"{given}\n\n{source}")
        except Exception as error:
            return [f"it does not run: {type(error).__name__}: {error}"]
        judged = own_world(lesson, subject, reference)
    return [f"{name}: {check.name} is {attempt.word}" for name, found in judged.items()
            for check, attempt in zip(found.exercise.checks, found.attempts, strict=True) if attempt.word != "passed"]


def fairness(lesson: Lesson, reference: Subject, count: int, progress: Progress) -> Claim:
    """How many of `count` right solutions keep every point."""
    exceptions = []
    count = count if lesson.has("variants") else 1
    for seed in range(count):
        failed = harm(lesson, reference, seeded_variant(lesson, seed))
        if failed:
            exceptions.append(f"variant {seed}: {', '.join(failed)}")
        progress("right solutions in other words", seed + 1, count)
    return Claim("right solutions in other words that keep every point", count - len(exceptions), count,
                 tuple(exceptions))
