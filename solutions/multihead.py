"""The reference: multi-head attention in NumPy, forward and backward.

Axes: B batch, T time (tokens), C model width (features), H heads, d = C / H head width.
No biases anywhere, so that every parameter's route stays visible.
"""
import numpy as np
from attention import attention, attention_backward


def split_heads(x, heads):
    """Cut the feature axis into heads: (B, T, C) -> (B, H, T, d), d = C / H.

    Raises ValueError or TypeError unless x has three axes and heads is a positive integer that divides C.
    """
    if isinstance(heads, bool) or not isinstance(heads, (int, np.integer)):
        raise TypeError(f"heads must be an integer, got {type(heads).__name__}")
    if x.ndim != 3:
        raise ValueError(f"x must have the three axes (B, T, C), got shape {x.shape}")
    B, T, C = x.shape
    if heads < 1 or C % heads != 0:
        raise ValueError(f"heads must be positive and divide the {C} features, got {heads}")
    x = x.reshape(B, T, heads, C // heads)              # (B, T, H, d)
    return x.swapaxes(1, 2)                             # (B, H, T, d)


def merge_heads(h):
    """Join the heads again, the inverse of split_heads: (B, H, T, d) -> (B, T, C), C = H * d.

    Raises ValueError unless h has four axes.
    """
    if h.ndim != 4:
        raise ValueError(f"h must have the four axes (B, H, T, d), got shape {h.shape}")
    B, H, T, d = h.shape
    h = h.swapaxes(1, 2)                                # (B, T, H, d)
    return h.reshape(B, T, H * d)                       # (B, T, C)


def multihead(x, params, heads, allowed):
    """Mix the tokens of x in several heads: (B, T, C) -> y (B, T, C) and the cache for multihead_backward.

    params holds wq, wk, wv and wo, each (C, C); allowed is a boolean mask (T, T).
    """
    x = np.array(x, dtype=float)                        # (B, T, C), a copy: the caller may use x again
    q = split_heads(x @ params["wq"], heads)            # (B, H, T, d)
    k = split_heads(x @ params["wk"], heads)            # (B, H, T, d)
    v = split_heads(x @ params["wv"], heads)            # (B, H, T, d)
    mixed, attention_cache = attention(q, k, v, allowed)
    joined = merge_heads(mixed)                         # (B, T, C)
    y = joined @ params["wo"]                           # (B, T, C)
    return y, {"x": x, "heads": heads, "attention": attention_cache, "joined": joined}


def multihead_backward(cache, params, dy):
    """The gradients of multihead for dy (B, T, C): dx (B, T, C) and grads, a dict of four (C, C) arrays.

    A matrix sees every sequence and token, so its gradient is a sum over batch and time.
    x reaches y by three routes (Q, K and V): their contributions are added.
    """
    x = np.asarray(cache["x"], dtype=float)             # (B, T, C)
    dy = np.asarray(dy, dtype=float)                    # (B, T, C)
    djoined = dy @ params["wo"].T                       # (B, T, C)
    grads = {"wo": np.einsum("btj,btc->jc", cache["joined"], dy)}
    dheads = attention_backward(cache["attention"], split_heads(djoined, cache["heads"]))
    dx = np.zeros(x.shape)
    for name, route in (("wq", "q"), ("wk", "k"), ("wv", "v")):
        dpart = merge_heads(dheads[route])              # (B, T, C)
        grads[name] = np.einsum("btc,bte->ce", x, dpart)
        dx = dx + dpart @ params[name].T
    return dx, grads


def own_test(multihead, multihead_backward):
    """Raise AssertionError if the two functions are wrong: a small case with nothing left to hide behind.

    Sizes differ pairwise, the mask is irregular, no matrix is its own mirror image, dy is random.
    """
    B, T, H, d = 2, 5, 3, 2
    C = H * d
    rng = np.random.default_rng(7)
    x = rng.normal(size=(B, T, C))
    params = {name: rng.normal(size=(C, C)) / np.sqrt(C) for name in ("wq", "wk", "wv", "wo")}
    allowed = np.tril(np.ones((T, T), dtype=bool))
    allowed[3, 1] = False
    dy = rng.normal(size=(B, T, C))

    def by_hand(x, params):
        """y one sequence, one head and one token at a time: slow, and hard to get wrong."""
        y = np.zeros((B, T, C))
        for b in range(B):
            q, k, v = (x[b] @ params[name] for name in ("wq", "wk", "wv"))
            for h in range(H):
                own = slice(h * d, (h + 1) * d)
                for t in range(T):
                    scores = np.exp(k[:, own] @ q[t, own] / np.sqrt(d)) * allowed[t]
                    y[b, t] += (scores / scores.sum()) @ v[:, own] @ params["wo"][own]
        return y

    y, cache = multihead(x.copy(), {name: w.copy() for name, w in params.items()}, H, allowed.copy())
    assert np.shape(y) == (B, T, C), "y must have the shape of x"
    assert np.allclose(y, by_hand(x, params)), "y differs from the calculation by hand"

    dx, grads = multihead_backward(cache, {name: w.copy() for name, w in params.items()}, dy.copy())
    assert np.shape(dx) == (B, T, C), "dx must have the shape of x"
    for name in ["x", *params]:
        start = x if name == "x" else params[name]
        step = 1e-5 * rng.normal(size=start.shape)
        up, down = ({"x": x, **params, name: start + sign * step} for sign in (1, -1))
        change = np.sum(dy * (by_hand(up.pop("x"), up) - by_hand(down.pop("x"), down))) / 2
        gradient = dx if name == "x" else grads[name]
        assert np.shape(gradient) == start.shape, f"the gradient of {name} has the wrong shape"
        assert np.isclose(np.sum(gradient * step), change, rtol=1e-4, atol=1e-9), f"the gradient of {name} is wrong"

    whole = np.arange(B * T * C).reshape(B, T, C) % 5 - 2
    ones = {name: np.eye(C, dtype=int) + (np.arange(C)[:, None] < np.arange(C)) for name in params}
    y, cache = multihead(whole, ones, H, allowed)
    assert np.allclose(y, by_hand(whole, ones)), "whole numbers must give the same answer as floats"
    dx, grads = multihead_backward(cache, ones, np.ones((B, T, C), dtype=int))
    real, reals = multihead_backward(cache, {n: w.astype(float) for n, w in ones.items()}, np.ones((B, T, C)))
    assert np.allclose(dx, real), "whole numbers must give the same gradient as floats"
    assert all(np.allclose(grads[name], reals[name]) for name in ones), "whole numbers must give the same gradients"
