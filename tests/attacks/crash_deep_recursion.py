"""Recurse until Python says no.

points: 7
split_heads: raised wrong
"""


def split_heads(x, heads):
    return split_heads(x, heads)
