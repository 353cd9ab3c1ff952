"""Pretend that a person pressed Ctrl-C.

points: 14
split_heads: raised wrong
"""


def split_heads(x, heads):
    raise KeyboardInterrupt
