"""layer_norm: x (B, T, C) -> y (B, T, C) and the cache."""
from typing import Any

import numpy as np

from autograder.kit import (
    TOLERANCE,
    Ask,
    Call,
    Wrong,
    as_array,
    check,
    entry,
    equal,
    leaves_arguments,
    pair,
    relative_error,
    same_again,
    stays_as_it_was,
    text,
)

from .. import probes

#: one of these must be right before anything else earns points; a wrong scale shows in the first only
RIGHT = ("general", "centred")


def answer(ask: Ask, call: Call) -> tuple[Any, Any]:
    """y and the cache."""
    return pair(ask.value(call), "layer_norm", "y, cache")


def right_output(ask: Ask, case: probes.Case) -> None:
    """y is what the reference computes."""
    equal(answer(ask, case.forward)[0], ask.expected(case.forward)[0], "BTC", "y")


@check(text("N1: the first token becomes [-1.6667, 2, 1, 11.3333], the second [-1.4, -0.4, 0.6, 15.6]"), "1/4",
       needs=RIGHT, shown=True)
def worked_example_n1(ask: Ask) -> None:
    """Means 5 and 8, standard deviations 3 and 5, without eps."""
    want = np.array([[[-5 / 3, 2, 1, 34 / 3], [-1.4, -0.4, 0.6, 15.6]]])
    equal(answer(ask, probes.N1.forward)[0], want, "BTC", "y", shown=True)


@check(text("N2: with eps = 3 the first token becomes [-0.5, -0.5, 0.5, 0.5], and equal features become 0"), "1/4",
       needs=RIGHT, shown=True)
def worked_example_n2(ask: Ask) -> None:
    """Variance 1 and eps 3 make a root of 2."""
    want = np.array([[[-0.5, -0.5, 0.5, 0.5], [0, 0, 0, 0]]])
    equal(answer(ask, probes.N2.forward)[0], want, "BTC", "y", shown=True)


@check(text("Without gain and bias, the features of a token are its deviations from its own mean, times one factor"),
       "3/4")
def centred(ask: Ask) -> None:
    """Each token by itself; other checks see which factor."""
    got, want = as_array(answer(ask, probes.PLAIN.forward)[0], "y"), ask.expected(probes.PLAIN.forward)[0]
    if got.shape != want.shape or got.dtype.kind != "f":
        equal(got, want, "BTC", "y")
    with np.errstate(all="ignore"):
        factor = np.mean(got * want, axis=-1, keepdims=True)    # want has a mean square of one
        proportional = np.all(factor > 0) and relative_error(got, factor * want) <= TOLERANCE
    if not proportional:
        raise Wrong(text("the features of a token are not in proportion to its deviations from its own mean: over "
                         "which axis do you take the mean?"))


@check(text("y is right for several sequences and tokens"), "1/2")
def general(ask: Ask) -> None:
    """Two cases with all sizes different, and an eps too small to matter."""
    for case in (probes.GENERAL, probes.OTHER):
        right_output(ask, case)


@check(text("eps is added to the variance, before the root is taken"), "1/2", needs=RIGHT)
def eps(ask: Ask) -> None:
    """An eps of 0.5, large enough to matter."""
    right_output(ask, probes.EPS)


@check(text("y is right for one sequence of one token"), "1/4", needs=RIGHT)
def one_token(ask: Ask) -> None:
    """B = T = 1: no axis may get lost."""
    right_output(ask, probes.ONE_TOKEN)


@check(text("A token whose features are all equal becomes the bias"), "1/4", needs=RIGHT)
def constant_tokens(ask: Ask) -> None:
    """The variance is zero there, and eps keeps the division in order."""
    right_output(ask, probes.CONSTANT)


@check(text("y is still right if every number of x is a million larger"), "1/4", needs=RIGHT)
def far_away(ask: Ask) -> None:
    """mean(x ** 2) - mean(x) ** 2 loses all its digits there, and so does float32."""
    right_output(ask, probes.FAR_AWAY)


@check(text("Whole numbers give floats, and the right ones"), "1/4", needs=RIGHT)
def whole_numbers(ask: Ask) -> None:
    """Integer x, gain and bias."""
    for case in (probes.WHOLE_NUMBERS, probes.SMALL_INTEGERS):
        right_output(ask, case)


@check(text("Numbers of single precision (float32) give the right floats too"), "1/8", needs=RIGHT)
def single_precision(ask: Ask) -> None:
    """float32 in, float32 or float64 out."""
    right_output(ask, probes.SINGLE_PRECISION)


@check(text("The cache holds x_hat, std and gain for the way back"), "1/4", needs=RIGHT)
def cache(ask: Ask) -> None:
    """It may hold more."""
    got, want = answer(ask, probes.GENERAL.forward)[1], ask.expected(probes.GENERAL.forward)[1]
    for name, axes in (("x_hat", "BTC"), ("std", "BTC"), ("gain", "C")):
        equal(entry(got, name, "cache"), want[name], axes, f"cache['{name}']")


@check(text("x, gain and bias stay as they were"), "1/4", needs=RIGHT)
def keeps_arguments(ask: Ask) -> None:
    """Floats and whole numbers."""
    for case in (probes.GENERAL, probes.WHOLE_NUMBERS):
        leaves_arguments(ask, case.forward, ("x", "gain", "bias", "eps"))


@check(text("The same call gives the same answer again"), "1/8", needs=RIGHT)
def same_answer_twice(ask: Ask) -> None:
    """Nothing is remembered from one call to the next."""
    stays_as_it_was(ask, probes.OTHER.forward, probes.FAR_AWAY.forward)
    first = answer(ask, probes.GENERAL.forward)
    for again in probes.GENERAL.forward_again:
        same_again(first[0], answer(ask, again)[0], "layer_norm")


CHECKS = (worked_example_n1, worked_example_n2, centred, general, eps, one_token, constant_tokens, far_away,
          whole_numbers, single_precision, cache, keeps_arguments, same_answer_twice)
