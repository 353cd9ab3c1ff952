"""Hand over numbers of classes that lie: an int, a float and a text that say something else when asked.

points: 5
multihead: wrong
"""
right = multihead                                                         # noqa: F821


class Int(int):
    def __eq__(self, other):
        return True

    def __int__(self):
        return 2**80

    __index__ = __int__
    __hash__ = int.__hash__


class Float(float):
    def __float__(self):
        raise KeyboardInterrupt

    def __repr__(self):
        return "1.0"


def multihead(x, params, heads, allowed):
    y, cache = right(x, params, heads, allowed)
    return Float(7.0), {"heads": Int(3), "x": Float(1.0)}
