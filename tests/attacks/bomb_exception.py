"""Raise an exception with 10 MB of text, in a cell and in a call.

cell: raised
points: 7
split_heads: raised
"""


def split_heads(x, heads):
    raise ValueError("x" * 10**7)


raise ValueError("x" * 10**7)
