"""What the judge itself answers for a student's code is small, whatever the arguments: measured, on generated ones."""
from __future__ import annotations

import random
import tracemalloc
import warnings
from collections.abc import Iterator
from functools import cache
from math import prod
from typing import Any

import numpy as np
import pytest

from autograder.judge.local_subject import LocalSubject
from autograder.lessons.installed import load_lesson
from autograder.lessons.kit.lesson import Lesson
from autograder.sandbox.stand_ins import is_small

LESSONS = ("multihead", "layernorm")
MOST = 64 * 2**20                         # bytes: with what the judge holds anyway, far below 300 MB
LENGTHS = (0, 1, 1, 1, 2, 3, 5, 8, 16, 30, 60, 100, 101, 300, 1000)
NUMBERS = (0, 1, 2, 4, 50, 100, 101, -100, 10**9, -10**9, 2.5, float("nan"), float("inf"), True, None, (100,), [[100]],
           np.array(50), np.array(10**9), np.array([10**9]), np.array(-1e9))
KINDS = (float, float, np.int8, bool, np.float32, np.complex128)
NUMBERS_OF_AN_ARRAY = 12_000              # more bytes than a small call may have


class Hostile:
    """Makes arguments: most of them fit each other, as those that get far do, and some are anything."""

    def __init__(self, seed: int):
        self._random = random.Random(seed)

    def arguments(self, function: str) -> tuple[Any, ...]:
        pick = self._random.choice
        batch, length, heads, width = pick((1, 1, 2, 8, 100)), pick(LENGTHS), pick((1, 2, 4, 10, 100)), pick((1, 2, 16))
        x, weights = (batch, length, heads * width), (heads * width, heads * width)
        split, scores = (batch, heads, length, width), (batch, heads, length, length)
        params = {name: self._array(weights) for name in ("wq", "wk", "wv", "wo", "gamma", "beta")}
        mask = self._array(pick(((length, length), (1, length), (length, 1), scores)))
        cache = {name: self._array(x) for name in ("x", "joined", "normalised", "mean", "std")} | {
            "heads": self._number(heads), "attention": {**{name: self._array(split) for name in "qkv"},
                                                        "weights": self._array(scores)}}
        return {"split_heads": (self._array(x), self._number(heads)), "merge_heads": (self._array(split),),
                "multihead": (self._array(x), params, self._number(heads), mask),
                "multihead_backward": (cache, params, self._array(x)),
                "layer_norm": (self._array(x), self._array(weights[:1]), self._array(weights[:1]), self._number(1)),
                }.get(function) or (cache, self._array(x))

    def _array(self, shape: tuple[int, ...]) -> Any:
        if self._random.random() < 0.1:
            shape = tuple(self._random.choices(LENGTHS, k=self._random.randrange(6)))
        while prod(max(1, length) for length in shape) > NUMBERS_OF_AN_ARRAY:
            at = shape.index(max(shape))
            shape = (*shape[:at], 1, *shape[at + 1:])
        made = np.zeros(shape, self._random.choice(KINDS))
        return made if self._random.random() < 0.95 or made.size > 1000 else made.tolist()

    def _number(self, usual: int) -> Any:
        return usual if self._random.random() < 0.6 else self._random.choice(NUMBERS)


@cache
def sources(name: str) -> list[str]:
    """The reference and everything that stands for a solution in an own test."""
    lesson = load_lesson(name)
    return list(dict.fromkeys([lesson.reference_source, *[
        one.make(lesson.reference_source) for exercise in lesson.exercises
        for one in exercise.implementations.values()]]))


def small_calls(lesson: Lesson, seed: int, count: int) -> Iterator[tuple[str, tuple[Any, ...]]]:
    made, functions = Hostile(seed), [one.name for one in lesson.exercises if not one.implementations]
    while count:
        function = made._random.choice(functions)
        arguments = made.arguments(function)
        if is_small(arguments):
            count -= 1
            yield function, arguments


@pytest.mark.parametrize("name", LESSONS)
@pytest.mark.parametrize("seed", [pytest.param(seed, marks=[pytest.mark.slow] * (seed > 0)) for seed in range(4)])
def test_a_small_call_takes_little_memory_and_comes_to_an_end(name: str, seed: int) -> None:
    """One that looped as often as a number says would never end."""
    subjects, answered = [LocalSubject(source) for source in sources(name)], 0
    tracemalloc.start()
    try:
        for function, arguments in small_calls(load_lesson(name), seed, 60):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                answered += sum(one.called(function, arguments).status == "answered" for one in subjects)
        most = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert most < MOST
    assert answered > 20
