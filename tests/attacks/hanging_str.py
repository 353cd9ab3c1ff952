"""Raise an exception whose text never ends.

points: 7
split_heads: timed_out
"""


def split_heads(x, heads):
    class Slow(Exception):
        def __str__(self):
            while True:
                pass
    raise Slow
