"""Q, K, V and the weights, where a student's cache has them under a usual name: they show which step is wrong.

What a cache holds need not be what was computed with. So a step is called wrong only where what comes after it follows
from it.
"""

from collections.abc import Iterator, Mapping

import numpy as np

from autograder.lessons.kit.compare import TOLERANCE, alike
from autograder.lessons.kit.relation import turned_into
from autograder.lessons.multihead.families.common import joined, softmax, turned
from autograder.records import Text, text

_NAMES = {"q": "Q", "k": "K", "v": "V", **dict.fromkeys(
    ("weights", "w", "a", "attn", "att", "probs", "p", "alpha", "attention_weights", "gewichten"), "weights")}
PARTS = ("Q", "K", "V")


def but(got: np.ndarray, want: np.ndarray, name: Text | str, axes: str) -> Text | None:
    """What one simple thing is different about it."""
    found = turned_into(got, want, axes)
    return found and text("{name} is what it should be, but with {what}", name=name, what=found[1])


def of_cache(cache: object) -> dict[str, np.ndarray]:
    """Q, K, V and the weights by their usual names, wherever in the cache's dicts they are."""
    found: dict[str, np.ndarray] = {}
    for key, value in _entries(cache):
        name = _NAMES.get(key.lower())
        if name and isinstance(value, np.ndarray) and value.ndim > 2:
            found.setdefault(name, value)
    return found or _by_shape(cache)


def _by_shape(cache: object) -> dict[str, np.ndarray]:
    """Three arrays of one shape (B, H, T, d) and one (B, H, T, T) without names: Q, K, V and the weights."""
    arrays = [value for _, value in _entries(cache) if isinstance(value, np.ndarray) and value.ndim == 4]
    square = [one for one in arrays if one.shape[2] == one.shape[3]]
    others = [one for one in arrays if one.shape[2] != one.shape[3]]
    if len(square) != 1 or len(others) != len(PARTS) or len({one.shape for one in others}) > 1:
        return {}
    return {**dict(zip(PARTS, others, strict=True)), "weights": square[0]}


def _entries(cache: object) -> Iterator[tuple[str, object]]:
    parts = cache.items() if isinstance(cache, dict) else enumerate(cache) if isinstance(cache, tuple | list) else ()
    for key, value in parts:
        yield str(key), value
        yield from _entries(value)


def first_inside(leaves: Mapping[str, np.ndarray], right: Mapping[str, np.ndarray], allowed: np.ndarray
                 ) -> tuple[str, Text] | None:
    """The first of Q, K, V, the weights and J that is wrong, from which all that comes after it follows."""
    own = {name: leaves[name] for name in PARTS if name in leaves and leaves[name].shape == right["q"].shape}
    weights = leaves.get("weights")
    if len(own) < len(PARTS) or weights is None or weights.shape != right["weights"].shape:
        return None
    Q, K, V = (own[name] for name in PARTS)
    wrong = [name for name in PARTS if not alike(own[name], right[name.lower()])]
    mixed = alike(leaves.get("J"), joined(weights @ V))
    weighed = alike(weights, softmax(np.where(allowed, Q @ turned(K) / Q.shape[-1] ** 0.5, -np.inf)))
    if mixed and weighed and wrong:
        return _part(wrong, own, right)
    if wrong or mixed is alike(weights, right["weights"]):
        return None
    if mixed:
        return _weights(weights, allowed)
    return "mixing", text("Q, K, V and the weights in your cache are right, and J is not: look at how the weights mix "
                          "V, and at how the heads are joined")


def _part(wrong: list[str], own: Mapping[str, np.ndarray], right: Mapping[str, np.ndarray]) -> tuple[str, Text]:
    name = wrong[0]
    where = but(own[name], right[name.lower()], name, "BHTd") or text(
        "{name} is not right: look at the way from X to {name}", name=name)
    if len(wrong) == len(PARTS):
        found = [turned_into(own[part], right[part.lower()], "BHTd") for part in PARTS]
        if found[0] and {one and one[0] for one in found} == {found[0][0]}:
            return "first-wrong-X", text("Q, K and V are what they should be, but with {what}", what=found[0][1])
        return "first-wrong-X", text("Q, K and V are not right: look at what is done with X, and at the way from X to "
                                     "each of them")
    others = ", ".join(part for part in PARTS if part not in wrong)
    return f"first-wrong-{name}", text("{right}: right. {where}", right=others, where=where)


def _weights(weights: np.ndarray, allowed: np.ndarray) -> tuple[str, Text]:
    """What is wrong with weights that come from the right Q and K."""
    if not np.isfinite(weights).all():
        return "weights-finite", text("Q, K and V are right, and some weights are not finite (nan or inf): look at the "
                                      "softmax, and at rows of the mask")
    blocked, whole = (np.abs(weights * ~allowed) > TOLERANCE).any(), np.allclose(weights.sum(axis=-1), 1)
    if blocked and not whole:
        return "weights-mask-sum", text("Q, K and V are right. Keys that the mask blocks have a weight, and the "
                                        "weights of a query do not add up to 1: look at the mask, and at the softmax")
    if blocked:
        return "weights-mask", text("Q, K and V are right. Keys that the mask blocks have a weight: look at the mask")
    if not whole:
        return "weights-sum", text("Q, K and V are right. The weights of a query do not add up to 1: look at the step "
                                   "from scores to weights")
    if (weights == 0).any(where=np.broadcast_to(allowed, weights.shape)):
        return "weights-missing", text("Q, K and V are right. Keys that the mask allows have no weight at all: look at "
                                       "the mask that you use, and at whatever else leaves keys out")
    return "scores", text("Q, K and V are right. The weights of a query add up to 1 and are zero where the mask "
                          "blocks; still they are not right: look at the scores, and at what the softmax gets")
