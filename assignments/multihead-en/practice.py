"""For the cells in which you try something yourself: they say what they see, and give no points.

You need not read or change this file.
"""
import copy
import time

import numpy as np
from examples import all_hold, objection

LEFT = [[1, 0, 0, 1], [0, 1, 1, 0], [1, 1, -1, 0]]      # features 0 to 3 of the three cards: what head 0 sees
POWERS = np.exp([0.5, 0, 1.5])
WEIGHTS = POWERS / POWERS.sum()
UNSCALED = np.exp([1, 0, 3])
#: what each step of the calculation by hand gives; slips that we recognise; what to look at otherwise
STEPS = (
    ("the scores", [1, 0, 3], (
        ("These are the scores divided by √d already. That is the next step.", [0.5, 0, 1.5]),
        ("This is query times key 2, feature by feature. Add those four numbers up: that is one score.", [1, 1, 1, 0]),
        ("This is the sum of each key. Multiply by the query first, feature by feature.", [2, 2, 1]),
    ), "Each key gives one score: multiply by the query, feature by feature, and add the four products up."),
    ("the scaled scores", [0.5, 0, 1.5], (
        ("These are still the scores. Divide each of them by √d.", [1, 0, 3]),
        ("You divide by d. Divide by √d: d = 4, so by 2.", [0.25, 0, 0.75]),
        ("You divide by √C. A head is only d = 4 wide: divide by √4 = 2.", np.divide([1, 0, 3], 8 ** 0.5)),
    ), "Divide each score by √4 = 2."),
    ("the powers", POWERS, (
        ("This is exp of the scores. Take exp of the scaled scores.", UNSCALED),
        ("The power of 0 is 1, not 0: e to the power 0 is 1.", [POWERS[0], 0, POWERS[2]]),
    ), "The first is e to the power 0.5. Your calculator has a key eˣ, NumPy has np.exp."),
    ("the weights", WEIGHTS, (
        ("These are the weights without the scale √d. Do you use the right powers?", UNSCALED / UNSCALED.sum()),
        ("You divide by the largest. Divide by the sum of the three.", POWERS / POWERS.max()),
        ("You divide the scaled scores by their sum. Take exp first.", [0.25, 0, 0.75]),
    ), "Divide each power by the sum of all three. Together the weights are 1."),
    ("the mixture", WEIGHTS @ LEFT, (
        ("This is the plain average of the three cards. Each card counts as much as its weight says.",
         np.mean(LEFT, axis=0)),
        ("This is the sum of the three cards. Multiply each card by its own weight first.",
         np.sum(LEFT, axis=0)),
        ("This is card 2 alone. The other two cards take part as well.", LEFT[2]),
    ), "The first number is weight 0 times 1, plus weight 1 times 0, plus weight 2 times 1."),
)
ROUNDED = 0.006                                         # two decimals are enough


def by_hand(number, mine):
    """Say of step 1 to 5 whether it is right, and if not, what to look at."""
    name, expected, slips, advice = STEPS[number - 1]
    if mine is ...:
        print(f"○ Step {number}, {name}: still open.")
        return
    seen = _numbers(mine)
    if seen is None or seen.shape != np.shape(expected):
        known = [words for words, slip in slips if seen is not None and _equal(seen, slip)]
        _wrong(number, name, f"write {len(expected)} numbers, for instance {list(range(1, len(expected) + 1))}.",
               known[0] if known else advice)
    elif not _equal(seen, expected):
        known = [words for words, slip in slips if _equal(seen, slip)]
        place = int(np.argmax(~(np.abs(seen - expected) < ROUNDED)))
        _wrong(number, name, f"number {place} is {seen[place]:.3g}, and that is not right yet.",
               known[0] if known else advice)
    else:
        print(f"✓ Step {number}, {name}: right.")


def _wrong(number, name, what, advice):
    print(f"✗ Step {number}, {name}: {what}\n  {advice}")


def _numbers(mine):
    """What was filled in, as an array of floats; None if it holds something else."""
    try:
        return np.array(mine, dtype=float)
    except (TypeError, ValueError):
        return None


def _equal(seen, expected):
    return seen.shape == np.shape(expected) and bool((np.abs(seen - expected) < ROUNDED).all())


# --- find the mistake ----------------------------------------------------------------------------------------------

def tells_apart(said, own, wrong, *given, forward=None):
    """Say whether this input shows that `wrong` differs from your own function.

    `given` are the arguments of both. With `forward` they are x, params, heads, allowed and dy: your forward first
    makes the cache, and both get (cache, params, dy).
    """
    try:
        if forward is not None:
            *given, dy = given
            given = [forward(*given)[1], given[1], dy]
        mine = _numbered(own(*copy.deepcopy(given)))
    except NotImplementedError:
        print("○ This waits for your own functions: write those first.")
        return
    except Exception as error:
        print(f"✗ Your own {own.__name__} does not accept this input. It says {type(error).__name__}: {error}")
        return
    try:
        place = _difference(mine, _numbered(wrong(*copy.deepcopy(given))))
    except Exception as error:
        place = f"{wrong.__name__} stops with {type(error).__name__}: {error}"
    print(f"✓ This input tells them apart. {place}\n  You said: {said}" if place else
          f"✗ With this input {wrong.__name__} gives the same answer as your {own.__name__}.\n"
          "  What should be different in it for the mistake to show?")


def _numbered(answer):
    """The arrays of an answer by their name: y of (y, cache), dx and the gradients of (dx, grads)."""
    if not isinstance(answer, tuple):
        return {"": np.asarray(answer, dtype=float)}
    first, second = answer
    if "joined" in second:
        return {"y": np.asarray(first, dtype=float)}
    return {name: np.asarray(array, dtype=float) for name, array in {"dx": first, **second}.items()}


def _difference(mine, theirs):
    """Where the two differ first, in words; empty if they do not."""
    for name, array in mine.items():
        other = theirs[name]
        if array.shape != other.shape:
            return f"The shape is {other.shape} instead of {array.shape}."
        differ = ~np.isclose(array, other, rtol=1e-6, atol=1e-9)
        if differ.any():
            place = tuple(map(int, np.argwhere(differ)[0]))
            where = f"{name}{list(place)}" if name else str(list(place))
            return f"At {where} yours gives {array[place]:.4g}, the wrong one {other[place]:.4g}."
    return ""


# --- a score for own_test ------------------------------------------------------------------------------------------

SECONDS = 5.0                                           # for all the wrong versions together


def score(own_test, multihead, multihead_backward):
    """Say how many of twelve wrong versions of your own functions your test catches, and what it misses."""
    if not all_hold("split_heads", "merge_heads", "multihead", "multihead_backward"):
        print("○ The score waits for your own functions: the wrong versions are made of them. Run their examples "
              "until all of them hold.")
        return
    missed, caught, tried, ends = [], 0, 0, time.perf_counter() + SECONDS
    for group, wrong_ones in WRONG.items():
        here = [bool(objection(own_test, *wrong(multihead, multihead_backward))) for wrong in wrong_ones
                if time.perf_counter() < ends]
        caught, tried = caught + sum(here), tried + len(here)
        if not all(here):
            missed.append(f"  Not caught yet ({len(here) - sum(here)} of {len(here)}): {group}.")
    count = sum(map(len, WRONG.values()))
    print("\n".join([f"{'■' * caught}{'□' * (count - caught)} {caught} of {count} caught", *missed]))
    if tried < count:
        print(f"  After {SECONDS:g} seconds {tried} of them had been tried: your test is slow. Choose a smaller trial.")


def _forward(change):
    """A wrong version in which the forward gets other arguments, or its y is changed."""
    return lambda forward, backward: (lambda *given: change(forward, *given), backward)


def _backward(change):
    """A wrong version in which what the backward returns is changed; `without` are the routes that dx lacks."""
    def made(forward, backward):
        def wrong(cache, params, dy):
            dx, grads = backward(cache, params, dy)

            def without(*names):
                return backward(cache, {**params, **{name: np.zeros_like(params[name]) for name in names}}, dy)[0]

            return change(dx, grads, params, dy, without)
        return forward, wrong
    return made


def _swapped(forward, x, params, heads, allowed):
    """WO with the rows of the heads in reversed order: as if the heads were joined in that order."""
    rows = np.split(np.asarray(params["wo"]), heads)
    return forward(x, {**params, "wo": np.concatenate(rows[::-1])}, heads, allowed)


def _turned(forward, *given):
    """The time steps of y in reversed order."""
    y, cache = forward(*given)
    return y[:, ::-1], cache


def _cut(gradient, *given):
    """A gradient that was written into an array of whole numbers, if all of `given` are."""
    fractions = any(np.issubdtype(np.asarray(array).dtype, np.inexact) for array in given)
    return gradient if fractions else np.trunc(gradient)


def _all(grads, change):
    return {name: change(gradient) for name, gradient in grads.items()}


#: what goes wrong -> two wrong versions, each made from your own functions
WRONG = {
    "mistakes in the routes through Q and K, which you do not see with one key": (
        _forward(lambda own, x, params, *more: own(x, {**params, "wk": params["wq"]}, *more)),
        _backward(lambda dx, grads, params, dy, without: (
            without("wq", "wk"), {**grads, "wq": 0 * grads["wq"], "wk": 0 * grads["wk"]}))),
    "a route or gradient that is missing": (
        _backward(lambda dx, grads, params, dy, without: (without("wq", "wk"), grads)),
        _backward(lambda dx, grads, params, dy, without: (without("wv"), grads))),
    "an average over batch or time where a sum belongs": (
        _backward(lambda dx, grads, params, dy, without: (dx, _all(grads, lambda gradient: gradient / len(dy)))),
        _backward(lambda dx, grads, params, dy, without: (
            dx, _all(grads, lambda gradient: gradient / np.shape(dy)[1])))),
    "heads or time steps in the wrong order": (_forward(_swapped), _forward(_turned)),
    "a mask that is used wrongly or not at all": (
        _forward(lambda own, x, params, heads, allowed: own(x, params, heads, np.ones_like(allowed))),
        _forward(lambda own, x, params, heads, allowed: own(x, params, heads, np.transpose(allowed)))),
    "whole numbers, by which results are cut off along the way": (
        _backward(lambda dx, grads, params, dy, without: (_cut(dx, dy), grads)),
        _backward(lambda dx, grads, params, dy, without: (
            dx, {name: _cut(gradient, params[name]) for name, gradient in grads.items()}))),
}
