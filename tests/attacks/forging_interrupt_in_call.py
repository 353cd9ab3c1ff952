"""Pretend that a person pressed Ctrl-C.

points: 7
split_heads: raised wrong
"""


def split_heads(x, heads):
    raise KeyboardInterrupt
