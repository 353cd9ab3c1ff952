"""The middle of multihead: scores, their scale, the mask and the softmax, and wrong ways."""

from collections.abc import Callable

import numpy as np

from autograder.lessons.kit.model import Do, State, Step, Way, setting, way
from autograder.lessons.multihead.families.common import softmax, turned
from autograder.records import text

_DIVISORS: dict[str, Callable[[State], float]] = {
    "1": lambda s: 1.0, "2": lambda s: 2.0, "8": lambda s: 8.0, "10": lambda s: 10.0, "d": lambda s: s.d,
    "C": lambda s: s.C, "√C": lambda s: s.C ** 0.5, "√(2d)": lambda s: (2 * s.d) ** 0.5, "d/2": lambda s: s.d / 2,
    "2√d": lambda s: 2 * s.d ** 0.5, "√d/2": lambda s: s.d ** 0.5 / 2, "√H": lambda s: s.H ** 0.5, "H": lambda s: s.H,
    "√T": lambda s: s.T ** 0.5, "T": lambda s: s.T, "1/√d": lambda s: s.d ** -0.5, "1/d": lambda s: 1 / s.d,
    "d²": lambda s: s.d ** 2, "d·√d": lambda s: s.d ** 1.5, "⌊√d⌋": lambda s: int(s.d ** 0.5),
    "round(√d)": lambda s: round(s.d ** 0.5), "d+1": lambda s: s.d + 1, "√(d+1)": lambda s: (s.d + 1) ** 0.5,
    "√(d-1)": lambda s: max(s.d - 1, 1) ** 0.5, "d^(1/4)": lambda s: s.d ** 0.25, "log d": lambda s: np.log(s.d),
    "∛d": lambda s: s.d ** (1 / 3), "2d": lambda s: 2 * s.d, "log(d+1)": lambda s: np.log(s.d + 1), "4": lambda s: 4.0,
    "√d+1": lambda s: s.d ** 0.5 + 1, "√d·√C": lambda s: (s.d * s.C) ** 0.5,
    "√d·H": lambda s: s.d ** 0.5 * s.H, "-√d": lambda s: -s.d ** 0.5}


def _unit(a: np.ndarray) -> np.ndarray:
    return a / np.linalg.norm(a, axis=-1, keepdims=True)


SCORES = Step(setting(scores=lambda s: s.q @ turned(s.k)), (
    way("scores-of-cosines", text("queries and keys of length 1"), scores=lambda s: _unit(s.q) @ turned(_unit(s.k))),
    way("scores-of-distances", text("minus the squared distance of query and key"),
        scores=lambda s: -((s.q[..., :, None, :] - s.k[..., None, :, :]) ** 2).sum(-1)),
    way("scores-with-all-heads", text("scores of a query with the keys of all heads added up"),
        scores=lambda s: s.q @ turned(s.k.sum(1, keepdims=True))),
    way("scores-absolute", "|Q·Kᵀ|", scores=lambda s: np.abs(s.q @ turned(s.k))),
    way("scores-squared", "(Q·Kᵀ)²", scores=lambda s: (s.q @ turned(s.k)) ** 2)))

def _keys(s: State) -> np.ndarray:
    """How many keys each query may look at, as a column."""
    return np.maximum(s.allowed.sum(-1, keepdims=True), 1)


SCALE = Step(setting(scores=lambda s: s.scores / s.d ** 0.5), (
    *(way(f"scores-by-{name}", text("scores divided by {number}", number=name),
          scores=lambda s, by=by: s.scores / by(s)) for name, by in _DIVISORS.items()),
    way("scores-by-√keys", text("scores divided by the root of how many keys the query may look at"),
        scores=lambda s: s.scores / _keys(s) ** 0.5),
    way("scores-by-keys", text("scores divided by how many keys the query may look at"),
        scores=lambda s: s.scores / _keys(s)),
    way("scores-cut-down", text("scores that are rounded down after the scale"),
        scores=lambda s: np.floor(s.scores / s.d ** 0.5))))


#: the scores as they were before the mask
KEEP = Step(setting(unmasked=lambda s: s.scores))


def _masked(allowed: Callable[[State], np.ndarray], fill: float = -np.inf) -> Do:
    return setting(scores=lambda s: np.where(allowed(s), s.scores, fill))


def _causal(s: State, k: int = 0) -> np.ndarray:
    return np.tril(np.ones((s.T, s.T), dtype=bool), k)


def _or_self(mask: np.ndarray) -> np.ndarray:
    """The mask, with the diagonal in rows that have no key."""
    return mask | ~mask.any(-1, keepdims=True) & np.eye(len(mask), dtype=bool)


def _or_first(mask: np.ndarray) -> np.ndarray:
    """The mask, with the first key in rows that have none."""
    return mask | ~mask.any(-1, keepdims=True) & (np.arange(len(mask)) == 0)


def _but_last(mask: np.ndarray) -> np.ndarray:
    """The mask without the last key of each row."""
    return mask & (np.cumsum(mask, axis=-1) < mask.sum(-1, keepdims=True))


MASK = Step(_masked(lambda s: s.allowed), (
    Way("mask-ignored", text("a mask that does not count"), lambda s: None),
    Way("mask-transposed", text("the mask with queries and keys exchanged"), _masked(lambda s: s.allowed.T)),
    Way("mask-inverted", text("the mask inverted"), _masked(lambda s: ~s.allowed)),
    Way("mask-without-diagonal", text("a mask in which no token sees itself"),
        _masked(lambda s: s.allowed & ~np.eye(s.T, dtype=bool))),
    Way("mask-diagonal-forced", text("a mask in which every token sees itself, whatever was given"),
        _masked(lambda s: s.allowed | np.eye(s.T, dtype=bool))),
    Way("mask-causal", text("a causal mask instead of the one that was given"), _masked(_causal)),
    Way("mask-anticausal", text("a mask that hides the past instead of the one that was given"),
        _masked(lambda s: _causal(s).T)),
    Way("mask-causal-too", text("a causal mask on top of the one that was given"),
        _masked(lambda s: s.allowed & _causal(s))),
    Way("mask-or-past", text("a mask that always lets the past through"), _masked(lambda s: s.allowed | _causal(s))),
    Way("mask-or-transposed", text("a mask that holds in both directions"), _masked(lambda s: s.allowed | s.allowed.T)),
    Way("mask-and-transposed", text("a mask that has to allow both directions"),
        _masked(lambda s: s.allowed & s.allowed.T)),
    Way("mask-causal-or-self", text("a causal mask on top of the one that was given, and a token itself where no key "
                                    "is left"), _masked(lambda s: _or_self(s.allowed & _causal(s)))),
    Way("mask-future-or-self", text("a mask that lets only later tokens be seen, and a token itself where no key is "
                                    "left"), _masked(lambda s: _or_self(s.allowed & ~_causal(s)))),
    Way("mask-transposed-or-self", text("the mask with queries and keys exchanged, and a token itself where no key is "
                                        "left"), _masked(lambda s: _or_self(s.allowed.T))),
    Way("mask-without-last-key", text("a mask without the last key that each query may look at"),
        _masked(lambda s: _or_first(_but_last(s.allowed)))),
    Way("mask-without-first-key", text("a mask without the first key that each query may look at"),
        _masked(lambda s: _or_self(_but_last(s.allowed[:, ::-1])[:, ::-1]))),
    Way("mask-neighbours", text("a mask that lets a token see itself and its neighbours alone"),
        _masked(lambda s: s.allowed & _causal(s, 1) & _causal(s, 1).T)),
    Way("mask-with-first-key", text("a mask that always lets the first key through"),
        _masked(lambda s: s.allowed | (np.arange(s.T) == 0))),
    *(Way(f"mask-{axis}-shifted-by-{k}", text("the mask shifted by {number} along its {axis}", number=k, axis=word),
          _masked(lambda s, k=k, axis=axis: np.roll(s.allowed, k, axis=0 if axis == "rows" else 1)))
      for k in (-2, -1, 1, 2) for axis, word in (("rows", text("rows")), ("columns", text("columns")))),
    Way("mask-both-shifted", text("the mask shifted by {number} along its {axis}", number=1, axis=text("diagonal")),
        _masked(lambda s: np.roll(s.allowed, (1, 1), axis=(0, 1)))),
    Way("mask-reversed", text("the mask upside down"), _masked(lambda s: s.allowed[::-1])),
    Way("mask-mirrored", text("the mask mirrored from left to right"), _masked(lambda s: s.allowed[:, ::-1])),
    Way("mask-first-row", text("the first row of the mask for every query"),
        _masked(lambda s: np.repeat(s.allowed[:1], s.T, 0))),
    Way("mask-last-row", text("the last row of the mask for every query"),
        _masked(lambda s: np.repeat(s.allowed[-1:], s.T, 0))),
    *(Way(f"mask-filled-with-{fill:g}", text("blocked scores of {number} instead of -inf", number=f"{fill:g}"),
          _masked(lambda s: s.allowed, fill)) for fill in (0.0, -1.0, -2.0, -5.0, -10.0, 1.0)),
    way("mask-added", text("the mask added to the scores as zeros and ones"), scores=lambda s: s.scores + s.allowed)))


def _zeroed(s: State) -> np.ndarray:
    """Scores with zeros where the mask blocks."""
    return np.where(np.isfinite(s.scores), s.scores, 0)


def _shared_out(a: np.ndarray) -> np.ndarray:
    total = a.sum(-1, keepdims=True)
    return a / np.where(total == 0, 1, total)


def _plain_softmax(scores: np.ndarray, allowed: np.ndarray, blocked: float, axis: int) -> np.ndarray:
    """As students write it: where the mask blocks all that is added up, nan or equal weights come out."""
    scores = np.where(allowed, scores, blocked)
    part = np.exp(scores - np.max(scores, axis=axis, keepdims=True))
    return part / part.sum(axis=axis, keepdims=True)


def _summed_elsewhere(scores: np.ndarray, allowed: np.ndarray, axis: int) -> np.ndarray:
    """The maximum of each query is taken off, and then the sum is over another axis; what is 0 / 0 is nan."""
    scores = np.where(allowed, scores, -np.inf)
    part = np.exp(scores - scores.max(-1, keepdims=True))
    return part / part.sum(axis=axis, keepdims=True)


def _of_length_1(scores: np.ndarray) -> np.ndarray:
    part = np.exp(scores - scores.max(-1, keepdims=True))
    return part / np.sqrt((part ** 2).sum(-1, keepdims=True))


WEIGHTS = Step(setting(weights=lambda s: softmax(s.scores)), (
    way("softmax-over-queries", text("a softmax over the queries"), weights=lambda s: softmax(s.scores, -2)),
    way("softmax-over-heads", text("a softmax over the heads"), weights=lambda s: softmax(s.scores, 1)),
    way("softmax-over-batch", text("a softmax over the sequences"), weights=lambda s: softmax(s.scores, 0)),
    *(way(f"softmax-over-{axis}-{id}", text("a softmax over the {axis}", axis=word),
          weights=lambda s, at=at, blocked=blocked: _plain_softmax(s.unmasked, s.allowed, blocked, at))
      for axis, word, at in (("heads", text("heads"), 1), ("batch", text("sequences"), 0),
                             ("queries", text("queries"), -2))
      for id, blocked in (("nan", -np.inf), ("filled", -1e9))),
    way("softmax-over-table", text("one softmax over the whole table of queries and keys"),
        weights=lambda s: softmax(s.scores, (-1, -2))),
    way("softmax-over-everything", text("one softmax over all scores"),
        weights=lambda s: softmax(s.scores, (0, 1, 2, 3))),
    way("softmax-missing", text("scores in the place of weights, without a softmax"), weights=_zeroed),
    way("softmax-not-normalised", text("exp(scores) that is not divided by its sum"),
        weights=lambda s: np.exp(s.scores)),
    way("softmax-shifted-not-normalised", text("exp(scores - maximum) that is not divided by its sum"),
        weights=lambda s: np.exp(s.scores - s.scores.max(-1, keepdims=True))),
    way("softmax-mean", text("exp(scores) that is divided by the number of keys"),
        weights=lambda s: np.exp(s.scores) / s.T),
    way("softmax-mean-of-keys", text("exp(scores - maximum) that is divided by how many keys the query may look at"),
        weights=lambda s: np.exp(s.scores - s.scores.max(-1, keepdims=True)) / _keys(s)),
    *(way(f"softmax-sum-over-{id}", text("a softmax whose sum is over the {axis}", axis=word),
          weights=lambda s, at=at: _summed_elsewhere(s.unmasked, s.allowed, at))
      for id, word, at in (("heads", text("heads"), 1), ("batch", text("sequences"), 0),
                           ("queries", text("queries"), 2))),
    way("softmax-length-1", text("exp(scores) that is divided by the root of the sum of its squares"),
        weights=lambda s: _of_length_1(s.scores)),
    way("softmax-twice", text("a softmax of a softmax"), weights=lambda s: softmax(softmax(s.scores))),
    way("softmax-hard", text("the key with the highest score alone"),
        weights=lambda s: (s.scores == s.scores.max(-1, keepdims=True)) * 1.0),
    way("softmax-base-2", text("powers of 2 instead of e in the softmax"),
        weights=lambda s: softmax(s.scores * np.log(2))),
    way("softmax-sigmoid", text("a sigmoid in the place of the softmax"),
        weights=lambda s: 1 / (1 + np.exp(-s.scores))),
    way("softmax-relu", text("ReLU of the scores, divided by its sum"),
        weights=lambda s: _shared_out(np.maximum(_zeroed(s), 0))),
    way("softmax-linear", text("scores divided by their sum, without exp"), weights=lambda s: _shared_out(_zeroed(s))),
    way("softmax-squared", text("weights that are squared"), weights=lambda s: softmax(s.scores) ** 2),
    way("softmax-of-absolute", text("a softmax of minus the absolute scores"),
        weights=lambda s: softmax(-np.abs(s.scores))),
    way("softmax-of-minus", text("a softmax of minus the scores"),
        weights=lambda s: softmax(np.where(np.isfinite(s.scores), -s.scores, -np.inf))),
    way("weights-even", text("the same weight for every allowed key"),
        weights=lambda s: _shared_out(np.isfinite(s.scores) * 1.0)),
    way("softmax-plus-one", text("a sum in the softmax that has one more in it"),
        weights=lambda s: np.exp(s.scores) / (1 + np.exp(s.scores).sum(-1, keepdims=True))),
    way("mask-after-softmax", text("a mask that comes after the softmax"),
        weights=lambda s: softmax(s.unmasked) * np.isfinite(s.scores))))
