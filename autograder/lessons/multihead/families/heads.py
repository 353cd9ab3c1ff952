"""split_heads and merge_heads as a reshape and a swap of axes, in every order, and what may follow."""

from collections.abc import Callable, Iterable, Mapping
from itertools import permutations

import numpy as np

from autograder.lessons.kit.compare import TOLERANCE, off
from autograder.lessons.kit.model import Model, State, Step, Trial, Way, setting, way
from autograder.lessons.kit.relation import FEWEST, misshapen, turned_into, vague
from autograder.lessons.multihead import probes
from autograder.lessons.multihead.families import conditions
from autograder.lessons.multihead.families.common import cut, joined, sizes
from autograder.records import Call, Subject, Text, text

_SHAPES = ("BTHd", "BTdH", "BHTd", "BHdT", "BdTH", "BdHT", "HBTd", "THBd", "HTBd")
_ORDERS = tuple(permutations(range(4)))
Given = Mapping[Call, Mapping[str, np.ndarray]]


def _written(letters: str) -> str:
    return f"({', '.join(letters)})"


def _cut_start(call: Call) -> Callable[[Subject | None], State]:
    x, H = call.args
    B, T, C = x.shape
    return lambda _: State(x=x, H=H, B=B, T=T, C=C, d=C // H)


def _join_start(call: Call) -> Callable[[Subject | None], State]:
    h = call.args[0]
    B, H, T, d = h.shape
    return lambda _: State(h=h, H=H, B=B, T=T, C=H * d, d=d)


def _trial(call: Call, start: Callable[[Call], Callable[[Subject | None], State]]) -> Trial:
    state = start(call)(None)
    return Trial(call, start(call), sizes(state.B, state.T, state.H, state.d))


def _cut_way(letters: str, order: tuple[int, ...]) -> Way:
    what = text("a reshape to {shape} and then transpose{order}", shape=_written(letters), order=str(order))
    if order == (0, 1, 2, 3):
        what = text("a reshape straight to {shape}", shape=_written(letters))
    return way(f"reshape-{letters}-{''.join(map(str, order))}", what,
               y=lambda s: s.x.reshape([getattr(s, axis) for axis in letters]).transpose(order))


def _join_way(order: tuple[int, ...], letters: str) -> Way:
    what = text("transpose{order} and then a reshape to {shape}", shape=_written(letters), order=str(order))
    if order == (0, 1, 2, 3):
        what = text("a reshape straight to {shape}", shape=_written(letters))
    return way(f"join-{''.join(map(str, order))}-{letters}", what,
               y=lambda s: s.h.transpose(order).reshape([getattr(s, axis) for axis in letters]))


def _after(id: str, what: Text, change: Callable[[np.ndarray, State], np.ndarray]) -> Way:
    return way(id, what, y=lambda s: change(s.y, s))


_WORDS = {"head": text("heads"), "time": text("tokens"), "feature": text("features"), "batch": text("sequences")}


def _along(axis: int, what: str) -> tuple[Way, ...]:
    """What may happen along one axis."""
    word = _WORDS[what]
    return (
        _after(f"{what}-reversed", text("the {what} in reversed order", what=word), lambda y, s: np.flip(y, axis)),
        _after(f"{what}-rolled", text("the {what} shifted by one", what=word), lambda y, s: np.roll(y, 1, axis)),
        _after(f"{what}-rolled-back", text("the {what} shifted back by one", what=word),
               lambda y, s: np.roll(y, -1, axis)),
        _after(f"{what}-first", text("the first of the {what} only", what=word),
               lambda y, s: np.take(y, [0], axis)),
        _after(f"{what}-first-repeated", text("the first of the {what} in the place of all", what=word),
               lambda y, s: np.take(y, [0], axis) + 0 * y),
        _after(f"{what}-without-last", text("the last of the {what} missing", what=word),
               lambda y, s: np.take(y, range(y.shape[axis] - 1), axis)),
        _after(f"{what}-without-first", text("the first of the {what} missing", what=word),
               lambda y, s: np.take(y, range(1, y.shape[axis]), axis)),
        _after(f"{what}-averaged", text("the {what} averaged", what=word),
               lambda y, s: y.mean(axis, keepdims=True) + 0 * y),
        _after(f"{what}-sorted", text("the {what} sorted", what=word), lambda y, s: np.sort(y, axis)))


def _to_h(s: State, one: Way) -> None:
    """Do to h what the way does to y."""
    s.y = s.h
    one.do(s)
    s.h = s.y



def _parts(answer: object) -> dict[str, object]:
    return {"split_heads(x, heads)": answer, "merge_heads(h)": answer}


def _holds(given: Given, axes: str, source: str, expected: Callable[[Call], np.ndarray]) -> tuple[str, Text] | None:
    """Which number is in the place of another, by their places in the input."""
    for call, leaves in given.items():
        got, want, numbers = next(iter(leaves.values()), None), expected(call), call.args[0]
        if got is None:
            continue
        if got.shape != want.shape:
            if found := misshapen(got, want, axes):
                return found[0], text("the result is what it should be, but with {what}", what=found[1])
            continue
        if not off(got, want).any():
            continue
        found = turned_into(got, want, axes)
        if found and not vague(found[0]):
            return found[0], text("the result is what it should be, but with {what}", what=found[1])
        at = tuple(int(i) for i in np.argwhere(off(got, want))[0])
        found, belongs = (np.argwhere(numbers == value) for value in (got[at], want[at]))
        if len(found) == len(belongs) == 1:
            return "number-elsewhere", text(
                "[{at}] of the result ({axes}) holds {source}[{found}], and {source}[{belongs}] belongs there",
                at=_index(at), axes=", ".join(axes), source=source, found=_index(found[0]), belongs=_index(belongs[0]))
        if found := _together(got, want, numbers, source):
            return found[0], text("where the result is wrong, from [{at}] ({axes}) on, it holds {what}",
                                  at=_index(at), axes=", ".join(axes), what=found[1])
        return "number-changed", text("the result holds numbers that are not in {source}, from [{at}] ({axes}) on",
                                      at=_index(at), axes=", ".join(axes), source=source)
    return None


def _together(got: np.ndarray, want: np.ndarray, numbers: np.ndarray, source: str) -> tuple[str, Text] | None:
    """Sums or means of the input's numbers in the places that are wrong, and perhaps zeros."""
    wrong = got[off(got, want)]
    wrong = wrong[wrong != 0]
    for axis in range(numbers.ndim if wrong.size >= FEWEST else 0):
        of = {"index": axis, "source": source}
        for id, what, made in (("sum", text("sums over axis {index} of {source}", **of), np.sum),
                               ("mean", text("means over axis {index} of {source}", **of), np.mean)):
            if np.isclose(wrong[:, None], made(numbers, axis=axis).ravel(), rtol=TOLERANCE, atol=0).any(axis=1).all():
                return f"number-{id}-{axis}", what
    return None


def _index(at: Iterable[object]) -> str:
    return ", ".join(map(str, at))


NOTHING_RIGHT = frozenset({"all-zeros", "number-elsewhere", "number-changed"})
SPLIT = Model(
    "split_heads", tuple(_trial(call, _cut_start) for call in (probes.SPLIT, probes.SPLIT_OTHER)),
    (Step(setting(y=lambda s: cut(s.x, s.H)), tuple(_cut_way(letters, order) for letters in _SHAPES for order in _ORDERS
                                                    if (letters, order) != ("BTHd", (0, 2, 1, 3)))),
     Step(lambda s: None, (*_along(1, "head"), *_along(2, "time"), *_along(3, "feature"), *_along(0, "batch")))),
    {"split_heads(x, heads)": "y"}, _parts,
    first_wrong=lambda given, _: _holds(given, "BHTd", "x", lambda call: cut(*call.args)),
    nothing_right=NOTHING_RIGHT, vague=frozenset({"number-changed"}), conditions=conditions.SPLIT)
MERGE = Model(
    "merge_heads", tuple(_trial(call, _join_start) for call in (probes.MERGE, probes.MERGE_OTHER)),
    (Step(lambda s: None, tuple(Way(one.id, one.what, lambda s, one=one: _to_h(s, one)) for one in _along(1, "head"))),
     Step(setting(y=lambda s: joined(s.h)), tuple(
        _join_way(order, letters) for letters in ("BTC", "TBC", "BCT") for order in _ORDERS
        if (letters, order) != ("BTC", (0, 2, 1, 3)))),
     Step(lambda s: None, (*_along(1, "time"), *_along(2, "feature"), *_along(0, "batch")))),
    {"merge_heads(h)": "y"}, _parts,
    first_wrong=lambda given, _: _holds(given, "BTC", "h", lambda call: joined(*call.args)),
    nothing_right=NOTHING_RIGHT, vague=frozenset({"number-changed"}), conditions=conditions.MERGE)
