"""What a student answers may be of any size: to recognise it takes no more than that, and nothing of it stays."""
from __future__ import annotations

import tracemalloc
from collections.abc import Iterator

import numpy as np
import pytest

from autograder.judge.families import Table
from autograder.judge.fingerprint import MOST, Row
from autograder.records import Outcome

RIGHT = Outcome("answered", np.zeros((2, 3)))


@pytest.fixture
def traced() -> Iterator[None]:
    tracemalloc.start()
    yield
    tracemalloc.stop()


def test_answers_of_many_sizes_leave_nothing_behind(traced: None) -> None:
    for size in range(20 * MOST, 20 * MOST + 10):
        Row.of([(Outcome("answered", np.zeros(size, np.int8)), RIGHT)])
    kept, most = tracemalloc.get_traced_memory()
    assert kept < 2 * 8 * MOST
    assert most < 6 * 8 * 20 * MOST


@pytest.mark.parametrize("size", [3, MOST, MOST + 1])
def test_answers_that_differ_have_different_rows(size: int) -> None:
    answer = np.ones(size)
    other = answer.copy()
    other[-1] = 2.0
    one, same, two = (Row.of([(Outcome("answered", value), RIGHT)]) for value in (answer, answer.copy(), other))
    assert one.agrees(same).all()
    assert not one.agrees(two).all()


def test_an_answer_of_a_shape_that_is_in_no_table_is_not_projected(traced: None) -> None:
    table = Table([()], np.array([[1]]), np.zeros((1, 1, 6)))
    assert table.like(0, np.zeros(MOST * 10, np.int8))[0].size == 0
    assert tracemalloc.get_traced_memory()[1] < 2 * 8 * MOST      # the answer itself, and little more
