"""Answer with what is worked out when somebody looks: generators, iterators, memory views, futures.

points: 5
split_heads: refused wrong
merge_heads: refused wrong
"""
right = split_heads                                                       # noqa: F821


def split_heads(x, heads):
    yield right(x, heads)


def merge_heads(h):
    return memoryview(h.tobytes())
