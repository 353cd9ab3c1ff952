"""Answer with more axes than the wire has room for, and no numbers.

points: 8
merge_heads: refused wrong
"""
import numpy as np


def merge_heads(h):
    return np.empty((0,) * 30)
