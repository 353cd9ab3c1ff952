"""Slips that the examples recognise, and how many examples each part has.

You need not read or change this file.
"""
import numpy as np

#: part of the notebook -> how many examples it has
PARTS = {"split_heads": 2, "merge_heads": 2, "multihead": 2, "multihead_backward": 3, "own_test": 1}


def split_slips(x, head, expected):
    """For the eight numbers: x (1, 2, 4), and what this head should hold."""
    return [("This head holds one whole token. That happens if you reshape directly to (B, H, T, d),\n"
             "or if you forget to swap time and heads after cutting.", x.reshape(1, 2, 2, 2)[0, head]),
            ("This head gets every other feature. A head should get features that lie next to each other.",
             x[0, :, head::2]),
            ("Time and features are swapped: here each row is a feature.", np.transpose(expected)),
            ("This belongs in the other head. Does head 0 start at feature 0?", np.add(expected, 2 - 4 * head))]


MERGE_SLIPS = [
    ("Each row now holds one head. Do H and d stand next to each other at the moment you join them?",
     [[[0, 1, 4, 5], [2, 3, 6, 7]]]),
    ("The features of the heads now alternate. All of head 0 should come first, then all of head 1.",
     [[[0, 2, 1, 3], [4, 6, 5, 7]]]),
]
JOINED_SLIPS = [
    ("This is Y. joined should hold J, the heads together, still without WO.", [[[2, 6]]]),
    ("This is X·WK or X·WQ. Which projection passes on what a token has to say?", [[[1, 2]]]),
]
OUTPUT_SLIPS = [
    ("This is J. The last step is still missing: J·WO.", [[[2, 4]]]),
    ("This is J·WOᵀ. Does that .T belong there?", [[[6, 4]]]),
    ("Here x has been added to y. The residual connection only comes in the next module.", [[[3, 8]]]),
]


def mixing_slips(tokens):
    """For the three cards: the features (T, d) of one head, with the identity as projection; for token 2."""
    return [("You get this if you do not divide the scores. Divide by √d, the root of the width of a head.",
             _mixed(tokens, 1)),
            ("You get this if you divide the scores by √C. A head is only d wide: divide by √d.",
             _mixed(tokens, np.sqrt(8))),
            ("You get this if you divide by √d twice. What does attention do already?",
             _mixed(tokens, tokens.shape[1])),
            ("Token 2 now sees only itself. Row i of the mask belongs to query i, column j to key j.",
             tokens[-1]),
            ("This is the plain average of the three tokens. Do the scores take part?", tokens.mean(axis=0))]


def _mixed(tokens, divisor):
    """The last token, mixed with scores divided by this number."""
    part = np.exp(tokens @ tokens[-1] / divisor)
    return part @ tokens / part.sum()


def gradient_slips(expected):
    return [("Rows and columns are swapped. The row belongs to what goes in, the column to what comes out.",
             np.transpose(expected)),
            ("This is outer(X, dY). Which step lies between dY and this?", [[3, 5], [6, 10]])]


INPUT_SLIPS = [
    ("This is dV. The step back through WV is still missing.", [[[8, 5]]]),
    ("Nothing is left. By which route does the influence of x come back with one key?", [[[0, 0]]]),
    ("This is dX + dY. But multihead does not add x to y.", [[[19, 15]]]),
]


def route_slips(expected):
    return [("Are the examples with one token right yet? If not, start there.\n"
             "This is half of it. Do you average over the two time steps somewhere, instead of adding?",
             expected / 2),
            ("That is √2 times too little. Which function divides by √d already?", expected / 2 ** 0.5),
            ("That is √2 times as much. Divide by √d on the way back too, and only once.", expected * 2 ** 0.5)]


SUM_SLIPS = [
    ("Only the route through V is left. Do you add the routes, or does one overwrite the other?", 6.2509),
    ("Only the route through Q or K is left. Do you add the routes, or does one overwrite the other?", 0.4055),
    ("The route through Q or the one through K is missing.", 6.6564),
    ("The route through V is missing.", 0.8110),
    ("You have averaged the routes. Add them.", 2.3540),
]
