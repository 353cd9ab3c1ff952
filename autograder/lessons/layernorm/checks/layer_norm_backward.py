"""layer_norm_backward: dy (B, T, C) -> dx (B, T, C), dgain (C,) and dbias (C,)."""
from typing import Any

import numpy as np

from autograder.kit import (
    TOLERANCE,
    Ask,
    Wrong,
    as_array,
    check,
    difference,
    equal,
    leaves_arguments,
    predicts_changes,
    same_again,
    same_shape,
    stays_as_it_was,
    text,
    triple,
)

from .. import probes
from ..probes import Case

#: one of these must be right before examples and properties earn points; dbias alone needs no layer norm
RIGHT = ("dx", "dgain")
NAMES = ("x", "gain", "bias")
AXES = {"x": "BTC", "gain": "C", "bias": "C"}


def gradients(value: Any) -> dict[str, Any]:
    """What layer_norm_backward returned, by the name of the array that each gradient belongs to."""
    return dict(zip(NAMES, triple(value, "layer_norm_backward", "dx, dgain, dbias"), strict=True))


def gradient(ask: Ask, case: Case, name: str) -> Any:
    """The student's gradient of x, gain or bias."""
    return gradients(ask.value(case.backward))[name]


def right_gradient(ask: Ask, case: Case, name: str) -> None:
    """The reference's gradient; in the world "own-derivative" the true derivative of the student's own forward."""
    got = gradient(ask, case, name)
    if ask.world == "own-derivative":
        predicts_changes(ask, case, name, got, f"d{name}", AXES[name])
    else:
        equal(got, gradients(ask.expected(case.backward))[name], AXES[name], f"d{name}")


def right_gradients(ask: Ask, case: Case) -> None:
    """All three gradients."""
    for name in NAMES:
        right_gradient(ask, case, name)


@check(text("N3: dx = [[0.5, 1.5, -1, -1], [1.04, -1.28, -0.72, 0.96]], dgain = [-28, 3, 0, 0] and "
            "dbias = [20, 3, 0, 0]"), "1/2", needs=RIGHT, shown=True)
def worked_example_n3(ask: Ask) -> None:
    """Every number of N3."""
    want = {"x": [[[0.5, 1.5, -1, -1], [1.04, -1.28, -0.72, 0.96]]], "gain": [-28, 3, 0, 0], "bias": [20, 3, 0, 0]}
    for name, numbers in want.items():
        equal(gradient(ask, probes.N3, name), np.array(numbers, dtype=float), AXES[name], f"d{name}", shown=True)


@check(text("dx is right: directly, through the mean and through the variance"), "3/2", derivative=True)
def dx(ask: Ask) -> None:
    """Two cases with all sizes different."""
    for case in (probes.GENERAL, probes.OTHER):
        right_gradient(ask, case, "x")


@check(text("dgain is right: a sum over batch and time"), "1", derivative=True)
def dgain(ask: Ask) -> None:
    """Two cases with all sizes different."""
    for case in (probes.GENERAL, probes.OTHER):
        right_gradient(ask, case, "gain")


@check(text("dbias is right: a sum over batch and time"), "1/2", derivative=True)
def dbias(ask: Ask) -> None:
    """Two cases with all sizes different."""
    for case in (probes.GENERAL, probes.OTHER):
        right_gradient(ask, case, "bias")


@check(text("The features of each token's dx add up to zero"), "1/4", needs=RIGHT)
def adds_up_to_zero(ask: Ask) -> None:
    """Raising all features of a token by the same amount changes nothing."""
    got = as_array(gradient(ask, probes.GENERAL, "x"), "dx")
    same_shape(got, probes.GENERAL, "x", "dx", "BTC")
    if not np.abs(got.sum(axis=-1)).max() <= 10 * TOLERANCE * np.abs(got).max():
        raise Wrong(text("the features of one token's dx do not add up to zero; but to raise all features of a token "
                         "by the same amount does not change y: which way back is missing?"))


@check(text("The gradients are right where eps decides"), "1/4", needs=RIGHT, derivative=True)
def eps(ask: Ask) -> None:
    """An eps of 0.5: std is not the standard deviation alone."""
    right_gradients(ask, probes.EPS)


@check(text("The gradients are right for one sequence of one token"), "1/4", needs=RIGHT, derivative=True)
def one_token(ask: Ask) -> None:
    """B = T = 1: no axis may get lost."""
    right_gradients(ask, probes.ONE_TOKEN)


@check(text("No averaging: the same sequence twice in the batch gives twice dgain and dbias"), "1/4", needs=RIGHT)
def no_averaging(ask: Ask) -> None:
    """Sums over batch and time; if there is a mean, it is in dy already."""
    for name in probes.PARAMS:
        once = as_array(gradient(ask, probes.ONE_SEQUENCE, name), f"d{name}")
        doubled = as_array(gradient(ask, probes.TWICE_THE_SEQUENCE, name), f"d{name}")
        if difference(doubled, 2.0 * np.asarray(once, dtype=float), "C", name) is not None:
            raise Wrong(text("with the same sequence twice in the batch, {name} is not twice what one sequence gives",
                             name=f"d{name}"))


@check(text("The gradients stay finite, and right, where all features of a token are equal"), "1/4", needs=RIGHT)
def constant_tokens(ask: Ask) -> None:
    """The variance is zero there; only eps is left below the root."""
    right_gradients(ask, probes.CONSTANT)


@check(text("All gradients agree with finite differences along random directions"), "1/4", needs=RIGHT,
       derivative=True)
def finite_differences(ask: Ask) -> None:
    """Of the reference's forward; in the world "own-derivative" of the student's own."""
    for name in NAMES:
        predicts_changes(ask, probes.OTHER, name, gradient(ask, probes.OTHER, name), f"d{name}", AXES[name],
                         reference=ask.world != "own-derivative")


@check(text("Whole numbers give floats, and the right ones"), "1/4", needs=RIGHT, derivative=True)
def whole_numbers(ask: Ask) -> None:
    """Integer x, gain, bias and dy."""
    right_gradients(ask, probes.WHOLE_NUMBERS)


@check(text("Numbers of single precision (float32) give the right floats too"), "1/8", needs=RIGHT)
def single_precision(ask: Ask) -> None:
    """float32 in, float32 or float64 out."""
    right_gradients(ask, probes.SINGLE_PRECISION)


@check(text("The cache and dy stay as they were"), "1/4", needs=RIGHT)
def keeps_arguments(ask: Ask) -> None:
    """Arrays, their shapes, everything in the cache."""
    leaves_arguments(ask, probes.GENERAL.backward, ("cache", "dy"))


@check(text("The same call gives the same answer again"), "1/8", needs=RIGHT, memory=True)
def same_answer_twice(ask: Ask) -> None:
    """Backward twice on one cache."""
    stays_as_it_was(ask, probes.GENERAL.backward, probes.SINGLE_PRECISION.backward)
    first, *others = [ask.value(call) for call in (probes.GENERAL.backward, *probes.GENERAL.backward_again)]
    for other in others:
        same_again(first, other, "layer_norm_backward")


@check(text("A large case (C = 128) is right, within the time of a derived gradient"), "1/4", needs=RIGHT,
       derivative=True)
def large_case(ask: Ask) -> None:
    """A derived gradient takes milliseconds, even with loops; nudging 25,000 numbers one by one takes too long."""
    right_gradients(ask, probes.LARGE)


CHECKS = (worked_example_n3, dx, dgain, dbias, adds_up_to_zero, eps, one_token, no_averaging, constant_tokens,
          finite_differences, whole_numbers, single_precision, keeps_arguments, same_answer_twice, large_case)
