"""The pictures of the notebook, with the numbers of N1 and N3, each drawn from its words in one language.

`autograder dev pictures` puts them into the notebooks.
"""

from matplotlib.figure import Figure

from autograder.lessons.kit.canvas import (
    BLUE,
    BLUE_INK,
    GREEN,
    GREEN_INK,
    INK,
    LINE,
    ORANGE,
    ORANGE_INK,
    QUIET,
    arrow,
    box,
    card,
    drawn,
    write,
)

#: no straight quotes: the alternative texts are put in an HTML attribute
WORDS = {
    "nl": {
        "token": {
            "x": "x: het gemiddelde is 5",
            "centred": "afwijkingen: het gemiddelde is 0",
            "x_hat": "x̂: gedeeld door std = 3",
            "alt": "Token 0 van N1 op drie getallenlijnen onder elkaar. Op de eerste staan de kenmerken 0, 6, 6 en 8, "
                   "met het gemiddelde 5. Op de tweede zijn ze verschoven tot de afwijkingen -5, 1, 1 en 3, rond 0. "
                   "Op de derde zijn ze door std = 3 gedeeld: -1.67, 0.33, 0.33 en 1, dicht bij elkaar rond 0.",
        },
        "routes": {
            "mean": "via het gemiddelde",
            "straight": "rechtstreeks",
            "variance": "via de variantie",
            "sum": "samen: dX[0, 0, 0] = 0 − 0.75 + 1.25 = 0.5",
            "alt": "Van x naar x̂ lopen drie routes: via het gemiddelde, rechtstreeks en via de variantie. Op de weg "
                   "terug in N3 brengen ze naar dX op plaats 0, 0, 0 achtereenvolgens -0.75, 0 en 1.25. Opgeteld is "
                   "dat 0.5.",
        },
    },
    "en": {
        "token": {
            "x": "x: the mean is 5",
            "centred": "deviations: the mean is 0",
            "x_hat": "x̂: divided by std = 3",
            "alt": "Token 0 of N1 on three number lines, one below the other. On the first are the features 0, 6, 6 "
                   "and 8, with their mean 5. On the second they have moved to the deviations -5, 1, 1 and 3, around "
                   "0. On the third they are divided by std = 3: -1.67, 0.33, 0.33 and 1, close together around 0.",
        },
        "routes": {
            "mean": "through the mean",
            "straight": "directly",
            "variance": "through the variance",
            "sum": "together: dX[0, 0, 0] = 0 − 0.75 + 1.25 = 0.5",
            "alt": "Three routes lead from x to x̂: through the mean, directly, and through the variance. On the way "
                   "back in N3 they bring dX at place 0, 0, 0 in turn -0.75, 0 and 1.25. Added up, that is 0.5.",
        },
    },
}


@drawn
def token(words: dict[str, str]) -> Figure:
    """Token 0 of N1 as points on a line: as it is, less its mean, divided by its std."""
    figure, axes = card(372)
    rows = ((290, "x", ((0, "0"), (6, "6, 6"), (8, "8")), 5, BLUE, BLUE_INK),
            (172, "centred", ((-5, "−5"), (1, "1, 1"), (3, "3")), 0, ORANGE, ORANGE_INK),
            (54, "x_hat", ((-5 / 3, "−1.67"), (1 / 3, "0.33, 0.33"), (1, "1")), 0, GREEN, GREEN_INK))
    for y, says, points, mean, fill, ink in rows:
        write(axes, 24, y + 58, words[says], size=16, colour=ink, align="left", weight="bold")
        axes.plot((60, 520), (y, y), color=LINE, linewidth=1.5)
        axes.plot((_at(0), _at(0)), (y - 7, y + 7), color=LINE, linewidth=1.5)
        axes.plot((_at(mean), _at(mean)), (y - 18, y + 18), color=ink, linewidth=3)
        for place, (number, label) in enumerate(points):
            axes.plot((_at(number),), (y,), "o", markersize=14, markerfacecolor=fill, markeredgecolor=INK)
            near = says == "x_hat" and place == 2
            write(axes, _at(number) + 12 * near, y + 26 - 52 * (says == "x_hat" and place == 1), label, size=15)
    for y in (246, 128):
        arrow(axes, (532, y + 34), (532, y - 52), QUIET)
    return figure


def _at(number: float) -> float:
    """Where a number is on the lines."""
    return 225 + 34 * number


@drawn
def routes(words: dict[str, str]) -> Figure:
    """The three routes from x to x̂, with what each brings back to dX[0, 0, 0] in N3."""
    figure, axes = card(330)
    box(axes, 60, 190, 70, 54, "x", BLUE, 20, weight="bold")
    box(axes, 500, 190, 70, 54, "x̂", GREEN, 20, weight="bold")
    for y, says, back in ((280, "mean", "−0.75"), (190, "straight", "0"), (100, "variance", "+1.25")):
        bend = (y - 190) * 0.25
        arrow(axes, (97, 190 + bend), (172, y), INK)
        box(axes, 280, y, 212, 46, words[says], ORANGE, 16)
        arrow(axes, (388, y), (463, 190 + bend), INK)
        write(axes, 128, y + (24 if y >= 190 else -24) + (190 - y) * 0.1, back, size=16, colour=BLUE_INK, weight="bold")
    write(axes, 280, 34, words["sum"], size=17, colour=BLUE_INK, weight="bold")
    return figure


PICTURES = {"token": token, "routes": routes}


def picture(name: str, language: str) -> tuple[bytes, str]:
    """The SVG of this picture, and its alternative text."""
    words = WORDS[language][name]
    return PICTURES[name](words), words["alt"]
