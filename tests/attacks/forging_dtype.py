"""Answer with dtypes whose names would be code: fields, objects, texts, dates, huge items.

points: 7
split_heads: wrong refused
"""
import numpy as np

ODD = [np.dtype([("f0", "O")]), np.dtype("V1000"), np.dtype("U10"), np.dtype("M8[s]"), np.dtype("S5")]
asked = [0]


def split_heads(x, heads):
    asked[0] += 1
    return np.zeros((2, 3), dtype=ODD[asked[0] % len(ODD)])
