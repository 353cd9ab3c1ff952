"""Swallow MemoryError and ask again.

points: 7
split_heads: timed_out
"""


def split_heads(x, heads):
    hoard = []
    while True:
        try:
            hoard.append(bytearray(50_000_000))
        except MemoryError:
            continue
