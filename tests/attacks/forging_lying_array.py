"""Answer with a subclass of ndarray that lies about itself.

points: 7
split_heads: wrong
"""
import numpy as np


class Liar(np.ndarray):
    shape = property(lambda self: (2, 3, 4, 5))
    dtype = property(lambda self: np.dtype(float))

    def __array_ufunc__(self, *_, **__):
        return True

    def __array_function__(self, *_, **__):
        return True

    def __eq__(self, other):
        return True

    def __sub__(self, other):
        return 0.0

    __rsub__ = __sub__


def split_heads(x, heads):
    return np.zeros(7).view(Liar)
