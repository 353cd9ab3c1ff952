"""Loop for ever.

points: 7
split_heads: timed_out
"""


def split_heads(x, heads):
    while True:
        pass
