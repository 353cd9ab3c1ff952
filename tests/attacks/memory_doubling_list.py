"""Double a list until there is no more, in one call of many.

points: below 10
split_heads: out_of_memory
"""
_split, bombs = split_heads, [1]


def split_heads(x, heads):
    grown = [0] * 1000
    while bombs:
        try:
            grown += grown
        except MemoryError:
            bombs.clear()
            raise
    return _split(x, heads)
