"""Functions that are none: partials, caches, instances, methods, decorated and wrapped ones."""
import contextlib
import functools
import time

import numpy as np


def timed(function):
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        start = time.perf_counter()
        try:
            return function(*args, **kwargs)
        finally:
            wrapper.seconds = time.perf_counter() - start
    return wrapper


@contextlib.contextmanager
def silent():
    with contextlib.redirect_stdout(None):
        yield


class Splitter:
    calls = 0

    def __call__(self, x, heads):
        Splitter.calls += 1
        return self.split(x, heads)

    @staticmethod
    def split(x, heads, _right=split_heads):                               # noqa: F821
        return _right(x, heads)


class Merger:
    def __init__(self, function):
        self.function = function

    def merge(self, h):
        return self.function(h)


split_heads = Splitter()
merge_heads = timed(silent()(Merger(merge_heads).merge))                  # noqa: F821
multihead = functools.partial(timed(multihead))                           # noqa: F821


@functools.lru_cache(maxsize=None)
def scale(d):
    return 1 / np.sqrt(d)


print(scale(4), split_heads(np.zeros((1, 2, 4)), 2).shape, Splitter.calls)
