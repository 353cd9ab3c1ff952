"""Draw on a card with its own background, so that ink and paper fit together on any page.

On a system in dark mode the card is dark too; both colours change together.
"""

import io
import re
from collections.abc import Sequence
from typing import Any

import matplotlib
from matplotlib.axes import Axes
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch

#: light -> dark
PAPER, INK, QUIET, LINE = "#fbfaf6", "#1d2530", "#55606e", "#8a94a3"
BLUE, ORANGE, GREEN, RED = "#cfe2f7", "#fbdcb5", "#d5ead1", "#b3261e"
BLUE_INK, ORANGE_INK, GREEN_INK = "#1b5da3", "#a65300", "#2b6e2f"
DARK = {PAPER: "#1c222b", INK: "#eef1f5", QUIET: "#b4bdc9", LINE: "#7d8896",
        BLUE: "#234a73", ORANGE: "#6b4417", GREEN: "#27512f", RED: "#ff9a8f",
        BLUE_INK: "#8cc1f7", ORANGE_INK: "#f5b56a", GREEN_INK: "#8fd496"}
_DECIMALS = re.compile(r"(\.\d\d)\d+")
WIDTH = 560                                     # points; a picture is shown this wide, or as wide as the page allows
SETTINGS: dict[Any, Any] = {
    "svg.fonttype": "none", "svg.hashsalt": "multihead", "font.size": 15, "text.color": INK,
    "font.sans-serif": ["DejaVu Sans", "Verdana", "Segoe UI", "Helvetica", "Arial"]}


def card(height: float, width: float = WIDTH) -> tuple[Figure, Axes]:
    """An empty card of this many points; one unit of its axes is one point, and y points up."""
    figure = Figure(figsize=(width / 72, height / 72), dpi=72, facecolor="none")
    axes = figure.add_axes((0, 0, 1, 1), xlim=(0, width), ylim=(0, height))
    axes.set_axis_off()
    axes.add_patch(FancyBboxPatch((1.5, 1.5), width - 3, height - 3, boxstyle="round,pad=0,rounding_size=12",
                                  facecolor=PAPER, edgecolor=LINE, linewidth=1))
    return figure, axes


def box(axes: Axes, x: float, y: float, width: float, height: float, says: str, fill: str = PAPER, size: float = 15,
        edge: str = INK, weight: str = "normal") -> None:
    """A rounded box around its centre (x, y), with its text in the middle."""
    axes.add_patch(FancyBboxPatch((x - width / 2, y - height / 2), width, height, facecolor=fill, edgecolor=edge,
                                  boxstyle="round,pad=0,rounding_size=6", linewidth=1.3))
    write(axes, x, y, says, size=size, weight=weight)


def write(axes: Axes, x: float, y: float, says: str, size: float = 15, colour: str = INK, align: str = "center",
          weight: str = "normal") -> None:
    """Lines of text, centred on this height."""
    axes.text(x, y, says, ha=align, va="center", fontsize=size, color=colour, fontweight=weight, linespacing=1.25)


def arrow(axes: Axes, start: tuple[float, float], end: tuple[float, float], colour: str = INK, width: float = 1.6,
          style: str = "-|>") -> None:
    """An arrow from start to end, both (x, y) on the card."""
    axes.add_patch(FancyArrowPatch(start, end, arrowstyle=style, mutation_scale=13, color=colour, linewidth=width,
                                   shrinkA=0, shrinkB=0))


def table(axes: Axes, x: float, top: float, rows: Sequence[Sequence[int]], fills: Sequence[Sequence[str]],
          side: float = 34) -> None:
    """Numbers in squares; (x, top) is the upper left corner."""
    for i, row in enumerate(rows):
        for j, number in enumerate(row):
            centre = x + (j + 0.5) * side, top - (i + 0.5) * side
            axes.add_patch(FancyBboxPatch((centre[0] - side / 2, centre[1] - side / 2), side, side, linewidth=1.2,
                                          boxstyle="square,pad=0", facecolor=fills[i][j], edgecolor=INK))
            write(axes, *centre, str(number), size=16)


def svg(figure: Figure) -> bytes:
    """The same bytes for the same drawing, in light colours and, in dark mode, in dark ones."""
    written = io.BytesIO()
    FigureCanvasSVG(figure).print_svg(written, metadata={"Date": None, "Creator": None, "Format": None, "Type": None})
    text = re.sub(r"<metadata>.*?</metadata>\s*", "", written.getvalue().decode(), flags=re.DOTALL)
    text = re.sub(r"<!--.*?-->\s*|<!DOCTYPE.*?>\s*", "", text, flags=re.DOTALL)
    text = re.sub(r'(?<= )(?:d|x|y|transform)="[^"]*"', lambda part: _DECIMALS.sub(r"\1", part[0]), text)
    text = re.sub(r">\s+<", "><", text)
    dark = "".join(f'[style*="{kind}: {light}"]{{{kind}:{dark}!important}}'
                   for light, dark in DARK.items() for kind in ("fill", "stroke") if f"{kind}: {light}" in text)
    style = f"<style>@media (prefers-color-scheme:dark){{{dark}}}</style>"
    return text.replace("<defs>", f"{style}<defs>", 1).encode()


def drawn(draw):
    """Turn a function that draws words on a card and returns the card into one that returns its SVG."""
    def to_svg(words: dict[str, str]) -> bytes:
        with matplotlib.rc_context(SETTINGS):
            return svg(draw(words))
    to_svg.__doc__ = draw.__doc__
    return to_svg
