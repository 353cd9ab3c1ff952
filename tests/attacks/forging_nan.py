"""Answer with NaN, which is neither more nor less than any tolerance.

points: 5
split_heads: wrong
merge_heads: wrong
multihead_backward: wrong
"""
import numpy as np

_split, _merge, _backward = split_heads, merge_heads, multihead_backward


def split_heads(x, heads):
    return _split(x, heads) * np.nan


def merge_heads(h):
    return _merge(h) * np.nan


def multihead_backward(cache, params, dy):
    dx, grads = _backward(cache, params, dy)
    return dx * np.nan, {name: gradient * np.nan for name, gradient in grads.items()}
