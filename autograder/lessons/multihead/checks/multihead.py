"""multihead: x (B, T, C) -> y (B, T, C) and the cache."""
from typing import Any

import numpy as np

from autograder.lessons.kit.compare import as_array, relative_error
from autograder.lessons.kit.facts import entry, equal, for_these, leaves_arguments, pair, same_again, stays_as_it_was
from autograder.lessons.kit.lesson import Ask, Wrong, check
from autograder.lessons.kit.picture import picture_of
from autograder.lessons.multihead import probes
from autograder.records import Call, text

#: a hidden case with several keys and several heads must be right before examples and properties earn points
RIGHT = ("irregular-mask", "full-mask", "narrow-heads")


def answer(ask: Ask, call: Call) -> tuple[Any, Any]:
    """y and the cache."""
    return pair(ask.value(call), "multihead", "y, cache")


def right_output(ask: Ask, call: Call) -> None:
    """y is what the reference computes."""
    equal(answer(ask, call)[0], ask.expected(call)[0], "BTC", "y")


@check(text("One token: J = [2, 4] and Y = [[[2, 6]]]"), "1/4", needs=RIGHT, shown=True)
def worked_example_w2(ask: Ask) -> None:
    """One key: shows the V and output projections, and nothing of Q and K."""
    y, _ = answer(ask, probes.W2)
    equal(y, np.array([[[2.0, 6.0]]]), "BTC", "y", shown=True)


_MASKS = {"full": text("a full mask"), "causal": text("a causal mask")}


@check(text("Three cards: token 2 with 1, 2, 4 and 8 heads, with a full and with a causal mask"), "1/4",
       needs=RIGHT, shown=True)
def worked_example_w6(ask: Ask) -> None:
    """The lesson's picture, to the three decimals printed there."""
    want = {1: [0.913, 0.877, -0.703, 0.123, 0.457, 0.438, 0.666, 0.703],
            2: [0.860, 0.769, -0.488, 0.231, 0.429, 0.429, 0.576, 0.576], 4: [0.752, 0.752], 8: [0.845]}
    for (heads, mask), call in probes.W6.items():
        y = as_array(answer(ask, call)[0], "y")
        if y.shape != (1, 3, 8):
            equal(y, np.zeros((1, 3, 8)), "BTC", "y", shown=True)
        seen = y[0, 2, :len(want[heads])]
        if not np.abs(seen - want[heads]).max() <= 6e-4:        # they are printed to 3 decimals
            rounded = str(np.round(seen, 3).tolist())
            raise Wrong(text("with H = {heads} ({mask}) token 2 gives {seen}, expected {want}",
                             heads=heads, mask=_MASKS[mask], seen=rounded, want=str(want[heads])),
                        picture_of(np.round(seen, 3), np.array(want[heads]), "d", f"y[0, 2, :{len(seen)}]", shown=True))


@check(text("y is right for several heads and keys, with an irregular mask"), "5/4")
def irregular_mask(ask: Ask) -> None:
    """The general case: B=2, T=5, H=3, d=4, no matrix its own mirror image."""
    right_output(ask, probes.GENERAL.forward)


@check(text("y is right when every token may look at every token"), "3/4")
def full_mask(ask: Ask) -> None:
    """Other sizes, a mask of ones."""
    right_output(ask, probes.FULL_MASK.forward)


@check(text("y is right when every head is one feature wide"), "1/2")
def narrow_heads(ask: Ask) -> None:
    """d = 1, causal: here a wrong power of d in the scale does not show."""
    right_output(ask, probes.NARROW_HEADS.forward)


@check(text("y is right with one head"), "1/4")
def one_head(ask: Ask) -> None:
    """Several keys, a single head, causal."""
    right_output(ask, probes.ONE_HEAD.forward)


@check(text("y is right with one token and several sequences"), "1/8", needs=RIGHT)
def one_token(ask: Ask) -> None:
    """T = 1, B = 3: a single key shows nothing of Q and K, so it earns points only together with a right value."""
    right_output(ask, probes.ONE_TOKEN.forward)


@check(text("y is right where a token may not look at itself"), "1/8", needs=RIGHT)
def off_diagonal(ask: Ask) -> None:
    """The mask decides, not a habit: it has False on its diagonal too."""
    right_output(ask, probes.OFF_DIAGONAL.forward)


#: what should make no difference -> a case for it
DRESSES = ((text("with params in another order"), probes.OTHER_ORDER),
           (text("with arrays laid out differently in memory"), probes.OTHER_LAYOUT),
           (text("with numbers of single precision (float32)"), probes.SINGLE_PRECISION))


@check(text("The order of params, the layout of arrays in memory and float32 make no difference"), "1/8", needs=RIGHT)
def other_dress(ask: Ask) -> None:
    """Matrices go by their names, and numbers by their place."""
    try:
        right_output(ask, probes.ALL_OTHER.forward)
    except Wrong:
        for kind, case in DRESSES:
            for_these(kind, lambda case=case: right_output(ask, case.forward))
        raise


@check(text("The cache holds x, heads and joined (J) for the way back"), "1/2", needs=RIGHT)
def cache(ask: Ask) -> None:
    """What students keep under "attention" is up to them."""
    case = probes.GENERAL
    _, got = answer(ask, case.forward)
    _, want = ask.expected(case.forward)
    for name in ("x", "joined"):
        equal(entry(got, name, "cache"), want[name], "BTC", f"cache['{name}']")
    heads = entry(got, "heads", "cache")
    if isinstance(heads, bool) or not np.array_equal(heads, case.heads):
        raise Wrong(text("cache['heads'] is not the number of heads that was given"))


@check(text("Whole numbers give floats, and the right ones"), "1/4", needs=RIGHT)
def whole_numbers(ask: Ask) -> None:
    """Integer x and matrices, also of kinds in which a product has no room."""
    right_output(ask, probes.WHOLE_NUMBERS.forward)
    for case in (probes.BYTES, probes.UNSIGNED):
        for_these(text("for whole numbers of the kind {kind}", kind=str(case.x.dtype)),
                  lambda case=case: right_output(ask, case.forward))


@check(text("Large scores (x times 60) still give finite numbers"), "1/4", needs=RIGHT)
def large_scores(ask: Ask) -> None:
    """Right to 1e-2 only: a float32 score of thousands is off by 1e-4, and so are its weights."""
    call = probes.LARGE_SCORES.forward
    got, want = as_array(answer(ask, call)[0], "y"), ask.expected(call)[0]
    if got.shape != want.shape or not relative_error(got, want) <= 1e-2:
        equal(got, want, "BTC", "y")


@check(text("x, params and the mask stay as they were"), "1/4", needs=RIGHT)
def keeps_arguments(ask: Ask) -> None:
    """Arrays, their shapes, the keys of params, the mask."""
    leaves_arguments(ask, probes.GENERAL.forward, ("x", "params", "heads", "allowed"))
    for case in (probes.FULL_MASK, probes.OFF_DIAGONAL):
        leaves_arguments(ask, case.forward, ("x", "params", "heads", "allowed"))


@check(text("The same call gives the same answer again"), "1/8", needs=RIGHT)
def same_answer_twice(ask: Ask) -> None:
    """Nothing is remembered from one call to the next."""
    stays_as_it_was(ask, probes.GENERAL.forward, probes.LARGE_SCORES.forward)
    first = answer(ask, probes.GENERAL.forward)
    for again in probes.GENERAL.forward_again:
        same_again(first[0], answer(ask, again)[0], "multihead")


CHECKS = (worked_example_w2, worked_example_w6, irregular_mask, full_mask, narrow_heads, one_head, one_token,
          off_diagonal, other_dress, cache, whole_numbers, large_scores, keeps_arguments, same_answer_twice)
