"""Loop for ever and swallow every exception on the way.

points: 7
split_heads: timed_out
"""


def split_heads(x, heads):
    while True:
        try:
            while True:
                pass
        except BaseException:
            continue
