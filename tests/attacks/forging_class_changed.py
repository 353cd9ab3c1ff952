"""Change the class of an answer, and of its parts, after it was made.

points: 7
split_heads: refused wrong
"""


class Innocent:
    pass


class Guilty(Innocent):
    __slots__ = ()

    @property
    def __class__(self):
        import numpy
        return numpy.ndarray


def split_heads(x, heads):
    answer = Innocent()
    answer.__class__ = Guilty
    return answer
