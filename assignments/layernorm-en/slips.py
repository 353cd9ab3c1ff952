"""Slips that the examples recognise, and how many examples each part has.

You need not read or change this file.
"""

#: part of the notebook -> how many examples it has
PARTS = {"layer_norm": 2, "layer_norm_backward": 2}

STD_SLIPS = [
    ("You divide by C - 1. Divide by C = 4: these are all features of the token.", [[[3.4641], [5.7735]]]),
    ("This is the variance. Take its root.", [[[9], [25]]]),
]
HAT_SLIPS = [
    ("These are the deviations. Divide them by std.", [[[-5, 3, 1, 1], [-7, -1, 1, 7]]]),
    ("You divide x itself by std. Subtract the mean first.", [[[0, 2.6667, 2, 2], [0.2, 1.4, 1.8, 3]]]),
    ("You divide by the variance. Divide by its root.",
     [[[-0.5556, 0.3333, 0.1111, 0.1111], [-0.28, -0.04, 0.04, 0.28]]]),
]
Y_SLIPS = [
    ("This is x̂. Multiply by gain and add bias.", [[[-1.6667, 1, 0.3333, 0.3333], [-1.4, -0.2, 0.2, 1.4]]]),
    ("bias is still missing.", [[[-1.6667, 2, 1, 1.3333], [-1.4, -0.4, 0.6, 5.6]]]),
    ("You add bias before you multiply by gain. First gain, then bias.",
     [[[-1.6667, 2, 1, 41.3333], [-1.4, -0.4, 0.6, 45.6]]]),
]
EPS_SLIPS = [
    ("Is eps below the root? Here eps was added after the root.", [-0.25, -0.25, 0.25, 0.25]),
    ("eps takes no part here. Add it to the variance, below the root.", [-1, -1, 1, 1]),
]
BIAS_SLIPS = [("You have averaged. Add over batch and time.", [10, 1.5, 0, 0])]
GAIN_SLIPS = [
    ("You have averaged. Add over batch and time.", [-14, 1.5, 0, 0]),
    ("This is dbias. For dgain, multiply dY by x̂ first.", [20, 3, 0, 0]),
]
INPUT_SLIPS = [
    ("Only the route straight through is left. Two more come on top of it: through the mean and through the variance.",
     [[[0, 3, 0, 0], [4, 0, 0, 0]]]),
    ("The route through the mean is missing. Per token the features of dX should add up to zero.",
     [[[1.25, 2.25, -0.25, -0.25], [2.04, -0.28, 0.28, 1.96]]]),
    ("The route through the variance is missing.", [[[-0.75, 2.25, -0.75, -0.75], [3, -1, -1, -1]]]),
    ("You do not divide by std.", [[[1.5, 4.5, -3, -3], [5.2, -6.4, -3.6, 4.8]]]),
    ("gain takes no part here. The gradient of x̂ is gain · dY.",
     [[[0.1667, 0.5, -0.3333, -0.3333], [1.04, -1.28, -0.72, 0.96]]]),
]
