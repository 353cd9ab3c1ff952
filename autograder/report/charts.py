"""Draw the charts of the report as SVG with pygal, in the page's own colours, without a script.

Drawn while the report is written, they need nothing in the browser, print sharply and follow its dark mode; a page of
them weighs less than the smallest library that would draw them there. A title shows the value under the pointer. Each
is drawn twice, the second time for a telephone, where a chart that only shrinks has letters too small to read.
"""

from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any, Concatenate, ParamSpec
from xml.etree import ElementTree

from markupsafe import Markup

from autograder.output.plain import plain
from autograder.report.change import Changes
from autograder.report.facts import Class, ExerciseFacts
from autograder.report.items import Item

_WIDTHS = {"full": 600, "narrow": 340}            # in pixels, by the class of the SVG
_LONGEST = {"full": 24, "narrow": 18}             # characters of a label
_COLOURS = {"good": "var(--chart-good)", "half": "var(--chart-half)", "bad": "var(--chart-bad)",
            "none": "var(--chart-none)", "think": "var(--think)"}

_Given = ParamSpec("_Given")


def _for_each_width(draw: Callable[Concatenate[str, _Given], Markup]) -> Callable[_Given, Markup]:
    """The chart in both widths; the page shows the one that fits."""
    @wraps(draw)
    def both(*given: _Given.args, **named: _Given.kwargs) -> Markup:
        return Markup("").join(draw(width, *given, **named) for width in _WIDTHS)
    return both


@_for_each_width
def points_chart(width: str, of: Class) -> Markup:
    """How many students have how many points; those below the pass mark in another colour."""
    chart = _chart("Bar", "points-chart", ("think",), width, height=300, show_legend=False, x_title="points",
                   y_title="students", print_values=True, print_values_position="top", print_zeroes=False)
    chart.x_labels = [bin_.label for bin_ in of.bins]
    most = max((bin_.count for bin_ in of.bins), default=0)
    step = -(-most // 8) or 1                       # students are whole
    chart.y_labels = range(0, most + step, step)
    chart.add("students", [{"value": bin_.count, "color": _COLOURS["half" if bin_.passing == "no" else "think"]}
                           for bin_ in of.bins])
    if width == "narrow":                           # there is room for a few numbers below the bars
        chart.x_labels_major_count, chart.show_minor_x_labels = 5, False
    return _svg(chart, width, f"Histogram of the points of {len(of.points)} students; the table below has the numbers")


@_for_each_width
def exercises_chart(width: str, exercises: Sequence[ExerciseFacts]) -> Markup:
    """Per exercise, the share of students with all points, some, none, and with nothing written."""
    chart = _chart("HorizontalStackedBar", "exercises-chart", ("good", "half", "bad", "none"), width,
                   height=(110 if width == "full" else 150) + 44 * len(exercises), range=(0, 100),
                   x_title="% of the students graded", legend_at_bottom=True,
                   legend_at_bottom_columns=4 if width == "full" else 1)
    shown = list(reversed(exercises))               # the first exercise goes at the top
    chart.x_labels = [_short(exercise.name, width) for exercise in shown]
    for label, name in (("all points", "full"), ("some", "some"), ("none", "none"), ("not written", "not_written")):
        chart.add(label, [round(100 * getattr(exercise, name) / (exercise.count or 1), 1) for exercise in shown])
    return _svg(chart, width,
                "Per exercise, how many students have all points, some or none; the table below has the numbers")


@_for_each_width
def items_chart(width: str, items: Sequence[Item]) -> Markup:
    """Each check as a dot: the share that passes, and how well it discriminates."""
    dots = [(item, item.share, item.rest) for item in items if item.share is not None and item.rest is not None]
    chart = _chart("XY", "items-chart", ("think", "bad"), width, height=380, stroke=False, dots_size=5,
                   x_title="share that passes (%)", y_title="item-rest correlation (rir)", legend_at_bottom=True,
                   xrange=(0, 100), range=(min([-0.2, *(rest for _, _, rest in dots)]), 1),
                   show_legend=any(item.odd for item, _, _ in dots))
    for label, odd in (("checks", False), ("odd", True)):
        chart.add(label, [{"value": (round(100 * share, 1), round(rest, 2)),
                           "label": plain(f"{item.column.exercise} / {item.column.check}")}
                          for item, share, rest in dots if item.odd is odd])
    return _svg(chart, width,
                "Each check by how many pass it and how well it separates; the table below has the numbers")


@_for_each_width
def changes_chart(width: str, changes: Changes) -> Markup:
    """The mean share of points per exercise, before and now."""
    both = list(reversed(changes.exercises))
    chart = _chart("HorizontalBar", "changes-chart", ("think", "none"), width, height=110 + 56 * len(both),
                   range=(0, 100), x_title="mean, % of the points", legend_at_bottom=True)
    chart.x_labels = [_short(facts.name, width)
                      for facts in (after or before for before, after in both) if facts is not None]
    for label, side in (("now", 1), ("before", 0)):
        shares = [facts and facts.share for facts in (pair[side] for pair in both)]
        chart.add(label, [None if share is None else round(100 * share) for share in shares])
    return _svg(chart, width, "Mean per exercise before and now; the table below has the numbers")


def _short(name: str, width: str) -> str:
    """A name short enough to leave room for the chart: beside longer names pygal finds none, and loops forever."""
    name, longest = plain(name), _LONGEST[width]
    return name if len(name) <= longest else f"{name[:longest - 1]}…"


def _chart(kind: str, name: str, colours: Sequence[str], width: str, **options: Any) -> Any:
    import pygal
    from pygal.style import Style
    style = Style(background="transparent", plot_background="transparent", foreground="var(--ink)",
                  foreground_strong="var(--ink)", foreground_subtle="var(--line)", guide_stroke_color="var(--line)",
                  major_guide_stroke_color="var(--line)", guide_stroke_dasharray="none",
                  major_guide_stroke_dasharray="none", opacity="1", opacity_hover="1", transition="none",
                  colors=tuple(_COLOURS[colour] for colour in colours), value_colors=("var(--ink)",) * len(colours),
                  font_family="inherit", label_font_size=13, major_label_font_size=13, value_font_size=13,
                  title_font_size=13, legend_font_size=13)
    settings = {"width": _WIDTHS[width], "js": [], "style": style, "disable_xml_declaration": True, "margin": 8,
                "margin_bottom": 20,
                "truncate_label": -1, "truncate_legend": -1, "show_minor_y_labels": True, **options}
    chart = getattr(pygal, kind)(**settings)
    if width == "narrow" and kind.startswith("Horizontal"):
        chart.y_labels = (0, 50, 100)               # of the axis that lies down
    chart.uuid = name if width == "full" else f"{name}-{width}"
    return chart


def _svg(chart: Any, width: str, description: str) -> Markup:
    """The chart as an element of the page. Only the SVG stays; its tooltips become titles."""
    root = _titles(ElementTree.fromstring(chart.render(is_unicode=True)))
    root.set("role", "img")
    root.set("class", f"{root.get('class', '')} {width}".strip())
    root.set("aria-label", description)
    ElementTree.register_namespace("", "http://www.w3.org/2000/svg")
    return Markup(ElementTree.tostring(root, encoding="unicode"))


def _titles(root: ElementTree.Element) -> ElementTree.Element:
    """The SVG without pygal's scripts, whose values in <desc> become <title>, which browsers show by themselves."""
    for parent in root.iter():
        if (parent.get("id") or "").startswith("activate-"):            # the same in every chart, and for scripts
            del parent.attrib["id"]
        described = {child.get("class"): plain(child.text or "") for child in parent if child.tag.endswith("desc")}
        for child in list(parent):
            if child.tag.endswith(("desc", "script")) or child.tag.endswith("rect") and "width" not in child.attrib:
                parent.remove(child)
        words = [described[key] for key in ("label", "x_label", "value") if described.get(key)]
        if words:
            ElementTree.SubElement(parent, "title").text = ": ".join(words)
    return root
