"""Find what is wrong of a multihead whose Y is right: what its cache holds, or what only large scores show."""

from collections.abc import Iterator, Mapping

import numpy as np

from autograder.lessons.kit.compare import alike
from autograder.lessons.kit.relation import misshapen, turned_into
from autograder.lessons.multihead import probes
from autograder.lessons.multihead.families.common import joined, softmax, turned
from autograder.records import Subject, Text, text

Word = tuple[str, Text]
#: scores that take the place of minus infinity, and show only where scores are large
_FILLS = (-1.0, -2.0, -5.0, -10.0, -20.0, -30.0, -50.0, -100.0, -200.0, -500.0, -1000.0)


def of_right_output(leaves: Mapping[str, np.ndarray], large: np.ndarray | None, reference: Subject) -> Word | None:
    """What the cache holds in the place of X or J; a Y that is of an earlier question, or too large for its mask."""
    y, cache = reference.answer(probes.GENERAL.forward).value
    for key, name in (("joined", "J"), ("x", "X")):
        if name in leaves and not alike(leaves[name], cache[key]):
            return _in_the_cache(key, name, leaves[name], reference)
    if alike(large, y):
        return "kept", text("With every number in x 60 times as large, Y is the same as before: does your function "
                            "keep something of an earlier call?")
    if large is None or not any(alike(large, _filled(fill, reference)) for fill in _FILLS):
        return None
    return "mask-filled", text("Y is right, but not where scores are large: there it is what comes out with blocked "
                               "scores of some number that is not low enough. Which number is below every score?")


def _in_the_cache(key: str, name: str, got: np.ndarray, reference: Subject) -> Word:
    for what, array in _arrays(reference):
        if alike(got, array):
            return f"cache-{key}-is-{what}", text("Y is right, and cache['{key}'] holds {what}: {name} belongs there",
                                                  key=key, what=what, name=name)
    want = reference.answer(probes.GENERAL.forward).value[1][key]
    if found := misshapen(got, want, "BTC") or turned_into(got, want, "BTC"):
        return f"cache-{key}-{found[0]}", text("Y is right, and cache['{key}'] is {name}, but with {what}",
                                               key=key, name=name, what=found[1])
    if key == "joined":
        return "joined", text("Y is right, and cache['joined'] is not J: which array is multiplied by WO?")
    return "cache-x", text("Y is right, and cache['x'] is not the X that was given: what happens to X before it is "
                           "kept?")


def _arrays(reference: Subject) -> Iterator[tuple[str, np.ndarray]]:
    """What is computed on the way, by name; heads cut, and joined again."""
    y, cache = reference.answer(probes.GENERAL.forward).value
    inside, x, params = cache["attention"], cache["x"], probes.GENERAL.params
    yield from {"X": x, "J": cache["joined"], "Y": y}.items()
    for part in "qkv":
        yield part.upper(), inside[part]
        yield f"X·W{part.upper()}", joined(inside[part])
    yield "X·WO", x @ params["wo"]
    yield "weights·V", inside["weights"] @ inside["v"]


def _filled(fill: float, reference: Subject) -> np.ndarray:
    """Y for large scores, with this number in the place of blocked scores."""
    inside = reference.answer(probes.LARGE_SCORES.forward).value[1]["attention"]
    scores = inside["q"] @ turned(inside["k"]) / inside["q"].shape[-1] ** 0.5
    weights = softmax(np.where(probes.LARGE_SCORES.allowed, scores, fill))
    return joined(weights @ inside["v"]) @ probes.LARGE_SCORES.params["wo"]
