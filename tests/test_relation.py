"""One simple thing that turns the right array into the one that was given: named where it is so, and nowhere else."""
from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from autograder.lessons.kit.relation import misshapen, turned_into
from autograder.locale.language import translate
from autograder.sandbox.wire.plain import LARGE_ARRAY, TOGETHER, without_large
from autograder.sandbox.wire.wire import Unplain

AXES = "BHTd"
WANT = np.random.default_rng(5).normal(size=(2, 3, 5, 4))
EVERYWHERE: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "no-negatives": lambda a: a.clip(min=0), "no-positives": lambda a: a.clip(max=0), "absolute": np.abs,
    "tanh": np.tanh, "exp": np.exp, "squared": np.square, "cut-off": np.trunc, "floor": np.floor,
    "rounded-1": lambda a: a.round(1), "bounded": lambda a: a.clip(-0.7, 0.9), "shifted": lambda a: a + 0.3}
ALONG: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "reversed": lambda a: a[::-1], "repeated": lambda a: np.repeat(a[:1], len(a), 0),
    "zeros": lambda a: a * (np.arange(len(a)) > 0)[:, None, None, None],
    "mean": lambda a: a.mean(0, keepdims=True) + 0 * a, "less-mean": lambda a: a - a.mean(0, keepdims=True),
    "sum": lambda a: a.sum(0, keepdims=True) + 0 * a, "running-sum": lambda a: a.cumsum(0),
    "scaled": lambda a: a * (np.arange(len(a)) + 2.0)[:, None, None, None], "added": lambda a: a + a[:1] ** 2,
    "sorted": lambda a: np.sort(a, axis=0)}


@pytest.mark.parametrize("id", EVERYWHERE)
def test_what_happens_to_every_number_is_named(id: str) -> None:
    found = turned_into(EVERYWHERE[id](WANT), WANT, AXES)
    assert found is not None
    assert found[0] == id


@pytest.mark.parametrize("letter", AXES)
@pytest.mark.parametrize("id", ALONG)
def test_what_happens_along_one_axis_is_named(id: str, letter: str) -> None:
    axis = AXES.index(letter)
    found = turned_into(np.moveaxis(ALONG[id](np.moveaxis(WANT, axis, 0)), 0, axis), WANT, AXES)
    assert found is not None
    assert found[0] == f"{id}-{letter}"
    assert "{" not in translate(found[1], "nl") + translate(found[1], "en")


@pytest.mark.parametrize("axes", ["NDXY", "N", ""])
@pytest.mark.parametrize("id", ALONG)
def test_an_axis_with_any_letter_or_none_is_named_too(id: str, axes: str) -> None:
    found = turned_into(np.moveaxis(ALONG[id](np.moveaxis(WANT, 2, 0)), 0, 2), WANT, axes)
    assert found is not None
    name = axes[2:3] or "2"
    assert found[0] == f"{id}-{name}"
    assert f"axis {name}" in translate(found[1], "en")
    assert f"as {name}" in translate(found[1], "nl")


@pytest.mark.parametrize("got", [
    WANT, WANT + 1e-9, 3 * WANT, -WANT / 7,
    WANT * np.nan, WANT[:1], np.zeros_like(WANT), np.random.default_rng(6).normal(size=WANT.shape),
    np.cbrt(WANT), WANT @ np.random.default_rng(7).normal(size=(4, 4)),
    WANT + np.random.default_rng(8).normal(size=WANT.shape)])
def test_nothing_is_said_of_what_is_right_or_like_nothing(got: np.ndarray) -> None:
    assert turned_into(got, WANT, AXES) is None


OTHER_SHAPES: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "not-reshaped": lambda a: a.reshape(2, 5, 12), "axes-BTHd": lambda a: a.swapaxes(1, 2),
    "only-first-B": lambda a: a[0], "only-last-T": lambda a: a[:, :, -1:], "added-up-H": lambda a: a.sum(1),
    "averaged-d": lambda a: a.mean(-1), "without-last-T": lambda a: a[:, :, :-1],
    "without-first-H": lambda a: a[:, 1:], "unsqueezed": lambda a: a[None],
    "not-summed": lambda a: np.stack([0.3 * a, 0.7 * a])}


@pytest.mark.parametrize("id", OTHER_SHAPES)
def test_an_array_of_another_shape_is_what_was_done_to_it(id: str) -> None:
    found = misshapen(OTHER_SHAPES[id](WANT), WANT, AXES)
    assert found is not None
    assert found[0] == id


def test_axes_of_length_1_that_are_gone_are_named() -> None:
    want = WANT[:, :1]
    found = misshapen(want.squeeze(), want, AXES)
    assert found is not None
    assert found[0] == "squeezed"


@pytest.mark.parametrize("got", [WANT, WANT + 1, WANT[0] + 1, np.zeros((2, 3)), WANT.reshape(-1)[::-1], np.zeros(0)])
def test_nothing_is_said_of_a_shape_that_is_right_or_like_nothing(got: np.ndarray) -> None:
    assert misshapen(got, WANT, AXES) is None


def test_what_lies_deepest_makes_way_first() -> None:
    """Many small arrays in a cache are like a large one: y stays, what only the student reads goes."""
    y, copies = np.ones(1000), [np.ones(10_000) for _ in range(2 * TOGETHER // 80_000)]
    shown, cache = without_large((y, {"copies": copies, "joined": y}))
    assert shown is y
    assert cache["joined"] is y
    gone = [isinstance(one, Unplain) and one.type == LARGE_ARRAY for one in cache["copies"]]
    assert gone[0] is False
    assert gone[-1] is True
