"""Pictures of the way through multihead: down with the shapes on the arrows, and back up with the three routes."""

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from autograder.lessons.kit.canvas import (
    BLUE,
    GREEN,
    GREEN_INK,
    INK,
    ORANGE,
    ORANGE_INK,
    PAPER,
    QUIET,
    RED,
    arrow,
    box,
    card,
    drawn,
    write,
)

COLUMNS = (("Q", 120), ("K", 280), ("V", 440))


def _shape(axes: Axes, x: float, y: float, letters: str, align: str = "left") -> None:
    write(axes, x, y, letters, size=14, colour=QUIET, align=align)


@drawn
def forward(words: dict[str, str]) -> Figure:
    """From x to y: three projections, heads side by side, the join and the output projection."""
    figure, axes = card(620)
    box(axes, 280, 590, 90, 34, "X", weight="bold")
    for name, x in COLUMNS:
        arrow(axes, (280 + (x - 280) * 0.25, 573), (x, 528))
        box(axes, x, 511, 92, 34, f"· W{name}", fill=GREEN)
        arrow(axes, (x, 494), (x, 450))
        _shape(axes, x + 8, 472, f"{name} (B, T, C)")
    _shape(axes, 334, 592, "(B, T, C)")
    box(axes, 280, 433, 470, 34, words["split"])
    box(axes, 150, 318, 210, 108, words["head"].format(head=0), fill=BLUE)
    box(axes, 410, 318, 210, 108, words["head"].format(head=1), fill=ORANGE)
    for x in (150, 410):
        arrow(axes, (x, 416), (x, 372))
        arrow(axes, (x, 264), (x, 222))
    _shape(axes, 280, 394, "Q, K, V (B, H, T, d)", align="center")
    _shape(axes, 280, 243, "(B, H, T, d)", align="center")
    box(axes, 280, 205, 470, 34, words["merge"])
    arrow(axes, (280, 188), (280, 144))
    _shape(axes, 288, 166, "J (B, T, C)")
    box(axes, 280, 127, 92, 34, "· WO", fill=GREEN)
    arrow(axes, (280, 110), (280, 66))
    box(axes, 280, 49, 90, 34, "Y", weight="bold")
    _shape(axes, 334, 49, "(B, T, C)")
    return figure


@drawn
def backward(words: dict[str, str]) -> Figure:
    """From dY back to dX[0, 0, 0] of W4: three routes, added."""
    figure, axes = card(560)
    box(axes, 280, 530, 90, 34, "dY", weight="bold")
    arrow(axes, (280, 513), (280, 478))
    box(axes, 280, 461, 110, 34, "· WOᵀ", fill=GREEN)
    arrow(axes, (280, 444), (280, 404))
    _shape(axes, 288, 424, "dJ (B, T, C)")
    box(axes, 280, 378, 470, 52, words["attention"], fill=PAPER)
    for (name, x), route in zip(COLUMNS, ("0.4055", "0.4055", "6.2509"), strict=True):
        arrow(axes, (x, 352), (x, 308))
        _shape(axes, x + 8, 330, f"d{name}")
        box(axes, x, 291, 110, 34, f"· W{name}ᵀ", fill=GREEN)
        arrow(axes, (x, 274), (280 + (x - 280) * 0.12, 146), GREEN_INK, 2.4)
        axes.text(280 + (x - 280) * 0.66, 222, route, ha="center", va="center", fontsize=17, color=INK,
                  fontweight="bold", bbox={"facecolor": PAPER, "edgecolor": "none", "pad": 3})
    axes.text(280, 125, "+", ha="center", va="center", fontsize=22, color=INK, fontweight="bold",
              bbox={"boxstyle": "circle,pad=0.25", "facecolor": ORANGE, "edgecolor": INK})
    arrow(axes, (280, 104), (280, 72), GREEN_INK, 2.4)
    box(axes, 280, 52, 280, 36, "dX[0, 0, 0] = 7.0619", fill=BLUE, size=17, weight="bold")
    write(axes, 280, 20, words["sum"], size=14, colour=QUIET)
    return figure


@drawn
def one_number(words: dict[str, str]) -> Figure:
    """WQ[1, 0] of W4: forth through both tokens to the loss, and back to one sum."""
    figure, axes = card(324)
    write(axes, 280, 298, words["title"], size=15, weight="bold")
    box(axes, 214, 180, 92, 176, "WQ[1, 0]", fill=GREEN, weight="bold")
    box(axes, 518, 180, 60, 176, words["loss"], fill=ORANGE)
    for token, (y, x, slope) in enumerate(((232, 2, "0.4055"), (128, 1, "0.9384"))):
        box(axes, 68, y, 110, 40, f"x[{token}, 1] = {x}", fill=BLUE)
        arrow(axes, (124, y), (167, y))
        arrow(axes, (261, y + 10), (328, y + 10))
        write(axes, 294, y + 24, f"+{x}ε", size=14, colour=QUIET)
        box(axes, 366, y, 74, 40, f"Q[{token}, 0]", fill=PAPER)
        arrow(axes, (404, y + 10), (487, y + 10))
        arrow(axes, (487, y - 10), (404, y - 10), ORANGE_INK, 2.4)
        arrow(axes, (328, y - 10), (261, y - 10), ORANGE_INK, 2.4)
        write(axes, 294, y - 26, slope, size=14, colour=ORANGE_INK, weight="bold")
        write(axes, 446, y - 26, f"dQ[{token}, 0]", size=14, colour=ORANGE_INK)
    arrow(axes, (60, 70), (104, 70))
    write(axes, 112, 70, words["forth"], size=14, colour=QUIET, align="left")
    arrow(axes, (374, 70), (330, 70), ORANGE_INK, 2.4)
    write(axes, 382, 70, words["back"], size=14, colour=ORANGE_INK, align="left")
    box(axes, 280, 30, 500, 38, "dWQ[1, 0] = 2 · 0.4055 + 1 · 0.9384 = 1.7494", fill=BLUE, weight="bold")
    return figure


@drawn
def own_test(words: dict[str, str]) -> Figure:
    """What a test that proves something does: it accepts everything right, and rejects what is wrong."""
    figure, axes = card(270)
    box(axes, 280, 135, 110, 200, "own_test", weight="bold")
    for y, says, fill, verdict, colour in (
            (207, "right", GREEN, "accepted", GREEN_INK), (135, "other", GREEN, "accepted", GREEN_INK),
            (63, "wrong", ORANGE, "refused", RED)):
        box(axes, 105, y, 170, 54, words[says], fill=fill)
        arrow(axes, (190, y), (225, y))
        arrow(axes, (335, y), (385, y), colour, 2.4)
        write(axes, 394, y, words[verdict], size=15, colour=colour, align="left", weight="bold")
    return figure
