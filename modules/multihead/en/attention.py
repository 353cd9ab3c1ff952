"""What you are given from the previous lesson: scaled dot-product attention, forward and backward.

Axes: T time (tokens), d width of a head. All axes before those (batch, heads) may be there or not.
"""
import numpy as np


def attention(q, k, v, allowed):
    """Mix the values with weights from the scores: three times (..., T, d) -> out (..., T, d) and a cache.

    `allowed` is a boolean mask (T, T): True where query row i may look at key column j.
    The cache is a dict with the plain arrays `q`, `k`, `v` and `weights` (..., T, T).
    """
    q, k, v = (np.array(a, dtype=float) for a in (q, k, v))
    allowed = np.asarray(allowed)
    _check_shapes(q, k, v, allowed)
    scores = q @ np.swapaxes(k, -1, -2) / np.sqrt(q.shape[-1])            # (..., T, T)
    scores = np.where(allowed, scores, -np.inf)
    shifted = np.exp(scores - scores.max(axis=-1, keepdims=True))         # large scores stay finite
    weights = shifted / shifted.sum(axis=-1, keepdims=True)               # each row adds up to 1
    return weights @ v, {"q": q, "k": k, "v": v, "weights": weights}


def attention_backward(cache, dout):
    """The gradients of q, k and v for `dout` (..., T, d): {"q": dq, "k": dk, "v": dv}, each (..., T, d)."""
    q, k, v, weights = (cache[name] for name in ("q", "k", "v", "weights"))
    dout = np.array(dout, dtype=float)
    if dout.shape != v.shape:
        raise ValueError(f"attention_backward: dout has shape {dout.shape}, expected {v.shape}, "
                         "the shape of v: (..., T, d). Have you split dout into heads already?")
    dweights = dout @ np.swapaxes(v, -1, -2)                              # (..., T, T)
    dscores = weights * (dweights - (dweights * weights).sum(axis=-1, keepdims=True))
    dscores = dscores / np.sqrt(q.shape[-1])
    return {"q": dscores @ k, "k": np.swapaxes(dscores, -1, -2) @ q, "v": np.swapaxes(weights, -1, -2) @ dout}


def _check_shapes(q, k, v, allowed):
    """Say in one sentence which shape is wrong; ValueError or TypeError."""
    if q.ndim < 2:
        raise ValueError(f"attention: q, k and v should be arrays with axes (..., T, d); got a q of shape "
                         f"{q.shape}. Does the function that makes q return an array?")
    if not q.shape == k.shape == v.shape:
        raise ValueError(f"attention: q, k and v should have the same shape (..., T, d); "
                         f"got {q.shape}, {k.shape} and {v.shape}")
    if allowed.dtype != bool:
        raise TypeError(f"attention: allowed should be an array of True and False; got {allowed.dtype}")
    tokens = q.shape[-2]
    if allowed.shape != (tokens, tokens):
        raise ValueError(f"attention: allowed has shape {allowed.shape}, expected {(tokens, tokens)}: "
                         f"the last axis but one of q is time. Is time on that axis in your array?")
    if not allowed.any(axis=-1).all():
        raise ValueError("attention: a row of allowed is False throughout; each query needs at least one key")
