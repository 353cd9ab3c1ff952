"""Which known mistake explains a wrong answer, and when none does."""
from __future__ import annotations

from functools import cache

import pytest
from local import LESSON, Opened, source

from autograder.judge.engine import Assessor

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
