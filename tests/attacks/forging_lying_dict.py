"""Hand over dicts that say something else each time: lengths, keys and items that lie, keys that are texts no longer.

points: 5
multihead: wrong
"""
right = multihead                                                         # noqa: F821


class Text(str):
    def __eq__(self, other):
        return True

    def __hash__(self):
        return hash("x")

    def __str__(self):
        return "heads"


class Lying(dict):
    def __len__(self):
        return 0

    def __iter__(self):
        yield from ("x", "heads", "joined", "attention")

    def items(self):
        return [("heads", 1)] * 10**6

    def keys(self):
        return ["x"] * 10**6

    def __getitem__(self, name):
        return right


def multihead(x, params, heads, allowed):
    y, cache = right(x, params, heads, allowed)
    return 0 * y, Lying({Text("x"): x, Text("y"): y})
