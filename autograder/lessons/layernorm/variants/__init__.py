"""Right solutions, composed at random from the ways in which each step can be written; none may lose a point."""

from autograder.kit import Pick, dressed

from .backward import layer_norm_backward
from .forward import layer_norm

__all__ = ["variant"]
IMPORTS = '''\
import functools
import math
import warnings
from collections import OrderedDict, namedtuple

import numpy as np

Answer = namedtuple("Answer", "first second")
Three = namedtuple("Three", "dx dgain dbias")


class Cache(dict):
    """A dict whose entries can be read as attributes."""

    def __getattr__(self, name):
        return self[name]'''


def variant(pick: Pick) -> str:
    """The source of two right functions, as a student could have written them."""
    return "\n\n".join([IMPORTS, *dressed(pick, [layer_norm(pick), layer_norm_backward(pick)])]) + "\n"
