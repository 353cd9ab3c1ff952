"""Call C code that takes for ever and looks at no signal.

points: 7
split_heads: timed_out
"""


def split_heads(x, heads):
    return 7 ** (7 ** 12)
