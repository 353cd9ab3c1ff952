"""multihead_backward: dy (B, T, C) -> dx (B, T, C) and the gradients of the four matrices."""
from typing import Any

import numpy as np

from autograder.lessons.kit.compare import TOLERANCE, as_array, difference, relative_error
from autograder.lessons.kit.derivatives import predicts_changes
from autograder.lessons.kit.facts import entry, equal, for_these, leaves_arguments, pair, same_again, stays_as_it_was
from autograder.lessons.kit.lesson import Ask, Wrong, check
from autograder.lessons.multihead import probes
from autograder.lessons.multihead.checks.multihead import DRESSES
from autograder.lessons.multihead.probes import WEIGHTS, Case
from autograder.records import text

#: one of these must be right before examples and properties earn points; a right dwo alone needs no attention
RIGHT = ("dx", "dwq", "dwk", "dwv")
AXES = {"x": "BTC", **dict.fromkeys(WEIGHTS, "rc")}


def gradient(ask: Ask, case: Case, name: str) -> Any:
    """The student's gradient of x or of one matrix."""
    dx, grads = pair(ask.value(case.backward), "multihead_backward", "dx, grads")
    return dx if name == "x" else entry(grads, name, "grads")


def expected_gradient(ask: Ask, case: Case, name: str) -> np.ndarray:
    """The reference's gradient of the same."""
    dx, grads = ask.expected(case.backward)
    return dx if name == "x" else grads[name]


def title_of(name: str) -> str:
    return "dx" if name == "x" else f"grads['{name}']"


def right_gradient(ask: Ask, case: Case, name: str) -> None:
    """The reference's gradient; in the world "own-derivative" the true derivative of the student's own forward."""
    got = gradient(ask, case, name)
    if ask.world == "own-derivative":
        several = case is probes.GENERAL            # elsewhere one direction says enough
        predicts_changes(ask, case, name, got, title_of(name), AXES[name], directions=3 if several else 1)
    else:
        equal(got, expected_gradient(ask, case, name), AXES[name], title_of(name))


def right_gradients(ask: Ask, case: Case) -> None:
    """All of them."""
    for name in ("x", *WEIGHTS):
        right_gradient(ask, case, name)


@check(text("One token, the way back: dJ, dWO, dV and dWV as in the example, dX = [[[16, 10]]]"), "1/4", needs=RIGHT,
       shown=True, derivative=True)
def worked_example_w3(ask: Ask) -> None:
    """Every number of W3."""
    want = {"x": [[[16, 10]]], "wo": [[6, 10], [12, 20]], "wv": [[8, 5], [16, 10]],
            "wq": [[0, 0], [0, 0]], "wk": [[0, 0], [0, 0]]}
    for name, numbers in want.items():
        if ask.world == "own-derivative":
            right_gradient(ask, probes.W3, name)
            continue
        equal(gradient(ask, probes.W3, name), np.array(numbers, dtype=float), AXES[name], title_of(name), shown=True)


def route(ask: Ask, name: str) -> float:
    """What W4's X[0,0,0] receives through one projection, read from its gradient: inv(X.T) dW W.T."""
    dw = as_array(gradient(ask, probes.W4, name), title_of(name))
    if dw.shape != (2, 2):
        equal(dw, np.zeros((2, 2)), "rc", title_of(name), shown=True)
    return float((np.linalg.inv(probes.W4.x[0].T) @ dw @ probes.W4.params[name].T)[0, 0])


def right_route(ask: Ask, name: str, want: float) -> None:
    """The route is what the lesson prints, to 4 decimals."""
    if ask.world == "own-derivative":
        return right_gradient(ask, probes.W4, name)
    seen = route(ask, name)
    if not abs(seen - want) <= 6e-5:
        raise Wrong(text("X[0,0,0] receives {seen} through {name}, expected {want}",
                         name=name[1].upper(), seen=f"{seen:.4f}", want=f"{want:.4f}"))
    return None


@check(text("Three routes: the one through Q gives X[0,0,0] 0.4055"), "1/8", needs=RIGHT, shown=True, derivative=True)
def route_q(ask: Ask) -> None:
    """Read from the student's own dWQ."""
    right_route(ask, "wq", 0.4055)


@check(text("Three routes: the one through K gives X[0,0,0] 0.4055"), "1/8", needs=RIGHT, shown=True, derivative=True)
def route_k(ask: Ask) -> None:
    """Read from the student's own dWK."""
    right_route(ask, "wk", 0.4055)


@check(text("Three routes: the one through V gives X[0,0,0] 6.2509"), "1/8", needs=RIGHT, shown=True, derivative=True)
def route_v(ask: Ask) -> None:
    """Read from the student's own dWV."""
    right_route(ask, "wv", 6.2509)


@check(text("Three routes: dX[0,0,0] is 7.0619, their sum, and so on for all of dX"), "1/8",
       needs=RIGHT, shown=True, derivative=True)
def routes_are_added(ask: Ask) -> None:
    """The whole dX of W4, to 4 decimals."""
    if ask.world == "own-derivative":
        return right_gradient(ask, probes.W4, "x")
    dx = as_array(gradient(ask, probes.W4, "x"), "dx")
    want = np.array([[[7.0619, 5.2804], [2.2820, 0.0635]]])
    if dx.shape != want.shape or not np.abs(dx - want).max() <= 6e-5:
        equal(dx, want, "BTC", "dx", shown=True)
        raise Wrong(text("dx is {seen}, expected {want}", seen=str(np.round(dx, 4).tolist()), want=str(want.tolist())))
    return None


@check(text("With a single key, Q and K get no gradient"), "1/4", needs=RIGHT, derivative=True)
def single_key(ask: Ask) -> None:
    """A weight that is always one has no slope: dWQ = dWK = 0, while dWV is not zero.

    A forward that ignores the mask has more keys here; its own derivative is then what counts.
    """
    for name in ("wq", "wk"):
        if ask.world == "own-derivative":
            right_gradient(ask, probes.SINGLE_KEY, name)
            continue
        got = as_array(gradient(ask, probes.SINGLE_KEY, name), title_of(name))
        zeros = np.zeros(probes.SINGLE_KEY.array(name).shape)
        if got.shape != zeros.shape:
            equal(got, zeros, AXES[name], title_of(name))
        if not np.abs(got).max() <= TOLERANCE:
            raise Wrong(text("with one key per query the weight is always one, so {name} should be zero",
                             name=title_of(name)))
    right_gradient(ask, probes.SINGLE_KEY, "wv")


@check(text("dx is right: the routes through Q, K and V are added"), "5/4", derivative=True)
def dx(ask: Ask) -> None:
    """The general case."""
    right_gradient(ask, probes.GENERAL, "x")


@check(text("The gradient of wq is right"), "3/4", derivative=True)
def dwq(ask: Ask) -> None:
    """The general case, with several keys."""
    right_gradient(ask, probes.GENERAL, "wq")


@check(text("The gradient of wk is right"), "3/4", derivative=True)
def dwk(ask: Ask) -> None:
    """The general case, with several keys."""
    right_gradient(ask, probes.GENERAL, "wk")


@check(text("The gradient of wv is right"), "3/4", derivative=True)
def dwv(ask: Ask) -> None:
    """The general case."""
    right_gradient(ask, probes.GENERAL, "wv")


@check(text("The gradient of wo is right"), "1/2", derivative=True)
def dwo(ask: Ask) -> None:
    """The general case."""
    right_gradient(ask, probes.GENERAL, "wo")


@check(text("The gradients are right with one head, and with heads of one feature"), "1/8", needs=RIGHT,
       derivative=True)
def edges(ask: Ask) -> None:
    """H = 1, and d = 1."""
    for case in (probes.ONE_HEAD, probes.NARROW_HEADS):
        right_gradients(ask, case)


@check(text("The gradients are right where a token may not look at itself"), "1/8", needs=RIGHT, derivative=True)
def off_diagonal(ask: Ask) -> None:
    """The mask has False on its diagonal too."""
    right_gradients(ask, probes.OFF_DIAGONAL)


@check(text("The order of params, the layout of arrays in memory and float32 make no difference"), "1/8", needs=RIGHT,
       derivative=True)
def other_dress(ask: Ask) -> None:
    """Matrices go by their names, and numbers by their place."""
    try:
        right_gradients(ask, probes.ALL_OTHER)
    except Wrong:
        for kind, case in DRESSES:
            for_these(kind, lambda case=case: right_gradients(ask, case))
        raise


@check(text("Large scores (x times 60) still give finite gradients"), "1/8", needs=RIGHT, derivative=True)
def large_scores(ask: Ask) -> None:
    """The weights there are 0 or 1; the gradient of wv shows whether they survive a second softmax.

    A student's own forward that overflows has already lost its points for that.
    """
    own = ask.world == "own-derivative"
    got, want = (of(ask, probes.LARGE_SCORES, "wv") for of in (gradient, expected_gradient))
    if own and not np.isfinite(as_array(pair(ask.value(probes.LARGE_SCORES.forward), "multihead", "y, cache")[0],
                                        "y")).all():
        return right_gradient(ask, probes.GENERAL, "wv")
    for name in ("x", *WEIGHTS):
        if not np.isfinite(np.asarray(as_array(gradient(ask, probes.LARGE_SCORES, name), title_of(name)))).all():
            raise Wrong(text("{name} holds values that are not finite (nan or inf)", name=title_of(name)))
    if own:
        right_gradient(ask, probes.LARGE_SCORES, "wv")
    elif as_array(got, title_of("wv")).shape != want.shape or not relative_error(got, want) <= 1e-2:
        equal(got, want, AXES["wv"], title_of("wv"))
    return None


@check(text("All gradients agree with finite differences along random directions"), "1/8", needs=RIGHT,
       derivative=True)
def finite_differences(ask: Ask) -> None:
    """Of the reference's forward; in the world "own-derivative" of the student's own."""
    for name in ("x", *WEIGHTS):
        got = gradient(ask, probes.FULL_MASK, name)
        predicts_changes(ask, probes.FULL_MASK, name, got, title_of(name), AXES[name],
                         reference=ask.world != "own-derivative")


@check(text("No averaging: the same sequence twice in the batch gives twice the gradient"), "1/8", needs=RIGHT,
       derivative=True)
def no_averaging(ask: Ask) -> None:
    """Sums over batch and time; if there is a mean, it is in dy already."""
    for name in WEIGHTS:
        if ask.world == "own-derivative":
            right_gradient(ask, probes.TWICE_THE_SEQUENCE, name)
            continue
        once = as_array(gradient(ask, probes.ONE_SEQUENCE, name), title_of(name))
        twice = as_array(gradient(ask, probes.TWICE_THE_SEQUENCE, name), title_of(name))
        if difference(twice, 2.0 * np.asarray(once, dtype=float), "rc", name) is not None:
            raise Wrong(text("with the same sequence twice in the batch, {name} is not twice what one sequence gives",
                             name=title_of(name)))


@check(text("Whole numbers give floats, and the right ones"), "1/4", needs=RIGHT, derivative=True)
def whole_numbers(ask: Ask) -> None:
    """Integer x, matrices and dy, also of a kind in which a product has no room."""
    right_gradients(ask, probes.WHOLE_NUMBERS)
    for_these(text("for whole numbers of the kind {kind}", kind="int8"), lambda: right_gradients(ask, probes.BYTES))


@check(text("The cache, params and dy stay as they were"), "1/8", needs=RIGHT)
def keeps_arguments(ask: Ask) -> None:
    """Arrays, their shapes, the keys of params, everything in the cache."""
    leaves_arguments(ask, probes.GENERAL.backward, ("cache", "params", "dy"))


@check(text("The same call gives the same answer again"), "1/8", needs=RIGHT, memory=True)
def same_answer_twice(ask: Ask) -> None:
    """Backward twice on one cache."""
    stays_as_it_was(ask, probes.GENERAL.backward, probes.LARGE_SCORES.backward)
    first, *others = [ask.value(call) for call in (probes.GENERAL.backward, *probes.GENERAL.backward_again)]
    for other in others:
        same_again(first, other, "multihead_backward")


@check(text("A large case (C = 96) is right, within the time of a derived gradient"), "3/4", needs=RIGHT,
       derivative=True)
def large_case(ask: Ask) -> None:
    """An analytic backward takes milliseconds, even with loops; nudging 37,000 numbers one by one takes too long."""
    right_gradients(ask, probes.LARGE)


CHECKS = (worked_example_w3, route_q, route_k, route_v, routes_are_added, single_key, dx, dwq, dwk, dwv, dwo, edges,
          off_diagonal, other_dress, finite_differences, no_averaging, whole_numbers, large_scores, keeps_arguments,
          same_answer_twice, large_case)
