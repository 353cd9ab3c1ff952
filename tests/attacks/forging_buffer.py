"""Answer with arrays whose memory is not what they say: gone, shared, of stride zero, changed afterwards.

points: 8
merge_heads: wrong
"""
import numpy as np


def merge_heads(h):
    whole = np.zeros(8)
    return np.lib.stride_tricks.as_strided(whole, (h.shape[0], h.shape[2], h.shape[1] * h.shape[3]), (0, 0, 0))
