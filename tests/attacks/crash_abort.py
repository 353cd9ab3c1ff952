"""Abort, as a C library does that finds its heap broken.

points: 7
split_heads: crashed
"""


def split_heads(x, heads):
    os.abort()
