"""Sleep.

points: 7
split_heads: timed_out
"""


def split_heads(x, heads):
    import time
    time.sleep(3600)
