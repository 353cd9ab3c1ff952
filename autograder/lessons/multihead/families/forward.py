"""multihead as steps: projections, heads, scores, mask, weights, mixing, joining, output."""
from __future__ import annotations

from collections.abc import Callable

import numpy as np

from autograder.lessons.kit.model import Do, Model, State, Step, Trial, Way, setting
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
from autograder.records import Subject, Text, text


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
    ways = [Way(f"{part}-from-{other}", f"{part.upper()} = X·W{other[1].upper()}",
                setting(**{part: lambda s, other=other: s.x @ getattr(s, other)}))
            for other in ("wq", "wk", "wv", "wo") if other != own]
    name = f"{part.upper()} = X·W{part.upper()}"
    return Step(setting(**{part: lambda s: s.x @ getattr(s, own)}), (
        *ways, Way(f"{part}-transposed", f"{name}ᵀ", setting(**{part: lambda s: s.x @ getattr(s, own).T})),
        Way(f"{part}-not-projected", f"{part.upper()} = X", setting(**{part: lambda s: s.x})),
        Way(f"{part}-projected-twice", f"{name}·W{part.upper()}",
            setting(**{part: lambda s: s.x @ getattr(s, own) @ getattr(s, own)})),
        Way(f"{part}-negated", f"{part.upper()} = -X·W{part.upper()}",
            setting(**{part: lambda s: -s.x @ getattr(s, own)}))))


def _exchanged(one: str, other: str) -> Way:
    return Way(f"{one}-and-{other}-exchanged",
               text("{one} and {other} exchanged", one=one.upper(), other=other.upper()),
               setting(**{one: lambda s: getattr(s, other), other: lambda s: getattr(s, one)}))


def _all(f: Callable[[np.ndarray, int], np.ndarray]) -> Do:
    return setting(q=lambda s: f(s.q, s.H), k=lambda s: f(s.k, s.H), v=lambda s: f(s.v, s.H))


def _as_one_head(x: np.ndarray, heads: int) -> np.ndarray:
    return x[:, None]


_EXCHANGE = Step(lambda s: None, (
    _exchanged("q", "k"), _exchanged("k", "v"), _exchanged("q", "v"),
    Way("projections-transposed", text("WQ, WK and WV transposed"),
        setting(q=lambda s: s.x @ s.wq.T, k=lambda s: s.x @ s.wk.T, v=lambda s: s.x @ s.wv.T)),
    Way("k-from-q", "K = Q·WK", setting(k=lambda s: s.q @ s.wk)),
    Way("v-from-k", "V = K·WV", setting(v=lambda s: s.k @ s.wv)),
    *(Way(f"parts-{''.join(order)}", text("{parts} as queries, keys and values", parts=", ".join(order).upper()),
          setting(**{part: lambda s, other=other: getattr(s, other) for part, other in zip("qkv", order, strict=True)}))
      for order in ("kvq", "vqk")),
    *(Way(f"{part}-of-the-{word}-token", text("the {part} of the {word} token", part=part.upper(), word=said),
          setting(**{part: lambda s, part=part, by=by: np.roll(getattr(s, part), by, axis=1)}))
      for part in "qkv" for word, said, by in (("previous", text("previous"), 1), ("next", text("next"), -1))),
    *(Way(f"{part}-{axis}-reversed", text("the {axis} of {part} in reversed order", axis=word, part=part.upper()),
          setting(**{part: lambda s, part=part, at=at: np.flip(getattr(s, part), at)}))
      for part in "qkv" for axis, word, at in (("batch", text("sequences"), 0), ("time", text("time steps"), 1))),
    *(Way(f"{part}-of-the-{word}-sequence", text("the {part} of the {word} sequence", part=part.upper(), word=said),
          setting(**{part: lambda s, part=part, by=by: np.roll(getattr(s, part), by, axis=0)}))
      for part in "qkv" for word, said, by in (("previous", text("previous"), 1), ("next", text("next"), -1))),
    *(Way(f"{part}-of-sequence-0", text("the {part} of sequence 0 for every sequence", part=part.upper()),
          setting(**{part: lambda s, part=part: np.repeat(getattr(s, part)[:1], s.B, 0)})) for part in "qkv"),
    Way("keys-shared", text("the keys of head 0 for every head"),
        setting(k=lambda s: np.tile(s.k[..., :s.d], s.H))),
    Way("values-shared", text("the values of head 0 for every head"),
        setting(v=lambda s: np.tile(s.v[..., :s.d], s.H))),
    Way("keys-and-values-shared", text("the keys and values of head 0 for every head"),
        setting(k=lambda s: np.tile(s.k[..., :s.d], s.H), v=lambda s: np.tile(s.v[..., :s.d], s.H))),
    Way("queries-shared", text("the queries of head 0 for every head"),
        setting(q=lambda s: np.tile(s.q[..., :s.d], s.H))),
    Way("queries-averaged", text("queries that are averaged over the tokens"),
        setting(q=lambda s: s.q.mean(axis=1, keepdims=True) + 0 * s.q)),
    Way("first-sequence", text("the keys and values of sequence 0 for every sequence"),
        setting(k=lambda s: np.repeat(s.k[:1], s.B, 0), v=lambda s: np.repeat(s.v[:1], s.B, 0)))))

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
    Way("weights-transposed", text("weights with queries and keys exchanged"),
        setting(mixed=lambda s: turned(s.weights) @ s.v)),
    Way("mix-plus-values", text("V added to the mixture"), setting(mixed=lambda s: s.weights @ s.v + s.v)),
    Way("mix-plus-queries", text("Q added to the mixture"), setting(mixed=lambda s: s.weights @ s.v + s.q)),
    Way("mix-of-all-heads", text("a mixture of the V of all heads added up"),
        setting(mixed=lambda s: s.weights @ s.v.sum(1, keepdims=True) + 0 * s.v)),
    Way("mix-own-token", text("a mixture in which only a token's own V counts"),
        setting(mixed=lambda s: np.einsum("bhii,bhid->bhid", s.weights, s.v))),
    Way("mix-sum", text("the sum of all V in the place of the mixture"),
        setting(mixed=lambda s: s.v.sum(2, keepdims=True) + 0 * s.v)),
    Way("mix-missing", text("V itself in the place of the mixture"), setting(mixed=lambda s: s.v)),
    Way("weights-of-head-0", text("the weights of head 0 for every head"),
        setting(mixed=lambda s: s.weights[:, :1] @ s.v)),
    Way("weights-averaged", text("weights that are averaged over the heads"),
        setting(mixed=lambda s: s.weights.mean(1, keepdims=True) @ s.v)),
    Way("weights-of-sequence-0", text("the weights of sequence 0 for every sequence"),
        setting(mixed=lambda s: s.weights[:1] @ s.v))))

_JOIN = Step(setting(joined=lambda s: joined(s.mixed)), (
    Way("join-by-reshape", text("heads that are joined by a bare reshape"),
        setting(joined=lambda s: joined_by_reshape(s.mixed))),
    Way("join-interleaved", text("heads whose features alternate when they are joined"),
        setting(joined=lambda s: joined_interleaved(s.mixed))),
    Way("join-reversed", text("heads that are joined in reversed order"),
        setting(joined=lambda s: joined(s.mixed[:, ::-1]))),
    Way("join-rolled", text("heads that are joined one place further on"),
        setting(joined=lambda s: joined(np.roll(s.mixed, 1, axis=1)))),
    Way("join-rolled-back", text("heads that are joined one place further back"),
        setting(joined=lambda s: joined(np.roll(s.mixed, -1, axis=1)))),
    Way("join-averaged", text("heads that are averaged"),
        setting(joined=lambda s: np.tile(s.mixed.mean(axis=1), s.H))),
    Way("join-summed", text("heads that are added up"), setting(joined=lambda s: np.tile(s.mixed.sum(axis=1), s.H))),
    *(Way(f"join-head-{h}", text("{head} in the place of every head", head=head),
          setting(joined=lambda s, h=h: np.tile(s.mixed[:, h], s.H))) for h, head in ENDS),
    *(Way(f"join-without-head-{h}", text("zeros in the place of {head}", head=head),
          setting(joined=lambda s, h=h: joined(without(s.mixed, h)))) for h, head in ENDS),
    Way("join-features-reversed", text("features that are in reversed order within each head"),
        setting(joined=lambda s: joined(s.mixed[..., ::-1]))),
    Way("join-time-reversed", text("tokens in reversed order"), setting(joined=lambda s: joined(s.mixed[:, :, ::-1]))),
    Way("join-plus-x", text("X added to J"), setting(joined=lambda s: joined(s.mixed) + s.x))))


def _out(id: str, what: Text | str, y: Callable[[State], np.ndarray]) -> Way:
    return Way(id, what, setting(y=y))


def _normed(a: np.ndarray) -> np.ndarray:
    return (a - a.mean(-1, keepdims=True)) / a.std(-1, keepdims=True)


_OUT = Step(setting(y=lambda s: s.joined @ s.wo), (
    _out("y-is-joined", "Y = J", lambda s: s.joined), _out("y-transposed", "Y = J·WOᵀ", lambda s: s.joined @ s.wo.T),
    *(_out(f"y-with-{w}", f"Y = J·W{w[1].upper()}", lambda s, w=w: s.joined @ getattr(s, w))
      for w in ("wq", "wk", "wv")),
    _out("y-twice", "Y = J·WO·WO", lambda s: s.joined @ s.wo @ s.wo),
    _out("y-plus-x", "Y = J·WO + X", lambda s: s.joined @ s.wo + s.x),
    _out("y-minus-x", "Y = J·WO - X", lambda s: s.joined @ s.wo - s.x),
    _out("y-plus-joined", "Y = J·WO + J", lambda s: s.joined @ s.wo + s.joined),
    _out("y-plus-one", "Y = J·WO + 1", lambda s: s.joined @ s.wo + 1),
    _out("y-relu", "Y = max(J·WO, 0)", lambda s: np.maximum(s.joined @ s.wo, 0)),
    _out("y-of-relu", "Y = max(J, 0)·WO", lambda s: np.maximum(s.joined, 0) @ s.wo),
    _out("y-of-tanh", "Y = tanh(J)·WO", lambda s: np.tanh(s.joined) @ s.wo),
    _out("y-layer-norm", text("a layer norm of Y"), lambda s: _normed(s.joined @ s.wo)),
    _out("y-of-layer-norm", text("a layer norm of J"), lambda s: _normed(s.joined) @ s.wo),
    _out("y-tanh", "Y = tanh(J·WO)", lambda s: np.tanh(s.joined @ s.wo)),
    _out("y-absolute", "Y = |J·WO|", lambda s: np.abs(s.joined @ s.wo)),
    _out("y-softmax", text("a softmax over the features of Y"), lambda s: softmax(s.joined @ s.wo)),
    _out("y-centred", text("Y less its mean over the features"),
         lambda s: s.joined @ s.wo - (s.joined @ s.wo).mean(-1, keepdims=True)),
    _out("y-averaged-over-time", text("Y averaged over the tokens"),
         lambda s: (s.joined @ s.wo).mean(1, keepdims=True) + 0 * s.x),
    _out("y-first-sequence", text("only sequence 0 of Y"), lambda s: (s.joined @ s.wo)[:1]),
    _out("y-last-token", text("only the last token of Y"), lambda s: (s.joined @ s.wo)[:, -1]),
    _out("y-without-last-token", text("Y without its last token"), lambda s: (s.joined @ s.wo)[:, :-1]),
    _out("y-summed-over-batch", text("Y summed over the sequences"), lambda s: (s.joined @ s.wo).sum(0)),
    _out("y-head-0", text("head 0 of J alone, times its rows of WO"), lambda s: s.joined[..., :s.d] @ s.wo[:s.d]),
    _out("y-flat", text("Y flattened to (B·T, C)"), lambda s: (s.joined @ s.wo).reshape(-1, s.C))))

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
