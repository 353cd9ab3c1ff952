"""What a mistake is called that the catalogue does not know: each is left out in turn, with those that behave the same.

Nothing is the right answer. A wrong name sends a student after a fault that is not there.
"""
from __future__ import annotations

from collections.abc import Sequence

from autograder.judge.engine import Assessor
from autograder.proof.catalogue import Tried
from autograder.proof.claim import Claim, Progress
from autograder.proof.opening import open_local

UNNAMED = 98.0                                  # percent of the mistakes that get no wrong name


def leave_one_out(assessor: Assessor, tried: Sequence[Tried], progress: Progress) -> Claim:
    """How many of these mistakes are given no name once they are left out."""
    whole, exceptions = assessor.catalogue, []
    try:
        for done, one in enumerate(tried, start=1):
            assessor.catalogue = whole.without(*same_behaviour(one))
            names = _names(assessor, one)
            if names:
                exceptions.append(f"{one.mistake.id}: would be called {'; '.join(names)}")
            progress("mistakes left out", done, len(tried))
    finally:
        assessor.catalogue = whole
    return Claim("unknown mistakes that get no wrong name (leave one out)", len(tried) - len(exceptions), len(tried),
                 tuple(exceptions), UNNAMED)


def same_behaviour(one: Tried) -> set[str]:
    """The mistake, and those that were named beside it: they give the same answer to every question."""
    return {one.mistake.id}.union(*(ids for ids in one.named.values() if one.mistake.id in ids))


def _names(assessor: Assessor, one: Tried) -> list[str]:
    return [" + ".join(exercise.diagnosis.mistakes) for exercise in assessor.assess(open_local(one.source)).exercises
            if exercise.diagnosis.mistakes]
