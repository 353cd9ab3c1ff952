"""The catalogue: every mistake is there, can be made, and shows in its own exercises and nowhere else."""
from __future__ import annotations

import copy
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pytest
from local import LESSON
from mistake_table import TABLE
from sampled import by_turns

from autograder.lessons.kit.lesson import Mistake, written
from autograder.lessons.multihead.mistakes.loops import LOOPS
from autograder.lessons.multihead.mistakes.own_attention import OWN

Functions = Mapping[str, Callable[..., Any]]
NAMES = ("wq", "wk", "wv", "wo")
EARLIER = ("split_heads", "merge_heads")
EXERCISES = (*EARLIER, "multihead", "multihead_backward")
MISTAKES = LESSON.mistakes
each_mistake = pytest.mark.parametrize("mistake", by_turns(MISTAKES, 3, 1), ids=lambda mistake: mistake.id)


def functions(source: str, **stand_ins: Callable[..., Any]) -> Functions:
    """What this source defines; it prints nowhere, and stand-ins replace its own functions."""
    namespace: dict[str, Any] = {"print": lambda *args: None}
    exec(compile(source, "mistake", "exec"), namespace)
    namespace.update(stand_ins)
    return namespace


REFERENCE = functions(LESSON.reference_source)


def arguments(seed: int, B: int, T: int, H: int, d: int, mask: str = "irregular") -> dict[str, Any]:
    """x, params, heads, allowed and dy of a case in which nothing is equal by accident."""
    rng = np.random.default_rng(seed)
    C = H * d
    masks = {"irregular": (rng.random((T, T)) < 0.5) | np.eye(T, dtype=bool), "full": np.ones((T, T), dtype=bool)}
    return {"x": rng.normal(size=(B, T, C)), "params": {name: rng.normal(size=(C, C)) / np.sqrt(C) for name in NAMES},
            "heads": H, "allowed": masks[mask], "dy": rng.normal(size=(B, T, C))}


def whole_numbers(case: dict[str, Any]) -> dict[str, Any]:
    """The same case in small integers."""
    params = {name: np.round(2 * w).astype(int) for name, w in case["params"].items()}
    return {**case, "x": np.round(case["x"]).astype(int), "params": params, "dy": np.round(3 * case["dy"]).astype(int)}


GENERAL = arguments(1, B=2, T=5, H=3, d=4)
CASES = {"general": GENERAL, "full": arguments(2, B=3, T=4, H=2, d=5, mask="full"),
         "one head": arguments(3, B=2, T=4, H=1, d=3), "whole numbers": whole_numbers(arguments(4, B=2, T=4, H=3, d=2))}
LARGE_SCORES = {**GENERAL, "x": GENERAL["x"] * 60}
SPLITS = [(GENERAL["x"], heads) for heads in (3, 1, 12, 5, 8, 0, -2, True, 2.0, 2.7)] + [
    (np.arange(8).reshape(1, 2, 4), 2), (np.ones((5, 12)), 3), (np.ones((2, 5, 2, 12)), 3)]
MERGES = [(np.random.default_rng(5).normal(size=shape),) for shape in ((2, 3, 5, 4), (1, 2, 3, 2), (3, 5, 4))]


# --- what a function does ------------------------------------------------------------------------------------------

def answer(function: Callable[..., Any], *args: Any) -> list[Any]:
    """What it returned or how it failed, and whether it changed its arguments, flattened."""
    before = copy.deepcopy(args)
    try:
        with np.errstate(all="ignore"):
            value = flat(copy.deepcopy(function(*args)))
    except (ValueError, TypeError, AssertionError):
        value = ["refused"]
    except Exception as error:
        value = [type(error).__name__]
    return [*value, "unchanged" if alike(flat(before), flat(args)) else "changed"]


def flat(value: Any) -> list[Any]:
    """Arrays, names and other leaves of an answer; what stands under "attention" is the student's own affair."""
    if isinstance(value, dict):
        return [leaf for key in sorted(value) for leaf in (key, *flat(value[key]))]
    if isinstance(value, (tuple, list)):
        return [type(value), *(leaf for part in value for leaf in flat(part))]
    return [value]


def alike(one: list[Any], other: list[Any]) -> bool:
    """The same leaves: arrays of one shape and kind of numbers that differ by less than a millionth."""
    return len(one) == len(other) and all(map(same_leaf, one, other))


def same_leaf(one: Any, other: Any) -> bool:
    if not isinstance(one, np.ndarray) or not isinstance(other, np.ndarray):
        return type(one) is type(other) and one == other
    if one.shape != other.shape or one.dtype.kind != other.dtype.kind:
        return False
    return bool(np.linalg.norm(1.0 * one - other) <= 1e-6 * np.linalg.norm(1.0 * other))


def forward(of: Functions, case: dict[str, Any]) -> Any:
    return of["multihead"](*(copy.deepcopy(case[name]) for name in ("x", "params", "heads", "allowed")))


def told(y: Any, cache: Any) -> tuple[Any, ...]:
    """y, and of the cache what the task names."""
    return y, *(cache[name] for name in ("x", "heads", "joined"))


def split_heads(of: Functions, cached: Functions) -> list[Any]:
    return [leaf for args in SPLITS for leaf in answer(of["split_heads"], *copy.deepcopy(args))]


def merge_heads(of: Functions, cached: Functions) -> list[Any]:
    return [leaf for args in MERGES for leaf in answer(of["merge_heads"], *copy.deepcopy(args))]


def multihead(of: Functions, cached: Functions) -> list[Any]:
    """Every case, large scores, and the general case once more."""
    def ask(*args: Any) -> Any:
        return told(*of["multihead"](*args))
    cases = (*CASES.values(), LARGE_SCORES, GENERAL)
    asked = [copy.deepcopy([case[name] for name in ("x", "params", "heads", "allowed")]) for case in cases]
    return [leaf for args in asked for leaf in answer(ask, *args)]


def multihead_backward(of: Functions, cached: Functions) -> list[Any]:
    """Every case twice on one cache, with the caches of all cases made beforehand by `cached`."""
    try:
        with np.errstate(all="ignore"):
            caches = [forward(cached, case)[1] for case in CASES.values()]
    except Exception as error:
        return [type(error).__name__]
    asked = [(cache, *copy.deepcopy((case["params"], case["dy"])))
             for cache, case in zip(caches, CASES.values(), strict=True) for _ in "12"]
    return [leaf for args in asked for leaf in answer(of["multihead_backward"], *args)]


BEHAVIOUR = {function.__name__: function for function in (split_heads, merge_heads, multihead, multihead_backward)}
RIGHT = {name: behaviour(REFERENCE, REFERENCE) for name, behaviour in BEHAVIOUR.items()}


def shows(exercise: str, of: Functions, cached: Functions) -> bool:
    """Whether the exercise's function does anything else than the reference's."""
    return not alike(BEHAVIOUR[exercise](of, cached), RIGHT[exercise])


def is_own_derivative(of: Functions) -> bool:
    """Whether backward is the true derivative of the forward beside it, along random directions."""
    rng = np.random.default_rng(6)
    dx, grads = of["multihead_backward"](forward(of, GENERAL)[1], GENERAL["params"], GENERAL["dy"])
    steps = {name: 1e-5 * rng.normal(size=w.shape) for name, w in GENERAL["params"].items()}
    step = 1e-5 * rng.normal(size=dx.shape)
    up, down = (forward(of, {**GENERAL, "x": GENERAL["x"] + sign * step,
                             "params": {name: w + sign * steps[name] for name, w in GENERAL["params"].items()}})[0]
                for sign in (1, -1))
    predicted = np.vdot(dx, step) + sum(np.vdot(grads[name], steps[name]) for name in NAMES)
    return bool(np.isclose(2 * predicted, np.vdot(GENERAL["dy"], up - down), rtol=1e-5, atol=0))


# --- the catalogue -------------------------------------------------------------------------------------------------

def test_every_mistake_that_the_catalogue_began_with_is_there() -> None:
    assert {line.split()[0] for line in TABLE.strip().splitlines()} <= {mistake.id for mistake in MISTAKES}


@pytest.mark.parametrize("word", ["id", "hint"])
def test_no_two_mistakes_share_an_id_or_a_hint(word: str) -> None:
    seen = Counter(str(getattr(mistake, word)) for mistake in MISTAKES)
    assert [value for value, times in seen.items() if times > 1] == []


def test_every_mistake_has_words_and_known_exercises() -> None:
    for mistake in MISTAKES:
        assert mistake.why.strip(), mistake.id
        assert len(mistake.hint.template) > 10, mistake.id
        assert mistake.hint.template.endswith((".", "?")), mistake.id
        assert mistake.exercises, mistake.id
        assert set(mistake.exercises) <= set(EXERCISES), mistake.id


@pytest.mark.parametrize("code", [OWN, LOOPS], ids=["own attention", "loops"])
@pytest.mark.parametrize("exercise", EXERCISES)
def test_the_solutions_that_are_changed_are_right_themselves(code: str, exercise: str) -> None:
    of = functions(written(code)(LESSON.reference_source))
    assert not shows(exercise, of, of)


@each_mistake
def test_a_mistake_shows_in_its_own_exercises_and_nowhere_else(mistake: Mistake) -> None:
    of = functions(mistake.make(LESSON.reference_source))
    helped = functions(mistake.make(LESSON.reference_source), **{name: REFERENCE[name] for name in EARLIER})
    for exercise in EXERCISES:
        seen = [shows(exercise, of, of)]
        if exercise not in EARLIER:
            seen.append(shows(exercise, helped, REFERENCE))
        if exercise in mistake.exercises and mistake.advice is None:
            assert all(seen), f"{exercise} does what the reference does"
        elif all(seen):
            assert exercise == "multihead_backward", f"{exercise} is wrong too"
            assert is_own_derivative(of), "backward belongs to no forward"


def test_a_habit_is_seen_where_a_mistake_is_not() -> None:
    habits = {mistake.id: functions(mistake.make(LESSON.reference_source))
              for mistake in MISTAKES if mistake.advice is not None}
    assert set(habits) == {"float32-downcast", "cache-x-alias"}
    y = forward(habits["float32-downcast"], GENERAL)[0]
    assert not np.allclose(y, forward(REFERENCE, GENERAL)[0], rtol=1e-12, atol=1e-12)
    for of, shared in ((habits["cache-x-alias"], True), (REFERENCE, False)):
        x = GENERAL["x"].copy()
        cache = of["multihead"](x, GENERAL["params"], 3, GENERAL["allowed"])[1]
        assert np.shares_memory(cache["x"], x) is shared
