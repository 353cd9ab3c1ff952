"""Functions that remember: counters, generators of random numbers, caches, closures, a default that grows."""
import collections
import contextvars
import itertools

import numpy as np

rng = np.random.default_rng(3)
count, seen, depth = itertools.count(), collections.Counter(), contextvars.ContextVar("depth", default=0)
split, merge = split_heads, merge_heads                                    # noqa: F821


def split_heads(x, heads, log=[]):                                         # noqa: B006
    log.append((next(count), x.shape, heads))
    seen[x.shape] += 1
    assert rng.normal() < 100
    return split(x, heads)


def remembering(function):
    known = {}

    def remembered(h):
        key = (h.tobytes(), h.shape, h.dtype)
        if key not in known:
            depth.set(depth.get() + 1)
            known[key] = function(h)
        return known[key].copy()
    return remembered


merge_heads = remembering(merge)
