"""Leave each mistake out of the catalogue in turn, with those that behave the same, and see what is said of it.

A wrong name sends a student after a fault that does not exist. A word is the name of a known mistake with the same
answers, the steps that give them (judge.families), the first wrong step, or a message that itself says what is wrong.
"""

from collections.abc import Sequence

from autograder.judge.engine import Assessor
from autograder.judge.last_words import VAGUE
from autograder.proof.catalogue import Tried
from autograder.proof.claim import Claim, Progress
from autograder.proof.opening import open_local
from autograder.records import ExerciseGrade

UNNAMED = 98.0                                  # percent of the mistakes that get no wrong name
WORDED = 90.0                                   # percent of the mistakes of which something true is said


def leave_one_out(assessor: Assessor, tried: Sequence[Tried], progress: Progress) -> list[Claim]:
    """How many of these mistakes are given no wrong name once they are left out, and how many a word."""
    whole, named, silent = assessor.catalogue, [], []
    known = {mistake.id for mistake in assessor.lesson.mistakes}
    try:
        for done, one in enumerate(tried, start=1):
            left_out = same_behaviour(one)      # a way of judge.families may have the name of one: that name is right
            assessor.catalogue = whole.without(*left_out)
            lost = _lost(assessor, one)
            names = [" + ".join(exercise.diagnosis.mistakes) for exercise in lost
                     if not (known - left_out).isdisjoint(exercise.diagnosis.mistakes)]
            if names:
                named.append(f"{one.mistake.id}: would be called {'; '.join(names)}")
            if not all(map(has_a_word, lost)):
                silent.append(f"{one.mistake.id}: nothing is said of what is wrong")
            progress("mistakes left out", done, len(tried))
    finally:
        assessor.catalogue = whole
    claims = [_claim("unknown mistakes that get no wrong name (leave one out)", tried, named, UNNAMED),
              _claim("unknown mistakes of which a word says what is wrong (leave one out)", tried, silent, WORDED)]
    return claims[:1 + bool(assessor.lesson.models)]        # without models nothing can be said of unknown mistakes


def _claim(says: str, tried: Sequence[Tried], exceptions: list[str], least: float) -> Claim:
    return Claim(says, len(tried) - len(exceptions), len(tried), tuple(exceptions), least)


def same_behaviour(one: Tried) -> set[str]:
    """The mistake, and those that were named beside it: they give the same answer to every question."""
    return {one.mistake.id}.union(*(ids for ids in one.named.values() if one.mistake.id in ids))


def has_a_word(exercise: ExerciseGrade) -> bool:
    """Whether more is said than that it is wrong."""
    messages = [verdict.message for verdict in exercise.verdicts
                if verdict.verdict not in ("passed", "skipped") and verdict.message]
    return bool(exercise.diagnosis.hints) or any(message.template not in VAGUE for message in messages)


def _lost(assessor: Assessor, one: Tried) -> list[ExerciseGrade]:
    """The exercises that lose points by it."""
    return [exercise for exercise in assessor.assess(open_local(one.source)).exercises
            if exercise.points is not None and exercise.points < exercise.max_points]
