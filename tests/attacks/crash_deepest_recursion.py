"""Recurse in C until the stack ends.

points: 7
split_heads: crashed
"""


def split_heads(x, heads):
    sys.setrecursionlimit(10**9)

    def down(y):
        return list(map(down, [y]))
    return down(x)
