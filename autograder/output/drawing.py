"""Draw the difference between two arrays as tables: the axes with their sizes, one axis, or the numbers."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import prod
from typing import Literal

from autograder.records import Picture, Text, text

LONGEST = 16                                # the most places along an axis that still make a small picture
MOST_AXES = 6
WIDEST = 4                                  # the most numbers side by side that fit on a phone

State = Literal["", "off", "first", "want", "right"]        # of a cell: correct, differs, differs first, ...


@dataclass(frozen=True)
class Entry:
    """One cell: what it shows and its state."""

    shows: str | int
    state: State = ""


@dataclass(frozen=True)
class Head:
    """The heading of a row or column: a place along an axis, or a word."""

    axis: Text | str
    place: int | str = ""
    off: bool = False                       # the difference is here, and not everywhere along the axis


@dataclass(frozen=True)
class Table:
    """A small table; `corner` gives the letters of its row and column axes."""

    title: Sequence[Text]
    corner: str
    columns: Sequence[Head]
    rows: Sequence[tuple[Head, Sequence[Entry]]]


@dataclass(frozen=True)
class Drawing:
    """What is shown below a check: tables in groups that belong side by side, and a sentence about them."""

    groups: Sequence[Sequence[Table]]
    remark: Text | None = None
    name: str = ""


SEEN, EXPECTED = text("yours"), text("expected")


def drawing(picture: Picture | None) -> Drawing | None:
    """How to draw this picture, or None if the drawing would say nothing."""
    if picture is None or not picture.want or max(len(picture.got), len(picture.want)) > MOST_AXES:
        return None
    if picture.got != picture.want:
        return Drawing([[_sizes(picture)], *_both(picture)], _exchanged(picture), picture.name)
    if picture.seen:
        return Drawing(_compared(picture), name=picture.name)
    if picture.axis is not None and picture.want[picture.axis] <= LONGEST:
        return Drawing([[_along(picture)]], name=picture.name)
    return None


# --- the sizes of the axes ----------------------------------------------------------------------------------------

def _sizes(picture: Picture) -> Table:
    """A column per axis: its expected size, and its size in the answer."""
    count = max(len(picture.got), len(picture.want))
    want, got = _padded(picture.want, count), _padded(picture.got, count)
    off = [expected != seen for expected, seen in zip(want, got, strict=True)]
    letters = (*picture.letters, *[""] * count)
    columns = [Head(text("axis"), index, bad) for index, bad in enumerate(off)]
    expected = [Entry(f"{letter} = {size}" if letter else "–", "want" if bad else "")
                for letter, size, bad in zip(letters, want, off, strict=False)]
    seen = [Entry("–" if size is None else size, "off" if bad else "") for size, bad in zip(got, off, strict=True)]
    return Table((), "", columns, [(Head(EXPECTED), expected), (Head(SEEN), seen)])


def _padded(shape: tuple[int, ...], count: int) -> list[int | None]:
    return [*shape, *[None] * (count - len(shape))]


def _exchanged(picture: Picture) -> Text | None:
    """The sentence that exactly two axes have each other's size, if they do."""
    off = [axis for axis, (got, want) in enumerate(zip(picture.got, picture.want, strict=False)) if got != want]
    if len(picture.got) != len(picture.want) or len(off) != 2 or "?" in picture.letters:
        return None
    first, second = off
    if (picture.got[first], picture.got[second]) != (picture.want[second], picture.want[first]):
        return None
    return text("{one} and {other} are exchanged", one=picture.letters[first],
                other=picture.letters[second])


# --- one axis -----------------------------------------------------------------------------------------------------

def _along(picture: Picture) -> Table:
    """A column per place along the axis, with a tick or a cross."""
    axis = picture.axis or 0
    places = range(picture.want[axis])
    off = [(place == picture.index) == picture.differs for place in places]
    word = picture.axes[axis]
    entries = [Entry("✗" if bad else "✓", "off" if bad else "right") for bad in off]
    columns = [Head(word, place, bad) for place, bad in zip(places, off, strict=True)]
    return Table((), f"{picture.letters[axis]} →", columns, [(Head(SEEN), entries)])


# --- the numbers --------------------------------------------------------------------------------------------------

@dataclass(frozen=True)
class _Panel:
    """A slice over the last two axes: its position along the earlier ones, and the indices of its numbers."""

    title: Sequence[Text]
    indices: Sequence[Sequence[int]] = field(default_factory=list)      # of its rows, into the flat array


def _panels(shape: tuple[int, ...], axes: Sequence[Text | str]) -> list[_Panel]:
    """The slices of an array of this shape, in order."""
    shape, axes = ((1,) * (2 - len(shape)) + shape, ("",) * (2 - len(shape)) + tuple(axes))
    *before, rows, columns = shape
    panels = []
    for number in range(prod(before)):
        places, rest = [], number
        for size in reversed(before):
            rest, place = divmod(rest, size)
            places.insert(0, place)
        title = [text("{axis} {index}", axis=axis, index=place)
                 for axis, place, size in zip(axes, places, before, strict=False) if size > 1]
        start = number * rows * columns
        panels.append(_Panel(title, [range(start + row * columns, start + (row + 1) * columns)
                                     for row in range(rows)]))
    return panels


def _compared(picture: Picture) -> list[list[Table]]:
    """Both arrays, slice by slice, with the differences marked."""
    wrong = set(picture.wrong)
    panels = _panels(picture.want, picture.axes)
    return [_one_row(picture, panel, wrong) if len(panel.indices) == 1 else
            [_numbers(picture, panel, wrong, picture.seen, SEEN, "off"),
             _numbers(picture, panel, wrong, picture.expected, EXPECTED, "want")] for panel in panels]


def _one_row(picture: Picture, panel: _Panel, wrong: set[int]) -> list[Table]:
    """A slice of one row: the answer above the expected row; a long row is drawn as a column."""
    [row] = panel.indices
    heads = _heads(picture.axes[-1], len(row), {place for place, index in enumerate(row) if index in wrong})
    seen, expected = _entries(row, picture.seen, wrong, "off"), _entries(row, picture.expected, wrong, "want")
    if len(row) > WIDEST:
        return [Table(panel.title, f"{picture.letters[-1]} ↓", [Head(SEEN), Head(EXPECTED)],
                      list(zip(heads, zip(seen, expected, strict=True), strict=True)))]
    return [Table(panel.title, f"{picture.letters[-1]} →", heads, [(Head(SEEN), seen), (Head(EXPECTED), expected)])]


def _numbers(picture: Picture, panel: _Panel, wrong: set[int], numbers: Sequence[str], whose: Text,
             state: State) -> Table:
    """One of the two arrays in this slice."""
    off = [(row, column) for row, indices in enumerate(panel.indices)
           for column, index in enumerate(indices) if index in wrong]
    rows = _heads(picture.axes[-2], len(panel.indices), {row for row, _ in off})
    columns = _heads(picture.axes[-1], len(panel.indices[0]), {column for _, column in off})
    return Table([*panel.title, whose], _corner(picture.letters), columns,
                 [(head, _entries(row, numbers, wrong, state)) for head, row in zip(rows, panel.indices, strict=True)])


def _corner(letters: str) -> str:
    """Which axis runs down and which runs right."""
    return f"{letters[-2]} ↓ {letters[-1]} →" if len(letters) > 1 else ""


def _heads(axis: Text | str, count: int, off: set[int]) -> list[Head]:
    """The places along an axis; those that differ are marked, unless all of them do."""
    return [Head(axis, place, place in off and len(off) < count) for place in range(count)]


def _entries(row: Sequence[int], numbers: Sequence[str], wrong: set[int], state: State) -> list[Entry]:
    first = min(wrong, default=-1)
    return [Entry(numbers[index], ("first" if index == first and state == "off" else state) if index in wrong else "")
            for index in row]


def _both(picture: Picture) -> list[list[Table]]:
    """Two arrays of different shapes, each by itself; the answer's axes have no names."""
    if not picture.seen or len(picture.got) > len(picture.want):
        return []
    unnamed = [text("axis {index}, place", index=axis) for axis in range(len(picture.got))]
    return [[_plain(panel, picture.seen, unnamed, SEEN, "") for panel in _panels(picture.got, unnamed)],
            [_plain(panel, picture.expected, picture.axes, EXPECTED, picture.letters)
             for panel in _panels(picture.want, picture.axes)]]


def _plain(panel: _Panel, numbers: Sequence[str], axes: Sequence[Text | str], whose: Text, letters: str) -> Table:
    rows = _heads(axes[-2] if len(axes) > 1 else "", len(panel.indices), set())
    columns = _heads(axes[-1] if axes else "", len(panel.indices[0]), set())
    return Table([*panel.title, whose], _corner(letters), columns,
                 [(head, _entries(row, numbers, set(), "")) for head, row in zip(rows, panel.indices, strict=True)])
