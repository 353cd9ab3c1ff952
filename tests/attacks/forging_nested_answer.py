"""Answer with what holds itself, with depth, and with crowds.

points: 5
split_heads: wrong
merge_heads: wrong
"""


def split_heads(x, heads):
    loop = []
    loop.append(loop)
    return loop


def merge_heads(h):
    deep = ()
    for _ in range(20_000):
        deep = (deep,)
    return [deep, {str(number): number for number in range(20_000)}]
