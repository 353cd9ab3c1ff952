"""Answer with an object whose array interface points to memory that it does not have.

points: 7
split_heads: refused wrong
"""


class Liar:
    __array_interface__ = {"shape": (2, 3, 5, 4), "typestr": "<f8", "data": (8, False), "version": 3}
    __array_struct__ = 12345


def split_heads(x, heads):
    return Liar()
