"""Leave each mistake out of the catalogue in turn, with those that behave the same, and see what it is called.

The right answer is to name none: a wrong name sends a student after a fault that does not exist.
"""
from __future__ import annotations

from collections.abc import Sequence

from autograder.judge.engine import Assessor
from autograder.proof.catalogue import Tried
from autograder.proof.claim import Claim, Progress
from autograder.proof.opening import open_local

UNNAMED = 98.0                                  # percent of the mistakes that get no wrong name


def leave_one_out(assessor: Assessor, tried: Sequence[Tried], progress: Progress) -> Claim:
    """How many of these mistakes get no name once they are left out."""
    whole, exceptions = assessor.catalogue, []
    try:
        for done, trial in enumerate(tried, start=1):
            assessor.catalogue = whole.without(*same_behaviour(trial))
            names = _names(assessor, trial)
            if names:
                exceptions.append(f"{trial.mistake.id}: would be called {'; '.join(names)}")
            progress("mistakes left out", done, len(tried))
    finally:
        assessor.catalogue = whole
    return Claim("unknown mistakes that get no wrong name (leave one out)", len(tried) - len(exceptions), len(tried),
                 tuple(exceptions), UNNAMED)


def same_behaviour(trial: Tried) -> set[str]:
    """The mistake, and those named with it: they give the same answer to every question."""
    return {trial.mistake.id}.union(*(ids for ids in trial.named.values() if trial.mistake.id in ids))


def _names(assessor: Assessor, trial: Tried) -> list[str]:
    return [" + ".join(exercise.diagnosis.mistakes) for exercise in assessor.assess(open_local(trial.source)).exercises
            if exercise.diagnosis.mistakes]
