"""Announce a frame of four gigabytes.

points: 7
split_heads: refused
"""


def split_heads(x, heads):
    os.write(3, b"\xff\xff\xff\xff")
    while True:
        os.write(3, bytes(10**6))
