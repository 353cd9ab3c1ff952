"""multihead_backward as steps: dJ, the heads, the attention's own gradients, the sums over tokens, the routes to x."""

from collections.abc import Callable
from itertools import permutations

import numpy as np

from autograder.lessons.kit.model import Do, Model, State, Step, Trial, Way, setting, way
from autograder.lessons.multihead import probes
from autograder.lessons.multihead.families import conditions
from autograder.lessons.multihead.families.common import (
    ENDS,
    cut,
    cut_by_reshape,
    cut_interleaved,
    joined,
    joined_by_reshape,
    joined_interleaved,
    sizes,
    turned,
    without,
)
from autograder.lessons.multihead.families.first_wrong import of_backward
from autograder.lessons.multihead.families.routes import DX, PARTS
from autograder.lessons.multihead.families.sums import SUMS
from autograder.records import Subject, Text, text


def start(case: probes.Case) -> Callable[[Subject], State]:
    """The cache of the right forward, the matrices and dy."""
    def begin(reference: Subject) -> State:
        _, cache = reference.answer(case.forward).value
        B, T, C = case.x.shape
        matrices = {name: np.asarray(matrix, dtype=float) for name, matrix in case.params.items()}
        return State(x=cache["x"], joined=cache["joined"], H=case.heads, B=B, T=T, C=C, d=C // case.heads,
                     dy=np.asarray(case.dy, dtype=float), **cache["attention"], **matrices)
    return begin


def trial(case: probes.Case) -> Trial:
    B, T, C = case.x.shape
    return Trial(case.backward, start(case), sizes(B, T, case.heads, C // case.heads))


_DY = Step(lambda s: None, (
    way("dy-ones", text("dY that is all ones"), dy=lambda s: np.ones_like(s.dy)),
    way("dy-plus-residual", "dY + X", dy=lambda s: s.dy + s.x),
    way("dy-sequences-reversed", text("the sequences of dY in reversed order"), dy=lambda s: s.dy[::-1]),
    way("dy-cut-off", text("dY with the digits after the point cut off"), dy=lambda s: np.trunc(s.dy)),
    way("dy-less-mean", text("dY less its mean"), dy=lambda s: s.dy - s.dy.mean()),
    way("dy-absolute", "|dY|", dy=lambda s: np.abs(s.dy)),
    way("dy-time-reversed", text("the time steps of dY in reversed order"), dy=lambda s: s.dy[:, ::-1])))

_DJ = Step(setting(dj=lambda s: s.dy @ s.wo.T), (
    way("dJ-no-transpose", "dJ = dY·WO", dj=lambda s: s.dy @ s.wo), way("dJ-is-dY", "dJ = dY", dj=lambda s: s.dy),
    *(way(f"dJ-with-{w}", f"dJ = dY·W{w[1].upper()}ᵀ", dj=lambda s, w=w: s.dy @ getattr(s, w).T)
      for w in ("wq", "wk", "wv")),
    way("dJ-twice", "dJ = dY·WOᵀ·WOᵀ", dj=lambda s: s.dy @ s.wo.T @ s.wo.T),
    way("dJ-plus-dY", "dJ = dY·WOᵀ + dY", dj=lambda s: s.dy @ s.wo.T + s.dy),
    way("dJ-sequences-reversed", text("the sequences of dJ in reversed order"), dj=lambda s: (s.dy @ s.wo.T)[::-1]),
    way("dJ-time-reversed", text("the time steps of dJ in reversed order"), dj=lambda s: (s.dy @ s.wo.T)[:, ::-1]),
    way("dJ-times-J", "dJ = dY·WOᵀ * J", dj=lambda s: s.dy @ s.wo.T * s.joined)))

_SPLIT = Step(setting(dout=lambda s: cut(s.dj, s.H)), (
    way("dJ-by-reshape", text("dJ reshaped straight to (B, H, T, d)"), dout=lambda s: cut_by_reshape(s.dj, s.H)),
    way("dJ-interleaved", text("heads that take every H-th feature of dJ"), dout=lambda s: cut_interleaved(s.dj, s.H)),
    way("dJ-heads-reversed", text("the heads of dJ in reversed order"), dout=lambda s: cut(s.dj, s.H)[:, ::-1]),
    way("dJ-head-0", text("head 0 of dJ for every head"), dout=lambda s: cut(s.dj, s.H)[:, :1] + 0 * s.q),
    way("dJ-heads-averaged", text("dJ that is averaged over the heads"),
        dout=lambda s: cut(s.dj, s.H).mean(1, keepdims=True) + 0 * s.q)))

_DV = Step(setting(dv=lambda s: turned(s.weights) @ s.dout), (
    way("dv-weights-not-transposed", text("dV with the weights where they should be transposed"),
        dv=lambda s: s.weights @ s.dout),
    way("dv-is-dout", text("dV that is dJ itself, without the weights"), dv=lambda s: s.dout),
    way("dv-sum", text("dV with weights that are all one"), dv=lambda s: s.dout.sum(2, keepdims=True) + 0 * s.q),
    way("dv-weights-of-head-0", text("dV with the weights of head 0 for every head"),
        dv=lambda s: turned(s.weights[:, :1]) @ s.dout),
    way("dv-with-v", text("dV that is multiplied by V"), dv=lambda s: turned(s.weights) @ s.dout * s.v)))

_DWEIGHTS = Step(setting(dweights=lambda s: s.dout @ turned(s.v)), (
    way("dweights-with-k", text("K in the gradient of the weights, where V belongs"),
        dweights=lambda s: s.dout @ turned(s.k)),
    way("dweights-with-q", text("Q in the gradient of the weights, where V belongs"),
        dweights=lambda s: s.dout @ turned(s.q)),
    way("dweights-transposed", text("the gradient of the weights with queries and keys exchanged"),
        dweights=lambda s: s.v @ turned(s.dout)),
    way("dweights-with-dv", text("dV in the gradient of the weights, where V belongs"),
        dweights=lambda s: s.dout @ turned(s.dv))))


def _total(s: State, axis: int = -1) -> np.ndarray:
    return np.sum(s.weights * s.dweights, axis=axis, keepdims=True)


_DSCORES = Step(setting(dscores=lambda s: s.weights * (s.dweights - _total(s))), (
    way("softmax-skipped", text("the gradient of the weights taken for that of the scores"),
        dscores=lambda s: s.dweights),
    way("softmax-without-sum", text("a way back through the softmax that does not subtract the sum"),
        dscores=lambda s: s.weights * s.dweights),
    way("softmax-without-weights", text("a way back through the softmax that does not multiply by the weights"),
        dscores=lambda s: s.dweights - _total(s)),
    way("softmax-as-sigmoid", text("weights·(1 - weights) on the way back through the softmax"),
        dscores=lambda s: s.weights * (1 - s.weights) * s.dweights),
    way("softmax-sum-over-queries", text("a sum over the queries on the way back through the softmax"),
        dscores=lambda s: s.weights * (s.dweights - _total(s, -2))),
    way("softmax-sum-over-heads", text("a sum over the heads on the way back through the softmax"),
        dscores=lambda s: s.weights * (s.dweights - _total(s, 1))),
    way("softmax-sum-over-keys-and-heads", text("a sum over keys and heads on the way back through the softmax"),
        dscores=lambda s: s.weights * (s.dweights - np.sum(s.weights * s.dweights, axis=(1, -1), keepdims=True))),
    way("softmax-max", text("a maximum instead of a sum on the way back through the softmax"),
        dscores=lambda s: s.weights * (s.dweights - np.max(s.weights * s.dweights, axis=-1, keepdims=True))),
    way("softmax-sum-over-table", text("a sum over the whole table on the way back through the softmax"),
        dscores=lambda s: s.weights * (s.dweights - np.sum(s.weights * s.dweights, axis=(-1, -2), keepdims=True))),
    way("softmax-mean", text("a mean instead of a sum on the way back through the softmax"),
        dscores=lambda s: s.weights * (s.dweights - _total(s) / s.T)),
    way("softmax-sum-without-weights", text("a sum without the weights on the way back through the softmax"),
        dscores=lambda s: s.weights * (s.dweights - s.dweights.sum(-1, keepdims=True))),
    way("softmax-mean-without-weights", text("a mean without the weights on the way back through the softmax"),
        dscores=lambda s: s.weights * (s.dweights - s.dweights.mean(-1, keepdims=True))),
    way("softmax-plus", text("a sum that is added on the way back through the softmax"),
        dscores=lambda s: s.weights * (s.dweights + _total(s))),
    way("softmax-sum-outside", text("weights that do not multiply the sum on the way back through the softmax"),
        dscores=lambda s: s.weights * s.dweights - _total(s)),
    way("softmax-twice", text("the way back through the softmax taken twice"),
        dscores=lambda s: _through(s.weights, _through(s.weights, s.dweights))),
    way("softmax-minus-weights", text("weights·dweights less the weights on the way back through the softmax"),
        dscores=lambda s: s.weights * s.dweights - s.weights)))


def _through(weights: np.ndarray, dweights: np.ndarray) -> np.ndarray:
    return weights * (dweights - np.sum(weights * dweights, axis=-1, keepdims=True))


_SCALES: dict[str, Callable[[State], float]] = {
    "1": lambda s: 1.0, "d": lambda s: s.d, "√C": lambda s: s.C ** 0.5, "C": lambda s: s.C,
    "1/√d": lambda s: s.d ** -0.5, "d·√d": lambda s: s.d ** 1.5, "√T": lambda s: s.T ** 0.5, "√H": lambda s: s.H ** 0.5}
_SCALE = Step(setting(dscores=lambda s: s.dscores / s.d ** 0.5), tuple(
    way(f"dscores-by-{name}", text("the gradient of the scores divided by {number}", number=name),
        dscores=lambda s, by=by: s.dscores / by(s)) for name, by in _SCALES.items()))

#: what students take for every sequence, head or token
_ONE_FOR_ALL: tuple[tuple[str, Text, Callable[[np.ndarray], np.ndarray]], ...] = (
    ("sequence-0", text("sequence {number}", number=0), lambda a: a[:1] + 0 * a),
    ("head-0", text("head {number}", number=0), lambda a: a[:, :1] + 0 * a),
    ("token-0", text("token {number}", number=0), lambda a: a[:, :, :1] + 0 * a),
    ("all-heads", text("all heads added up"), lambda a: a.sum(1, keepdims=True) + 0 * a))
_DQ = Step(setting(dq=lambda s: s.dscores @ s.k), (
    way("dq-transposed", "dQ = dScoresᵀ·K", dq=lambda s: turned(s.dscores) @ s.k),
    way("dq-with-q", "dQ = dScores·Q", dq=lambda s: s.dscores @ s.q),
    way("dq-with-v", "dQ = dScores·V", dq=lambda s: s.dscores @ s.v),
    *(way(f"dq-with-k-of-{id}", text("dQ with the K of {which} for all", which=which),
          dq=lambda s, f=f: s.dscores @ f(s.k)) for id, which, f in _ONE_FOR_ALL),
    way("dq-unscaled", text("dQ that is not divided by √d"), dq=lambda s: s.dscores @ s.k * s.d ** 0.5),
    way("dq-scaled-twice", text("dQ that is divided by √d twice"), dq=lambda s: s.dscores @ s.k / s.d ** 0.5),
    way("dq-is-q", text("dQ that is Q itself"), dq=lambda s: s.q), way("dq-zero", "dQ = 0", dq=lambda s: 0 * s.q)))

_DK = Step(setting(dk=lambda s: turned(s.dscores) @ s.q), (
    way("dk-not-transposed", "dK = dScores·Q", dk=lambda s: s.dscores @ s.q),
    way("dk-with-k", "dK = dScoresᵀ·K", dk=lambda s: turned(s.dscores) @ s.k),
    way("dk-with-k-not-transposed", "dK = dScores·K", dk=lambda s: s.dscores @ s.k),
    way("dk-with-v", "dK = dScoresᵀ·V", dk=lambda s: turned(s.dscores) @ s.v),
    *(way(f"dk-with-q-of-{id}", text("dK with the Q of {which} for all", which=which),
          dk=lambda s, f=f: turned(s.dscores) @ f(s.q)) for id, which, f in _ONE_FOR_ALL),
    way("dk-unscaled", text("dK that is not divided by √d"), dk=lambda s: turned(s.dscores) @ s.q * s.d ** 0.5),
    way("dk-scaled-twice", text("dK that is divided by √d twice"), dk=lambda s: turned(s.dscores) @ s.q / s.d ** 0.5),
    way("dk-is-k", text("dK that is K itself"), dk=lambda s: s.k), way("dk-zero", "dK = 0", dk=lambda s: 0 * s.q)))


def _named(order: tuple[str, ...]) -> Way:
    """The gradients of the three parts under wrong names."""
    what = ", ".join(f"d{part.upper()} = d{other.upper()}" for part, other in zip(PARTS, order, strict=True)
                     if part != other)
    return Way(f"parts-{''.join(order)}", text("{parts} where each has its own", parts=what),
               setting(**{f"d{part}": lambda s, other=other: getattr(s, f"d{other}")
                          for part, other in zip(PARTS, order, strict=True)}),
               sum(part != other for part, other in zip(PARTS, order, strict=True)))


def _times(part: str) -> tuple[Way, ...]:
    """dQ, dK or dV times a number."""
    return tuple(way(f"d{part}-times-{number}", text("{part} times {number}", part=f"d{part.upper()}", number=number),
                      **{f"d{part}": lambda s, by=by: by * getattr(s, f"d{part}")})
                 for number, by in (("1/2", 0.5), ("2", 2.0), ("-1", -1.0)))


_TIMES = Step(lambda s: None, (
    *(each for part in PARTS for each in _times(part)),
    way("dv-with-dscores", "dV = dScoresᵀ·dJ", dv=lambda s: turned(s.dscores) @ s.dout)))
_ORDERS = [tuple(order) for order in (*permutations(PARTS), "qqv", "kkv", "vvv", "qkq", "qkk", "vkv", "qvv")]
_NAMES = Step(lambda s: None, tuple(_named(order) for order in _ORDERS if "".join(order) != PARTS))


def _merged(f: Callable[[np.ndarray], np.ndarray], parts: str = PARTS) -> Do:
    """dQ, dK and dV as (B, T, C): these parts by `f`, the others correctly."""
    return setting(**{f"d{part}": lambda s, part=part: (f if part in parts else joined)(getattr(s, f"d{part}"))
                      for part in PARTS})


def _tiled(f: Callable[[np.ndarray], np.ndarray]) -> Callable[[np.ndarray], np.ndarray]:
    """One head's worth of gradient, repeated for every head."""
    return lambda h: np.tile(f(h), h.shape[1])


_MERGE = Step(_merged(joined), (
    Way("merge-by-reshape", text("dQ, dK and dV joined by a bare reshape"), _merged(joined_by_reshape)),
    *(Way(f"d{part}-by-reshape", text("{part} joined by a bare reshape", part=f"d{part.upper()}"),
          _merged(joined_by_reshape, part)) for part in PARTS),
    Way("merge-interleaved", text("heads whose features alternate in dQ, dK and dV"), _merged(joined_interleaved)),
    Way("merge-reversed", text("the heads of dQ, dK and dV in reversed order"), _merged(lambda h: joined(h[:, ::-1]))),
    *(Way(f"d{part}-heads-reversed", text("the heads of {part} in reversed order", part=f"d{part.upper()}"),
          _merged(lambda h: joined(h[:, ::-1]), part)) for part in PARTS),
    *(Way(f"merge-without-head-{h}", text("no gradient for {head} in dQ, dK and dV", head=head),
          _merged(lambda h, at=h: joined(without(h, at)))) for h, head in ENDS),
    *(Way(f"d{part}-without-head-{h}", text("no gradient for {head} in {part}", head=head, part=f"d{part.upper()}"),
          _merged(lambda h, at=h: joined(without(h, at)), part)) for part in PARTS for h, head in ENDS),
    Way("merge-averaged", text("dQ, dK and dV averaged over the heads"), _merged(_tiled(lambda h: h.mean(1)))),
    Way("merge-summed", text("dQ, dK and dV added up over the heads"), _merged(_tiled(lambda h: h.sum(1)))),
    Way("merge-head-0", text("head 0 of dQ, dK and dV for every head"), _merged(_tiled(lambda h: h[:, 0])))))


def parts(answer: object) -> dict[str, object]:
    """dX and the four gradients."""
    if not isinstance(answer, tuple) or len(answer) != 2:
        return {}
    dx, grads = answer
    found = grads if isinstance(grads, dict) else {}
    return {"dX": dx, **{f"d{name.upper()}": found[name] for name in probes.WEIGHTS if name in found}}


OFTEN = frozenset({
    "dJ-no-transpose", "dJ-is-dY", "dJ-by-reshape", "dv-weights-not-transposed", "dv-is-dout", "softmax-skipped",
    "softmax-without-sum", "softmax-as-sigmoid", "softmax-sum-over-queries", "softmax-mean", "dscores-by-1",
    "dscores-by-d", "dscores-by-√C", "dq-transposed", "dq-with-q", "dk-not-transposed", "dk-with-k",
    "dk-with-k-not-transposed", "parts-kqv", "parts-qqv", "merge-by-reshape", "sums-transposed", "sums-first-sequence",
    "sums-last-token", "sums-from-joined", "dWO-from-x", "dx-missing-q", "dx-missing-k", "dx-missing-v", "dx-only-q",
    "dx-only-k", "dx-only-v", "dx-no-transpose", "dx-skips-matrices", "dx-plus-dy", "dx-minus-q", "dx-minus-k",
    "dx-minus-v"})
BACKWARD = Model("multihead_backward", tuple(map(trial, (probes.GENERAL, probes.FULL_MASK, probes.ONE_HEAD))),
                 (_DY, _DJ, _SPLIT, _DV, _DWEIGHTS, _DSCORES, _SCALE, _DQ, _DK, _TIMES, _NAMES, _MERGE, SUMS, DX),
                 {"dWO": "dwo", "dWV": "dwv", "dWK": "dwk", "dWQ": "dwq", "dX": "dx"}, parts, OFTEN,
                 first_wrong=of_backward,
                 nothing_right=frozenset({"all-zeros", "first-wrong-dWO", "first-wrong-dWV"}),   # dWO needs no weights
                 form=text("a tuple (dx, grads), with wq, wk, wv and wo as the names in the dict grads"),
                 conditions=conditions.BOTH)
