"""Match a pattern that takes exponential time.

points: 7
split_heads: timed_out
"""


def split_heads(x, heads):
    import re
    return re.match('(a+)+$', 'a' * 60 + 'b')
