"""Which known mistake explains a wrong answer, and when none does."""
from __future__ import annotations

from functools import cache

import pytest
from local import LESSON, Opened, source

from autograder.judge.engine import Assessor
from autograder.locale.language import translate

SPLIT_SWAP, MERGE_SWAP = "return x.swapaxes(1, 2)", "h = h.swapaxes(1, 2)"
assessor = cache(lambda: Assessor(LESSON))


def diagnoses(code: str) -> dict[str, tuple[str, ...]]:
    """Exercise -> the mistakes that are named there."""
    return {exercise.name: exercise.diagnosis.mistakes for exercise in assessor().assess(Opened(code)).exercises}


def test_a_mistake_of_two_functions_is_not_named_where_one_of_them_is_right() -> None:
    both = diagnoses(source((SPLIT_SWAP, f"{SPLIT_SWAP}[:, ::-1]"), (MERGE_SWAP, "h = h[:, ::-1].swapaxes(1, 2)")))
    assert "both-reversed" in both["split_heads"]
    assert "both-reversed" in both["merge_heads"]
    split = diagnoses(source((SPLIT_SWAP, f"{SPLIT_SWAP}[:, ::-1]")))
    assert split["split_heads"] == ("split-heads-reversed",)


@pytest.mark.parametrize("error", ["ValueError('not today')", "KeyError('joined')", "ValueError"])
def test_an_exception_that_says_something_else_is_no_known_mistake(error: str) -> None:
    named = diagnoses(source(then="def multihead_backward(cache, params, dy):\n"
                                  f"    raise {error}\n\n\n"
                                  f"def split_heads(x, heads):\n    raise {error}\n"))
    how_it_ends = (f"stops-{error.partition('(')[0]}",)
    assert (named["split_heads"], named["multihead_backward"]) == (how_it_ends, how_it_ends)


def test_an_exception_that_a_known_mistake_raises_too_is_that_mistake() -> None:
    named = diagnoses(source(('split_heads(djoined, cache["heads"])', "djoined")))
    assert named["multihead_backward"] == ("dJ-not-split",)


def test_a_cache_of_ones_own_is_no_mistake_where_the_references_takes_its_place() -> None:
    named = diagnoses(source(
        ('"attention": attention_cache', '"attention": {"own": attention_cache}'),
        ('cache["attention"]', 'cache["attention"]["own"]'), ('y = joined @ params["wo"]', 'y = joined')))
    assert named["multihead"] == ("missing-wo",)
    assert named["multihead_backward"] == ()


#: raises what looks like NumPy's own words, from code that has no line of a student's
AS_NUMPY = """
def multihead(x, *others):
    scope = {}
    exec(compile("def stop(words):\\n    raise ValueError(words)", "numpy.py", "exec"), scope)
    scope["stop"]("operands could not be broadcast together with shapes (SHAPE) (5,1)")
"""


@pytest.mark.parametrize(("shape", "letters"), [("2,5,3,4", "(B, T, H, d)"), ("2,5,3,4,12", None),
                                                (",".join("25342" * 20), None)])
def test_a_shape_in_the_text_of_an_exception_has_room_for_little_more_than_an_array(shape: str, letters: str | None
                                                                                    ) -> None:
    assessed = assessor().assess(Opened(source(then=AS_NUMPY.replace("SHAPE", shape))))
    told = next(exercise for exercise in assessed.exercises if exercise.name == "multihead").diagnosis
    hints = " ".join(translate(hint, "en") for hint in told.hints)
    assert told.mistakes == ("stops-ValueError",)
    assert (f"The shapes that do not fit are {letters} and (T, 1)." in hints) == (letters is not None)
    assert ("The shapes" in hints) == (letters is not None)


def test_one_kind_of_exception_is_told_of_an_exercise() -> None:
    """The first question is an example, of which nothing is said before it was asked by itself."""
    named = diagnoses(source(then="asked = []\n\n\ndef split_heads(x, heads):\n    asked.append(x)\n"
                                  "    if len(asked) > 1:\n        return {}[heads]\n    return [][0]\n"))
    assert named["split_heads"] == ("stops-KeyError",)
