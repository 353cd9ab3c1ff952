"""Read from address zero.

points: 7
split_heads: crashed
"""


def split_heads(x, heads):
    ctypes.string_at(0)
