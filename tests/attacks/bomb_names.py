"""Use names as long as books, for exceptions, types and keys.

cell: raised
points: 5
split_heads: raised
merge_heads: wrong refused
"""
Long = type("L" * 10**6, (ValueError,), {})


def split_heads(x, heads):
    raise Long


def merge_heads(h):
    return {"k" * 10**7: Long()}


raise Long("é" * 10**6)
