"""Raise an exception that holds others, thousands deep.

points: 8
merge_heads: raised wrong
"""


def merge_heads(h):
    error = ValueError(1)
    for _ in range(5000):
        error = ExceptionGroup("x" * 100, [error])
    raise error
