"""Answer with infinities, whose difference is NaN.

points: 7
split_heads: wrong
"""
import numpy as np

_split = split_heads


def split_heads(x, heads):
    return _split(x, heads) * 0.0 + np.inf
