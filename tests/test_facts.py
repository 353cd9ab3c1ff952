"""Facts that several exercises are checked for: what they must not say of a function that is merely wrong."""
import pytest
from local import LESSON, source

from autograder.judge.local_subject import LocalSubject
from autograder.judge.worlds import AskIn, Attempt, attempt

CHECKS = {(exercise.name, check.name): check for exercise in LESSON.exercises for check in exercise.checks}
MISTAKES = {mistake.id: mistake for mistake in LESSON.mistakes}
REMEMBERS = """
_kept = {}

def %s(x, *heads):
    answer = _right(x, *heads)
    if answer.shape not in _kept:
        _kept[answer.shape] = answer.copy()
    _kept[answer.shape][:] = answer
    return _kept[answer.shape]
"""


def attempted(exercise: str, code: str) -> Attempt:
    reference = LocalSubject(LESSON.reference_source, "reference")
    ask = AskIn("own", LocalSubject(code, "student"), reference)
    return attempt(CHECKS[exercise, "keeps-arguments"], ask)


@pytest.mark.parametrize("mistake", ["split-direct-reshape", "split-no-swap", "split-interleaved"])
def test_a_wrong_split_is_not_said_to_remember_anything(mistake):
    assert attempted("split_heads", MISTAKES[mistake].make(LESSON.reference_source)).word == "passed"


@pytest.mark.parametrize("mistake", ["merge-direct-reshape", "merge-time-first"])
def test_a_wrong_merge_is_not_said_to_remember_anything(mistake):
    assert attempted("merge_heads", MISTAKES[mistake].make(LESSON.reference_source)).word == "passed"


@pytest.mark.parametrize("exercise", ["split_heads", "merge_heads"])
def test_a_function_that_fills_the_same_array_again_is_caught(exercise):
    code = source(then=f"_right = {exercise}\n{REMEMBERS % exercise}")
    found = attempted(exercise, code)
    assert found.word == "wrong"
    assert "fill the same array" in found.why.template
