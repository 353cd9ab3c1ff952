"""Answer with NaN, which is neither more nor less than any tolerance.

points: 0
split_heads: wrong
merge_heads: wrong
multihead: wrong
"""
import numpy as np

_split, _merge, _multihead = split_heads, merge_heads, multihead


def split_heads(x, heads):
    return _split(x, heads) * np.nan


def merge_heads(h):
    return _merge(h) * np.nan


def multihead(x, params, heads, allowed):
    y, cache = _multihead(x, params, heads, allowed)
    return y * np.nan, cache
