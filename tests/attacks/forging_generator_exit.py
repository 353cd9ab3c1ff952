"""Leave by exceptions that loops and generators swallow.

points: 5
split_heads: raised wrong
merge_heads: raised wrong
"""


def split_heads(x, heads):
    raise GeneratorExit


def merge_heads(h):
    raise StopIteration
