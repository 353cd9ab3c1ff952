"""Comparison: shape, kind and finiteness first, then norm-wise; NaN loses, and hidden numbers stay hidden."""
import numpy as np
import pytest

from autograder.lessons.kit.compare import NotPlain, difference, relative_error
from autograder.locale.language import translate
from autograder.records import Opaque

WANT = np.random.default_rng(1).normal(size=(2, 3, 4))


def why(got: object, want: np.ndarray = WANT, axes: str = "BTC", **options: bool) -> str | None:
    found = difference(got, want, axes, "y", **options)
    return None if found is None else found.template


@pytest.mark.parametrize("got", [WANT, WANT.astype(np.float32), np.asfortranarray(WANT), WANT * (1 + 1e-7)])
def test_rounding_precision_and_memory_order_do_not_matter(got: np.ndarray) -> None:
    assert why(got) is None


def test_float16_is_not_precise_enough() -> None:
    assert why(WANT.astype(np.float16)) is not None


def test_a_shape_that_would_broadcast_is_wrong() -> None:
    assert "shape" in why(np.zeros((3, 1)), np.zeros((3, 3)), "rc")


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_nan_and_inf_are_never_close(value: float) -> None:
    got = WANT.copy()
    got[0, 0, 0] = value
    assert "not finite" in why(got)
    assert not relative_error(got, WANT) <= 1e9


def test_integers_are_no_floats_even_when_equal() -> None:
    whole = np.round(WANT)
    assert "expected floats" in why(whole.astype(int), whole)


def test_complex_numbers_are_no_floats() -> None:
    assert "expected floats" in why(WANT.astype(complex))


def test_integers_are_fine_where_integers_are_expected() -> None:
    assert why(np.arange(3.0), np.arange(3), "C") is None


@pytest.mark.parametrize(("got", "opaque"), [(None, False), ((WANT,), False), ({}, False), (Opaque("list"), True)])
def test_what_is_no_array_is_said_to_be_none(got: object, opaque: bool) -> None:
    with pytest.raises(NotPlain) as caught:
        difference(got, WANT, "BTC", "y")
    assert caught.value.opaque is opaque


@pytest.mark.parametrize(("index", "sentence", "axis", "number"), [
    ((1,), "only {axis} {index} differs (counting from 0)", "sequence", 1),
    ((slice(None), 2), "only {axis} {index} differs (counting from 0)", "time step", 2),
    ((slice(None), slice(None), 0), "only {axis} {index} differs (counting from 0)", "feature", 0),
    ((slice(None), [0, 1]), "only {axis} {index} is right (counting from 0)", "time step", 2),
])
def test_the_place_is_named_by_axis(index: tuple, sentence: str, axis: str, number: int) -> None:
    got = WANT.copy()
    got[index] += 1
    where = difference(got, WANT, "BTC", "y").values["where"]
    assert (where.template, where.values["axis"].template, where.values["index"]) == (sentence, axis, number)


def test_a_constant_factor_is_recognised() -> None:
    assert "constant" in difference(WANT / 2, WANT, "BTC", "y").values["where"].template


def test_hidden_numbers_never_appear_and_shown_ones_do() -> None:
    got = WANT.copy()
    got[1, 2, 3] = 7.125
    hidden = str(difference(got, WANT, "BTC", "y"))
    assert "7.125" not in hidden
    assert f"{WANT[1, 2, 3]:.5g}" not in hidden
    assert translate(difference(got, WANT, "BTC", "y", shown=True), "en") == (
        f"y[1, 2, 3] is 7.125, expected {WANT[1, 2, 3]:.5g} (sequence 1, time step 2, feature 3)")


def test_a_single_number_has_no_place() -> None:
    assert translate(difference(1.5, np.array(2.0), "", "loss", shown=True), "en") == "loss is 1.5, expected 2"


def test_a_matrix_has_the_shape_that_the_notebook_calls_it() -> None:
    assert translate(difference(np.zeros((1, 2, 2)), np.zeros((2, 2)), "rc", "grads['wq']"), "en") == (
        "grads['wq'] has shape (1, 2, 2), expected (2, 2) = (C, C)")


def test_zero_is_not_close_to_something_small_but_expected() -> None:
    assert why(np.zeros_like(WANT), WANT * 1e-8) is not None


def test_rounding_near_zero_is_close_to_zero() -> None:
    assert why(np.full((2, 2), 1e-17), np.zeros((2, 2)), "rc") is None


def test_the_name_of_a_type_of_the_students_own_is_never_shown() -> None:
    with pytest.raises(NotPlain) as caught:
        difference(Opaque("0.123 hidden"), WANT, "BTC", "y")
    assert "0.123" not in str(caught.value.why)
