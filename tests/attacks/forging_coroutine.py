"""Answer with a coroutine that nobody awaits.

points: 7
split_heads: refused wrong
"""
right = split_heads                                                       # noqa: F821


async def split_heads(x, heads):
    return right(x, heads)
