"""Hand over texts that break what they are written to: lone surrogates, NUL, escapes, markup.

cell: raised
points: 5
split_heads: raised
merge_heads: refused
"""
NASTY = "\ud800\0\x1b[2J\x9b31m<script>alert(1)</script>]]>&\u202e\uffff"
print(NASTY)


def split_heads(x, heads):
    raise type("Bad\ud800<b>", (ValueError,), {})(NASTY)


def merge_heads(h):
    return {NASTY: NASTY, "\ud800": h}


raise ValueError(NASTY)
