"""Ask for 100 GB at once.

points: 7
split_heads: out_of_memory
"""
import numpy as np


def split_heads(x, heads):
    return np.ones(100 * 2**30, dtype=np.uint8)
