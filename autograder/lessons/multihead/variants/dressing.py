"""What stands around the four functions: imports, constants, classes, decorators, prints."""
from __future__ import annotations

import re

from autograder.lessons.multihead.variants.writing import Pick

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

COUNTED = '''\
def counted(function):
    @functools.wraps(function)
    def wrapped(*args, **named):
        wrapped.calls += 1
        return function(*args, **named)
    wrapped.calls = 0
    return wrapped'''


def dressed(pick: Pick, functions: list[str]) -> list[str]:
    """The functions, each in a dress of its own; what a dress needs comes first."""
    return [COUNTED, *(_dressed(pick, function) for function in functions),
            pick("", "", 'print("all defined")', 'warnings.warn("only a warning")')]


def _dressed(pick: Pick, function: str) -> str:
    name = re.match(r"def (\w+)", function)[1]
    inner = function.replace(f"def {name}(", f"def _{name}(", 1)
    return pick(function, function, function, f"@counted\n{function}",
                f"{inner}\n\n\n{name} = lambda *args, **named: _{name}(*args, **named)",
                f"{inner}\n\n\n{name} = functools.partial(_{name})",
                f"class {name.title().replace('_', '')}:\n    @staticmethod\n" + _indented(function)
                + f"\n\n\n{name} = {name.title().replace('_', '')}.{name}",
                f"class {name.title().replace('_', '')}:\n    def __call__(self, *args, **named):\n"
                f"        return _{name}(*args, **named)\n\n\n{inner}\n\n\n{name} = {name.title().replace('_', '')}()")


def _indented(text: str) -> str:
    return "\n".join(f"    {line}" if line else line for line in text.splitlines())
