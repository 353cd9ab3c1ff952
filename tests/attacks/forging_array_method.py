"""Answer with an object that becomes another array each time somebody looks.

points: 5
split_heads: refused wrong
merge_heads: refused wrong
"""
import numpy as np


class Changing:
    looks = 0

    def __array__(self, *_, **__):
        Changing.looks += 1
        return np.zeros(Changing.looks)

    def __len__(self):
        return 2**62

    def __getattr__(self, name):
        return self


def split_heads(x, heads):
    return Changing()


def merge_heads(h):
    return type("ndarray", (Changing,), {"__module__": "numpy"})()
