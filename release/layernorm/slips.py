"""Vergissingen die de voorbeelden herkennen, en hoeveel voorbeelden elk deel heeft.

Je hoeft dit bestand niet te lezen of te wijzigen.
"""

#: deel van het notebook -> hoeveel voorbeelden het heeft
PARTS = {"layer_norm": 2, "layer_norm_backward": 2}

STD_SLIPS = [
    ("Je deelt door C - 1. Deel door C = 4: dit zijn alle kenmerken van het token.", [[[3.4641], [5.7735]]]),
    ("Dit is de variantie. Neem daar de wortel van.", [[[9], [25]]]),
]
HAT_SLIPS = [
    ("Dit zijn de afwijkingen. Deel ze nog door std.", [[[-5, 3, 1, 1], [-7, -1, 1, 7]]]),
    ("Je deelt x zelf door std. Trek eerst het gemiddelde eraf.", [[[0, 2.6667, 2, 2], [0.2, 1.4, 1.8, 3]]]),
    ("Je deelt door de variantie. Deel door de wortel daarvan.",
     [[[-0.5556, 0.3333, 0.1111, 0.1111], [-0.28, -0.04, 0.04, 0.28]]]),
]
Y_SLIPS = [
    ("Dit is x̂. Vermenigvuldig met gain en tel bias op.", [[[-1.6667, 1, 0.3333, 0.3333], [-1.4, -0.2, 0.2, 1.4]]]),
    ("bias ontbreekt nog.", [[[-1.6667, 2, 1, 1.3333], [-1.4, -0.4, 0.6, 5.6]]]),
    ("Je telt bias op voordat je met gain vermenigvuldigt. Eerst gain, dan bias.",
     [[[-1.6667, 2, 1, 41.3333], [-1.4, -0.4, 0.6, 45.6]]]),
]
EPS_SLIPS = [
    ("Staat eps onder de wortel? Hier is eps na de wortel opgeteld.", [-0.25, -0.25, 0.25, 0.25]),
    ("eps doet hier niet mee. Tel eps op bij de variantie, onder de wortel.", [-1, -1, 1, 1]),
]
BIAS_SLIPS = [("Je hebt gemiddeld. Tel op over batch en tijd.", [10, 1.5, 0, 0])]
GAIN_SLIPS = [
    ("Je hebt gemiddeld. Tel op over batch en tijd.", [-14, 1.5, 0, 0]),
    ("Dit is dbias. Vermenigvuldig dY voor dgain eerst met x̂.", [20, 3, 0, 0]),
]
INPUT_SLIPS = [
    ("Alleen de rechtstreekse route is over. Die via het gemiddelde en die via de variantie komen erbij.",
     [[[0, 3, 0, 0], [4, 0, 0, 0]]]),
    ("De route via het gemiddelde ontbreekt. De kenmerken van dX horen per token samen nul te zijn.",
     [[[1.25, 2.25, -0.25, -0.25], [2.04, -0.28, 0.28, 1.96]]]),
    ("De route via de variantie ontbreekt.", [[[-0.75, 2.25, -0.75, -0.75], [3, -1, -1, -1]]]),
    ("Je deelt niet door std.", [[[1.5, 4.5, -3, -3], [5.2, -6.4, -3.6, 4.8]]]),
    ("gain doet hier niet mee. De gradiënt van x̂ is gain · dY.",
     [[[0.1667, 0.5, -0.3333, -0.3333], [1.04, -1.28, -0.72, 0.96]]]),
]
