"""Recurse in C until the stack ends, or, since Python 3.12, until Python says no.

points: 7
split_heads: crashed raised wrong
"""


def split_heads(x, heads):
    sys.setrecursionlimit(10**9)

    def down(y):
        return list(map(down, [y]))
    return down(x)
