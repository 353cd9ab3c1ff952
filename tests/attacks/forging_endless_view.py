"""Answer with one number that is spread over more axes than memory could hold.

points: 7
split_heads: refused
"""
import numpy as np


def split_heads(x, heads):
    return np.broadcast_to(np.float64(1), (10**5, 10**5, 10, 10))
