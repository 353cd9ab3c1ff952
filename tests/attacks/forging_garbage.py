"""Write bytes that are no frame.

points: 7
split_heads: refused
"""


def split_heads(x, heads):
    os.write(3, b"garbage" * 100)
    return x
