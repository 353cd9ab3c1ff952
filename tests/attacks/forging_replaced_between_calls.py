"""Be another function at each call: by replacing oneself, and by a namespace that changes under the worker.

points: 7
split_heads: wrong
"""
right = split_heads                                                       # noqa: F821


def split_heads(x, heads):
    globals()["split_heads"] = lambda x, heads: right(x, heads) * 0
    return right(x, heads) + 1
