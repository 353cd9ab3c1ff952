"""multihead as steps: projections, heads, scores, mask, weights, mixing, joining, output."""

from collections.abc import Callable

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
    softmax,
    turned,
    without,
)
from autograder.lessons.multihead.families.first_wrong import of_forward
from autograder.lessons.multihead.families.insides import of_cache
from autograder.lessons.multihead.families.scores import KEEP, MASK, SCALE, SCORES, WEIGHTS
from autograder.records import Subject, text


def start(case: probes.Case) -> Callable[[Subject], State]:
    """The arguments of the case, and its sizes."""
    def begin(_: Subject) -> State:
        B, T, C = case.x.shape
        state = {name: np.asarray(matrix, dtype=float) for name, matrix in case.params.items()}
        return State(x=np.asarray(case.x, dtype=float), H=case.heads, allowed=case.allowed, B=B, T=T, C=C,
                     d=C // case.heads, **state)
    return begin


def trial(case: probes.Case) -> Trial:
    B, T, C = case.x.shape
    return Trial(case.forward, start(case), sizes(B, T, case.heads, C // case.heads))


def _projection(part: str) -> Step:
    """X times a matrix, for Q, K or V."""
    own = f"w{part}"
    ways = [way(f"{part}-from-{other}", f"{part.upper()} = X·W{other[1].upper()}",
                **{part: lambda s, other=other: s.x @ getattr(s, other)})
            for other in ("wq", "wk", "wv", "wo") if other != own]
    name = f"{part.upper()} = X·W{part.upper()}"
    return Step(setting(**{part: lambda s: s.x @ getattr(s, own)}), (
        *ways, way(f"{part}-transposed", f"{name}ᵀ", **{part: lambda s: s.x @ getattr(s, own).T}),
        way(f"{part}-not-projected", f"{part.upper()} = X", **{part: lambda s: s.x}),
        way(f"{part}-projected-twice", f"{name}·W{part.upper()}",
            **{part: lambda s: s.x @ getattr(s, own) @ getattr(s, own)}),
        way(f"{part}-negated", f"{part.upper()} = -X·W{part.upper()}", **{part: lambda s: -s.x @ getattr(s, own)})))


def _exchanged(one: str, other: str) -> Way:
    return way(f"{one}-and-{other}-exchanged",
               text("{one} and {other} exchanged", one=one.upper(), other=other.upper()),
               **{one: lambda s: getattr(s, other), other: lambda s: getattr(s, one)})


def _all(f: Callable[[np.ndarray, int], np.ndarray]) -> Do:
    return setting(q=lambda s: f(s.q, s.H), k=lambda s: f(s.k, s.H), v=lambda s: f(s.v, s.H))


def _as_one_head(x: np.ndarray, heads: int) -> np.ndarray:
    return x[:, None]


_EXCHANGE = Step(lambda s: None, (
    _exchanged("q", "k"), _exchanged("k", "v"), _exchanged("q", "v"),
    way("projections-transposed", text("WQ, WK and WV transposed"),
        q=lambda s: s.x @ s.wq.T, k=lambda s: s.x @ s.wk.T, v=lambda s: s.x @ s.wv.T),
    way("k-from-q", "K = Q·WK", k=lambda s: s.q @ s.wk),
    way("v-from-k", "V = K·WV", v=lambda s: s.k @ s.wv),
    *(way(f"parts-{''.join(order)}", text("{parts} as queries, keys and values", parts=", ".join(order).upper()),
          **{part: lambda s, other=other: getattr(s, other) for part, other in zip("qkv", order, strict=True)})
      for order in ("kvq", "vqk")),
    *(way(f"{part}-of-the-{word}-token", text("the {part} of the {word} token", part=part.upper(), word=said),
          **{part: lambda s, part=part, by=by: np.roll(getattr(s, part), by, axis=1)})
      for part in "qkv" for word, said, by in (("previous", text("previous"), 1), ("next", text("next"), -1))),
    *(way(f"{part}-{axis}-reversed", text("the {axis} of {part} in reversed order", axis=word, part=part.upper()),
          **{part: lambda s, part=part, at=at: np.flip(getattr(s, part), at)})
      for part in "qkv" for axis, word, at in (("batch", text("sequences"), 0), ("time", text("time steps"), 1))),
    *(way(f"{part}-of-the-{word}-sequence", text("the {part} of the {word} sequence", part=part.upper(), word=said),
          **{part: lambda s, part=part, by=by: np.roll(getattr(s, part), by, axis=0)})
      for part in "qkv" for word, said, by in (("previous", text("previous"), 1), ("next", text("next"), -1))),
    *(way(f"{part}-of-sequence-0", text("the {part} of sequence 0 for every sequence", part=part.upper()),
          **{part: lambda s, part=part: np.repeat(getattr(s, part)[:1], s.B, 0)}) for part in "qkv"),
    way("keys-shared", text("the keys of head 0 for every head"), k=lambda s: np.tile(s.k[..., :s.d], s.H)),
    way("values-shared", text("the values of head 0 for every head"), v=lambda s: np.tile(s.v[..., :s.d], s.H)),
    way("keys-and-values-shared", text("the keys and values of head 0 for every head"),
        k=lambda s: np.tile(s.k[..., :s.d], s.H), v=lambda s: np.tile(s.v[..., :s.d], s.H)),
    way("queries-shared", text("the queries of head 0 for every head"), q=lambda s: np.tile(s.q[..., :s.d], s.H)),
    way("queries-averaged", text("queries that are averaged over the tokens"),
        q=lambda s: s.q.mean(axis=1, keepdims=True) + 0 * s.q),
    way("first-sequence", text("the keys and values of sequence 0 for every sequence"),
        k=lambda s: np.repeat(s.k[:1], s.B, 0), v=lambda s: np.repeat(s.v[:1], s.B, 0))))

_SPLIT = Step(_all(cut), (
    Way("split-by-reshape", text("Q, K and V reshaped straight to (B, H, T, d)"), _all(cut_by_reshape)),
    Way("split-interleaved", text("heads that take every H-th feature of Q, K and V"), _all(cut_interleaved)),
    Way("one-head", text("one head that is C wide"), _all(_as_one_head)),
    *(Way(f"{part}-by-reshape", text("{part} reshaped straight to (B, H, T, d)", part=part.upper()),
          lambda s, part=part: (_all(cut)(s), vars(s).update({part: cut_by_reshape(joined(getattr(s, part)), s.H)})))
      for part in "qkv"),
    *(Way(f"{part}-heads-reversed", text("the heads of {part} in reversed order", part=part.upper()),
          lambda s, part=part: (_all(cut)(s), vars(s).update({part: getattr(s, part)[:, ::-1]}))) for part in "qkv"),
    *(Way(f"{part}-heads-rolled", text("the heads of {part} shifted by one", part=part.upper()),
          lambda s, part=part: (_all(cut)(s), vars(s).update({part: np.roll(getattr(s, part), 1, axis=1)})))
      for part in "qkv")))


_MIX = Step(setting(mixed=lambda s: s.weights @ s.v), (
    way("weights-transposed", text("weights with queries and keys exchanged"), mixed=lambda s: turned(s.weights) @ s.v),
    way("mix-plus-values", text("V added to the mixture"), mixed=lambda s: s.weights @ s.v + s.v),
    way("mix-plus-queries", text("Q added to the mixture"), mixed=lambda s: s.weights @ s.v + s.q),
    way("mix-of-all-heads", text("a mixture of the V of all heads added up"),
        mixed=lambda s: s.weights @ s.v.sum(1, keepdims=True) + 0 * s.v),
    way("mix-own-token", text("a mixture in which only a token's own V counts"),
        mixed=lambda s: np.einsum("bhii,bhid->bhid", s.weights, s.v)),
    way("mix-sum", text("the sum of all V in the place of the mixture"),
        mixed=lambda s: s.v.sum(2, keepdims=True) + 0 * s.v),
    way("mix-missing", text("V itself in the place of the mixture"), mixed=lambda s: s.v),
    way("weights-of-head-0", text("the weights of head 0 for every head"), mixed=lambda s: s.weights[:, :1] @ s.v),
    way("weights-averaged", text("weights that are averaged over the heads"),
        mixed=lambda s: s.weights.mean(1, keepdims=True) @ s.v),
    way("weights-of-sequence-0", text("the weights of sequence 0 for every sequence"),
        mixed=lambda s: s.weights[:1] @ s.v)))

_JOIN = Step(setting(joined=lambda s: joined(s.mixed)), (
    way("join-by-reshape", text("heads that are joined by a bare reshape"),
        joined=lambda s: joined_by_reshape(s.mixed)),
    way("join-interleaved", text("heads whose features alternate when they are joined"),
        joined=lambda s: joined_interleaved(s.mixed)),
    way("join-reversed", text("heads that are joined in reversed order"), joined=lambda s: joined(s.mixed[:, ::-1])),
    way("join-rolled", text("heads that are joined one place further on"),
        joined=lambda s: joined(np.roll(s.mixed, 1, axis=1))),
    way("join-rolled-back", text("heads that are joined one place further back"),
        joined=lambda s: joined(np.roll(s.mixed, -1, axis=1))),
    way("join-averaged", text("heads that are averaged"), joined=lambda s: np.tile(s.mixed.mean(axis=1), s.H)),
    way("join-summed", text("heads that are added up"), joined=lambda s: np.tile(s.mixed.sum(axis=1), s.H)),
    *(way(f"join-head-{h}", text("{head} in the place of every head", head=head),
          joined=lambda s, h=h: np.tile(s.mixed[:, h], s.H)) for h, head in ENDS),
    *(way(f"join-without-head-{h}", text("zeros in the place of {head}", head=head),
          joined=lambda s, h=h: joined(without(s.mixed, h))) for h, head in ENDS),
    way("join-features-reversed", text("features that are in reversed order within each head"),
        joined=lambda s: joined(s.mixed[..., ::-1])),
    way("join-time-reversed", text("tokens in reversed order"), joined=lambda s: joined(s.mixed[:, :, ::-1])),
    way("join-plus-x", text("X added to J"), joined=lambda s: joined(s.mixed) + s.x)))


def _normed(a: np.ndarray) -> np.ndarray:
    return (a - a.mean(-1, keepdims=True)) / a.std(-1, keepdims=True)


_OUT = Step(setting(y=lambda s: s.joined @ s.wo), (
    way("y-is-joined", "Y = J", y=lambda s: s.joined), way("y-transposed", "Y = J·WOᵀ", y=lambda s: s.joined @ s.wo.T),
    *(way(f"y-with-{w}", f"Y = J·W{w[1].upper()}", y=lambda s, w=w: s.joined @ getattr(s, w))
      for w in ("wq", "wk", "wv")),
    way("y-twice", "Y = J·WO·WO", y=lambda s: s.joined @ s.wo @ s.wo),
    way("y-plus-x", "Y = J·WO + X", y=lambda s: s.joined @ s.wo + s.x),
    way("y-minus-x", "Y = J·WO - X", y=lambda s: s.joined @ s.wo - s.x),
    way("y-plus-joined", "Y = J·WO + J", y=lambda s: s.joined @ s.wo + s.joined),
    way("y-plus-one", "Y = J·WO + 1", y=lambda s: s.joined @ s.wo + 1),
    way("y-relu", "Y = max(J·WO, 0)", y=lambda s: np.maximum(s.joined @ s.wo, 0)),
    way("y-of-relu", "Y = max(J, 0)·WO", y=lambda s: np.maximum(s.joined, 0) @ s.wo),
    way("y-of-tanh", "Y = tanh(J)·WO", y=lambda s: np.tanh(s.joined) @ s.wo),
    way("y-layer-norm", text("a layer norm of Y"), y=lambda s: _normed(s.joined @ s.wo)),
    way("y-of-layer-norm", text("a layer norm of J"), y=lambda s: _normed(s.joined) @ s.wo),
    way("y-tanh", "Y = tanh(J·WO)", y=lambda s: np.tanh(s.joined @ s.wo)),
    way("y-absolute", "Y = |J·WO|", y=lambda s: np.abs(s.joined @ s.wo)),
    way("y-softmax", text("a softmax over the features of Y"), y=lambda s: softmax(s.joined @ s.wo)),
    way("y-centred", text("Y less its mean over the features"),
         y=lambda s: s.joined @ s.wo - (s.joined @ s.wo).mean(-1, keepdims=True)),
    way("y-averaged-over-time", text("Y averaged over the tokens"),
         y=lambda s: (s.joined @ s.wo).mean(1, keepdims=True) + 0 * s.x),
    way("y-first-sequence", text("only sequence 0 of Y"), y=lambda s: (s.joined @ s.wo)[:1]),
    way("y-last-token", text("only the last token of Y"), y=lambda s: (s.joined @ s.wo)[:, -1]),
    way("y-without-last-token", text("Y without its last token"), y=lambda s: (s.joined @ s.wo)[:, :-1]),
    way("y-summed-over-batch", text("Y summed over the sequences"), y=lambda s: (s.joined @ s.wo).sum(0)),
    way("y-head-0", text("head 0 of J alone, times its rows of WO"), y=lambda s: s.joined[..., :s.d] @ s.wo[:s.d]),
    way("y-flat", text("Y flattened to (B·T, C)"), y=lambda s: (s.joined @ s.wo).reshape(-1, s.C))))

STEPS = (_projection("q"), _projection("k"), _projection("v"), _EXCHANGE, _SPLIT, SCORES, SCALE, KEEP, MASK,
         WEIGHTS, _MIX, _JOIN, _OUT)


def parts(answer: object) -> dict[str, object]:
    """y, and of the cache J, and Q, K, V and the weights, if they are there."""
    if not isinstance(answer, tuple) or not answer:
        return {"Y": answer}
    y, *more = answer
    cache = more[0] if more and isinstance(more[0], dict) else {}
    named = {name: cache[key] for name, key in (("J", "joined"), ("X", "x")) if key in cache}
    return {"Y": y, **named, **of_cache(cache)}


OFTEN = frozenset({
    "k-from-wq", "v-from-wk", "q-from-wk", "q-not-projected", "k-not-projected", "v-not-projected", "q-transposed",
    "k-transposed", "v-transposed", "projections-transposed", "q-and-k-exchanged", "k-and-v-exchanged",
    "split-by-reshape", "split-interleaved", "one-head", "scores-by-1", "scores-by-d", "scores-by-C", "scores-by-√C",
    "scores-by-1/√d", "mask-ignored", "mask-transposed", "mask-inverted", "mask-causal", "mask-causal-too",
    "mask-filled-with-0", "mask-filled-with--1", "mask-added", "softmax-over-queries", "softmax-over-heads",
    "softmax-over-table", "softmax-missing", "softmax-not-normalised", "mask-after-softmax", "weights-transposed",
    "join-by-reshape", "join-interleaved", "join-reversed", "join-averaged", "join-summed", "join-head-0",
    "y-is-joined", "y-transposed", "y-plus-x"})
_FLAT = frozenset({"weights-even", "mix-missing", "softmax-hard", "y-first-sequence", "y-last-token"})
NOTHING_RIGHT = frozenset({"all-zeros", "values", "weights"})
TRIALS = (probes.GENERAL, probes.FULL_MASK, probes.ONE_HEAD, probes.OFF_DIAGONAL)
FORWARD = Model("multihead", tuple(map(trial, TRIALS)), STEPS, {"J": "joined", "Y": "y"}, parts, OFTEN,
                _FLAT, of_forward, NOTHING_RIGHT,
                tuple(case.forward for case in (probes.ONE_TOKEN, probes.NARROW_HEADS, probes.LARGE_SCORES)),
                form=text("a tuple (y, cache), with x, heads and joined among the names in the dict cache"),
                conditions=conditions.BOTH, vague=frozenset({"values", "weights"}))
