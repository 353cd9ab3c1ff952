"""Pictures with numbers in them: the eight numbers of W1, and the weight of a key."""

import numpy as np
from matplotlib.figure import Figure

from autograder.lessons.kit.canvas import (
    BLUE,
    BLUE_INK,
    GREEN_INK,
    INK,
    LINE,
    ORANGE,
    ORANGE_INK,
    QUIET,
    RED,
    arrow,
    card,
    drawn,
    table,
    write,
)

_X = np.arange(8).reshape(2, 4)                                 # (T, C)
_OWNER = {number: BLUE if number % 4 < 2 else ORANGE for number in range(8)}


@drawn
def split(words: dict[str, str]) -> Figure:
    """Reshape and then swap, against a direct reshape: where the eight numbers of W1 end up in time."""
    figure, axes = card(454)
    write(axes, 280, 430, words["x"], size=16, weight="bold")
    _numbers(axes, 212, 400, _X, words["time"])
    write(axes, 246, 410, words["first_half"], size=14, colour=BLUE_INK)
    write(axes, 314, 410, words["second_half"], size=14, colour=ORANGE_INK)
    cut = _X.reshape(2, 2, 2)                                   # (T, H, d)
    for x, title, steps, colour, heads in (
            (150, "right", "right_steps", GREEN_INK, (cut[:, 0], cut[:, 1])),
            (410, "wrong", "wrong_steps", RED, _X.reshape(2, 2, 2))):
        arrow(axes, (280 + (x - 280) * 0.35, 322), (x, 290), colour, 2.2)
        write(axes, x, 270, words[title], size=16, colour=colour, weight="bold")
        write(axes, x, 238, words[steps], size=14, colour=QUIET)
        for head, rows in enumerate(heads):
            top = 188 - 88 * head
            write(axes, x - 70, top - 34, words["head"].format(head=head), size=14, align="right", weight="bold")
            _numbers(axes, x + 24, top, rows, words["time"])
    return figure


@drawn
def merge(words: dict[str, str]) -> Figure:
    """Swap back and then join, against a direct reshape: where the numbers of the two heads end up."""
    figure, axes = card(372)
    heads = _X.reshape(2, 2, 2).swapaxes(0, 1)                  # (H, T, d)
    for head, x in ((0, 120), (1, 390)):
        write(axes, x + 34, 350, words["head"].format(head=head), size=16, weight="bold")
        _numbers(axes, x, 332, heads[head], words["time"])
    for x, title, steps, colour, rows in (
            (150, "right", "right_steps", GREEN_INK, _X),
            (410, "wrong", "wrong_steps", RED, heads.reshape(2, 4))):
        arrow(axes, (280 + (x - 280) * 0.35, 254), (x, 222), colour, 2.2)
        write(axes, x, 202, words[title], size=16, colour=colour, weight="bold")
        write(axes, x, 168, words[steps], size=14, colour=QUIET)
        _numbers(axes, x - 50, 128, rows, words["time"])
        write(axes, x, 30, words[f"{title}_says"], size=14, colour=colour)
    return figure


def _numbers(axes, x: float, top: float, rows, time: str) -> None:
    table(axes, x, top, rows, [[_OWNER[number] for number in row] for row in rows])
    for t in range(len(rows)):
        write(axes, x - 6, top - 17 - 34 * t, time.format(t=t), size=14, colour=QUIET, align="right")


@drawn
def one_key(words: dict[str, str]) -> Figure:
    """The weight of a key against its score: flat if it is the only key, sloping if there are two."""
    figure, axes = card(330)
    score = np.linspace(-6, 6, 49)
    for left, title, weight, says, colour in (
            (60, "one", np.ones_like(score), "one_says", RED),
            (326, "two", 1 / (1 + np.exp(-score)), "two_says", GREEN_INK)):
        middle = left + 105
        write(axes, middle, 302, words[title], size=16, weight="bold")
        write(axes, middle, 270, words[says], size=14, colour=colour)
        for value in (0, 0.5, 1):
            height = 76 + 150 * value
            axes.plot((left, left + 210), (height, height), color=LINE, linewidth=0.8)
            write(axes, left - 7, height, f"{value:g}", size=14, colour=QUIET,
                  align="right")
        for value in (-6, 0, 6):
            write(axes, middle + value * 17.5, 60, f"{value}".replace("-", "\u2212"), size=14, colour=QUIET)
        axes.plot(middle + score * 17.5, 76 + 150 * weight, color=colour, linewidth=3.2, solid_capstyle="round")
        write(axes, middle, 36, words["score"], size=13)
    axes.text(17, 151, words["weight"], rotation=90, ha="center", va="center", fontsize=13, color=INK)
    axes.plot((286, 286), (28, 306), color=LINE, linewidth=0.8)
    return figure
