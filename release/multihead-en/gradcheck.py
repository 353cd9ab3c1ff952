"""Compare your backward with finite differences of your forward, and read what your trial cannot see.

    from gradcheck import gradcheck
    gradcheck(multihead, multihead_backward, x, params, heads, allowed)

You choose the trial: x (B, T, C), params with wq, wk, wv and wo (C, C), heads, and the mask allowed (T, T).
The loss is the sum of dy * y, with a dy that gradcheck draws by itself. If forward and backward are wrong in the same
way, they agree here: gradcheck only compares them with each other. It computes in floats; what goes wrong with whole
numbers, it does not see.
"""
import numpy as np
from examples import answer, entries, pair, shape

MATRICES = ("wq", "wk", "wv", "wo")
STEP = 1e-5
MARGIN = 1e-6                                   # larger than the rounding, smaller than any real mistake


def gradcheck(forward, backward, x, params, heads, allowed, seed=0):
    """Print for each gradient whether it is right, and then what this trial cannot see. True if all is right."""
    x = np.array(x).astype(float)
    allowed = np.array(allowed, dtype=bool)
    try:
        params = {name: np.array(entries("params", params, MATRICES)[name], dtype=float) for name in MATRICES}
        right = _compare(forward, backward, x, params, heads, allowed, np.random.default_rng(seed))
    except AssertionError as error:
        print(error)
        return False
    for remark in blind_spots(x, params, heads, allowed):
        print("note:", remark)
    return right


def _compare(forward, backward, x, params, heads, allowed, rng):
    """Print for x and each matrix the largest difference from the finite difference."""
    def run(x, **matrices):
        matrices = {name: matrix.copy() for name, matrix in matrices.items()}
        y, cache = pair(forward.__name__, answer(forward, x.copy(), matrices, heads, allowed.copy()), "(y, cache)")
        shape("y", y, x.shape, "BTC")
        return y, cache

    y, cache = run(x, **params)
    dy = rng.normal(size=y.shape)
    given = {name: matrix.copy() for name, matrix in params.items()}
    dx, grads = pair(backward.__name__, answer(backward, cache, given, dy.copy()), "(dx, grads)")
    entries("grads", grads, MATRICES)
    shape("dx", dx, x.shape, "BTC")
    places, right = {"x": x, **params}, []
    for name, mine in {"x": dx, **{name: grads[name] for name in MATRICES}}.items():
        shape(f"the gradient of {name}", mine, places[name].shape, "BTC" if name == "x" else "rc")
        slopes = _differences(lambda **nudged: np.sum(dy * run(**{**places, **nudged})[0]), name, places[name])
        right.append(_report(name, mine, slopes))
    return all(right)


def _differences(loss, name, start):
    """The derivative of loss by each number of start: a nudge up, a nudge down, and divide by two nudges."""
    slopes = np.zeros(start.shape)
    for index in np.ndindex(start.shape):
        nudge = np.zeros(start.shape)
        nudge[index] = STEP
        slopes[index] = (loss(**{name: start + nudge}) - loss(**{name: start - nudge})) / (2 * STEP)
    return slopes


def _report(name, mine, slopes):
    """One line about this gradient, with the place of the largest difference; whether it is right."""
    difference = np.abs(mine - slopes)
    if (difference <= MARGIN * (1 + np.abs(slopes).max())).all():
        print(f"{name:>2}: right")
        return True
    place = np.unravel_index(np.argmax(np.nan_to_num(difference, nan=np.inf)), difference.shape)
    axes = ("sequence", "time step", "feature") if name == "x" else ("row", "column")
    where = ", ".join(f"{axis} {i}" for axis, i in zip(axes, place, strict=True))
    print(f"{name:>2}: wrong. At {where} your backward gives {mine[place]:.6f}; "
          f"the finite difference is {slopes[place]:.6f}")
    return False


def blind_spots(x, params, heads, allowed):
    """What this trial cannot see, a sentence for each blind spot; an empty list if we know of none."""
    B, T, C = x.shape
    return [*_about_keys(x, allowed), *_about_saturation(x, params, heads, allowed), *_about_mask(allowed),
            *_about_sizes({"B": B, "T": T, "H": heads, "d": C // heads}), *_about_matrices(params)]


def _about_keys(x, allowed):
    if (allowed.sum(axis=-1) == 1).all():
        yield ("each query may look at one key only. The weight is then always 1, whatever the score: "
               "about Q and K this trial says nothing.")
    elif np.allclose(x, x[:, :1]):
        yield ("all tokens of a sequence are equal. Then it makes no difference how you mix them: "
               "about Q and K this trial says nothing.")


def _about_saturation(x, params, heads, allowed):
    """Whether nearly every query with a choice gives all its weight to one key."""
    choice = allowed.sum(axis=-1) > 1
    B, T, C = x.shape
    q, k = ((x @ params[name]).reshape(B, T, heads, C // heads).swapaxes(1, 2) for name in ("wq", "wk"))
    scores = np.where(allowed, q @ k.swapaxes(-1, -2) / np.sqrt(C // heads), -np.inf)[:, :, choice]
    if scores.size:
        parts = np.exp(scores - scores.max(axis=-1, keepdims=True))
        if np.mean(1 / parts.sum(axis=-1) > 0.99) > 0.9:
            yield ("nearly all weights are 0 or 1. Then a nudge to a score changes nothing: about Q and K this trial "
                   "says next to nothing. Choose smaller numbers in x.")


def _about_mask(allowed):
    if len(allowed) == 1:
        return
    if allowed.all():
        yield "the mask is True everywhere: whoever forgets the mask does not notice."
    elif np.array_equal(allowed, allowed.T):
        yield "the mask is symmetric: whoever swaps rows and columns does not notice."


def _about_sizes(sizes):
    lost = {"B": "a mix-up of sequences, or an average over the batch, goes unnoticed",
            "T": "a mix-up of time steps, or an average over time, goes unnoticed",
            "H": "a mistake in splitting or joining goes unnoticed",
            "d": "a mistake inside a head, or in the scale √d, goes unnoticed"}
    for axis, size in sizes.items():
        if size == 1:
            yield f"{axis} = 1: {lost[axis]}."
    for first, second in (("B", "T"), ("B", "H"), ("T", "H"), ("T", "d"), ("H", "d")):
        if sizes[first] == sizes[second] > 1:
            yield f"{first} and {second} are both {sizes[first]}: swap those axes, and the shape is still right."


def _about_matrices(params):
    mirrored = [name for name in MATRICES if np.allclose(params[name], params[name].T)]
    if mirrored:
        yield f"symmetric matrices ({', '.join(mirrored)}): a forgotten or superfluous .T goes unnoticed there."
    for first, second in (("wq", "wk"), ("wq", "wv"), ("wk", "wv")):
        if np.allclose(params[first], params[second]):
            yield f"{first} and {second} are equal: if you swap them, nobody notices."
