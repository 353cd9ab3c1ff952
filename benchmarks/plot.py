"""The plot of a run: seconds against the size of the class, beside stock nbgrader at the rate that was measured."""
from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path


def plot(rows: Sequence, path: Path) -> None:
    """Save the plot (log-log: a straight line at 45 degrees grows as the class grows)."""
    import matplotlib
    matplotlib.use("Agg")
    from matplotlib import pyplot
    figure, axes = pyplot.subplots(figsize=(7, 4.5), layout="constrained")
    for what, marker in (("autograder grade, 1 job", "s"), ("autograder grade, 2 jobs", "o")):
        points = [(row.submissions, row.seconds) for row in rows if row.what == what]
        axes.plot(*zip(*points, strict=True), marker=marker, label=what)
    sizes = sorted({row.submissions for row in rows if row.what.startswith("autograder grade")})
    for what, style in (("nbgrader autograde, stock", "--"), ("nbgrader autograde with our hook", ":")):
        row = next(row for row in rows if row.what == what)
        axes.plot(sizes, [size * row.each_ms / 1000 for size in sizes], style, color="gray",
                  label=f"{what} (rate of {row.submissions})")
    axes.set(xscale="log", yscale="log", xlabel="submissions in the class", ylabel="seconds, start to finish")
    axes.grid(which="major", alpha=0.3)
    figure.legend(loc="outside upper center", ncols=2)
    figure.savefig(path, dpi=150)
    pyplot.close(figure)
