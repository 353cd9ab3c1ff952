"""What goes above the four functions: imports, constants, classes and helpers."""
IMPORTS = '''\
import functools
import math
import numbers
import warnings
from collections import OrderedDict, namedtuple

import numpy as np

NAMES = ["wq", "wk", "wv"]
BLOCKED = -1e9
Answer = namedtuple("Answer", "first second")


class BadShape(ValueError):
    """A shape that does not fit."""


class Cache(dict):
    """A dict whose entries can be read as attributes."""

    def __getattr__(self, name):
        return self[name]


class Kept:
    __slots__ = ("q", "k", "v", "weights")

    def __init__(self, *arrays):
        for name, array in zip(self.__slots__, arrays):
            setattr(self, name, array)


def require(condition, message):
    if not condition:
        raise ValueError(message)


def softmax(scores):
    shifted = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return shifted / shifted.sum(axis=-1, keepdims=True)


def project(x, w):
    return np.einsum("btc,ce->bte", x, w)'''
