"""Prove a lesson in both directions: right solutions keep every point, and wrong ones lose some.

`verify` assembles the stages as `grade` does. It runs only code of ours: the reference, the catalogue of mistakes,
machine-made mutants of the reference (behind the wall), and right solutions composed at random.
"""

from dataclasses import replace

from autograder.judge.engine import Assessor, Engine, Limits
from autograder.judge.rehearsal import rehearse
from autograder.lessons.kit.lesson import Lesson
from autograder.proof import catalogue, ends, mutation
from autograder.proof.claim import Claim, Matrix, Progress, Proof
from autograder.proof.cost import cost
from autograder.proof.fairness import fairness
from autograder.proof.leave_one_out import leave_one_out
from autograder.proof.report import render
from autograder.proof.unfinished import unfinished

__all__ = ["Claim", "Matrix", "Proof", "render", "verify"]
VARIANTS = 1000                                 # right solutions composed at random
PART = 7                                        # a quick proof takes every 7th mutant, variant and left-out mistake,
                                                # and tries the own test with every 7th of the mistakes made elsewhere


def verify(lesson: Lesson, limits: Limits | None = None, quick: bool = False, progress: Progress | None = None
           ) -> Proof:
    """Try everything; the proof says what holds and what does not. `progress` is told what is being tried."""
    limits, progress, step = limits or Limits(), progress or _silent, PART if quick else 1
    assessor = Assessor(lesson)
    begun = unfinished(lesson, assessor.reference)
    if begun:
        return Proof(lesson.name, quick, "none", begun, (), {}, unfinished=True)
    rehearse(lesson, assessor.reference)
    with Engine(lesson, limits) as engine:
        claims = [*ends.full_marks(lesson, assessor, engine), *ends.nothing(lesson, assessor, engine)]
        isolation = engine.isolation
    functions = replace(lesson, exercises=tuple(each for each in lesson.exercises if not each.implementations))
    tried = catalogue.try_all(lesson, assessor, progress, (Assessor(functions), step) if quick else None)
    claims += catalogue.claims(lesson, tried)
    named = catalogue.nameable(lesson, tried)
    claims += leave_one_out(Assessor(functions), named[::step], progress)
    made = mutation.all_mutants(lesson)
    unharmed = mutation.try_mutants(lesson, assessor.reference, made[::step], limits, progress)
    claims += mutation.claims(lesson, made, made[::step], unharmed)
    claims.append(fairness(lesson, assessor.reference, VARIANTS // step, progress))
    return Proof(lesson.name, quick, isolation, tuple(claims), catalogue.matrices(lesson, tried),
                 cost(lesson, assessor, named[::PART * step]))


def _silent(what: str, done: int, of: int) -> None:
    """Progress that is not shown."""
