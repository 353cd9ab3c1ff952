"""The implementations that a student's own test is run on: right ones in several styles, and known mistakes."""

from collections.abc import Callable
from functools import partial
from importlib import import_module

from autograder.lessons.kit.lesson import Implementation, changed, written
from autograder.lessons.multihead.checks.own_test import CATCHES, RIGHT

FUNCTIONS = ("multihead", "multihead_backward")

EINSUM = written('''
def multihead(x, params, heads, allowed):
    """Own attention by einsum, -1e9 for what may not be seen, more in the cache than was asked."""
    x = np.array(x, dtype=float)
    q, k, v = (split_heads(np.einsum("btc,ce->bte", x, params[name]), heads) for name in ("wq", "wk", "wv"))
    scores = np.einsum("bhqd,bhkd->bhqk", q, k) * q.shape[-1] ** -0.5
    scores = np.where(allowed, scores, -1e9)
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    weights /= weights.sum(-1, keepdims=True)
    joined = merge_heads(np.einsum("bhqk,bhkd->bhqd", weights, v))
    cache = {"x": x, "heads": heads, "joined": joined, "attention": {"q": q, "k": k, "v": v, "weights": weights},
             "scores": scores}
    return np.einsum("btj,jc->btc", joined, params["wo"]), cache


def multihead_backward(cache, params, dy):
    """All matrices at once, from the cached arrays."""
    dy = np.array(dy, dtype=float)
    x, joined, kept = cache["x"], cache["joined"], cache["attention"]
    q, k, v, weights = kept["q"], kept["k"], kept["v"], kept["weights"]
    dmixed = split_heads(np.einsum("btc,jc->btj", dy, params["wo"]), cache["heads"])
    dweights = np.einsum("bhqd,bhkd->bhqk", dmixed, v)
    dscores = weights * (dweights - np.sum(weights * dweights, axis=-1, keepdims=True)) * q.shape[-1] ** -0.5
    dq, dk = np.einsum("bhqk,bhkd->bhqd", dscores, k), np.einsum("bhqk,bhqd->bhkd", dscores, q)
    dv = np.einsum("bhqk,bhqd->bhkd", weights, dmixed)
    parts = {"wq": merge_heads(dq), "wk": merge_heads(dk), "wv": merge_heads(dv)}
    grads = {name: np.einsum("btc,bte->ce", x, part) for name, part in parts.items()}
    grads["wo"] = np.einsum("btj,btc->jc", joined, dy)
    return sum(np.einsum("bte,ce->btc", part, params[name]) for name, part in parts.items()), grads
''')

LOOPS = written('''
def multihead(x, params, heads, allowed):
    """One head at a time, channels counted off by hand."""
    x = np.array(x, dtype=float)
    split_heads(x, heads)
    d = x.shape[2] // heads
    kept = {name: [] for name in ("q", "k", "v", "weights")}
    mixtures = []
    for h in range(heads):
        own = slice(h * d, (h + 1) * d)
        mixed, cache = attention(x @ params["wq"][:, own], x @ params["wk"][:, own], x @ params["wv"][:, own], allowed)
        mixtures.append(mixed)
        for name in kept:
            kept[name].append(cache[name])
    joined = np.concatenate(mixtures, axis=-1)
    kept = {name: np.stack(parts, axis=1) for name, parts in kept.items()}
    return joined @ params["wo"], {"x": x, "heads": heads, "attention": kept, "joined": joined}


def multihead_backward(cache, params, dy):
    """One sequence and one head at a time; matrices summed as they come."""
    x, heads, kept = cache["x"], cache["heads"], cache["attention"]
    d = x.shape[2] // heads
    dy = np.array(dy, dtype=float)
    dx = np.zeros(x.shape)
    grads = {name: np.zeros(np.shape(w)) for name, w in params.items()}
    for b in range(len(x)):
        grads["wo"] += cache["joined"][b].T @ dy[b]
        for h in range(heads):
            own = slice(h * d, (h + 1) * d)
            one = {name: kept[name][b, h] for name in ("q", "k", "v", "weights")}
            back = attention_backward(one, dy[b] @ params["wo"][own].T)
            for name, part in (("wq", "q"), ("wk", "k"), ("wv", "v")):
                grads[name][:, own] += x[b].T @ back[part]
                dx[b] += back[part] @ params[name][:, own].T
    return dx, grads
''')


def _mistake(name: str, source: str) -> str:
    """The reference with this mistake of the catalogue in it."""
    mistakes = import_module("autograder.lessons.multihead.mistakes").MISTAKES
    return next(mistake for mistake in mistakes if mistake.id == name).make(source)


_MAKE: dict[str, Callable[[str], str]] = {**dict(zip(RIGHT, (changed(), EINSUM, LOOPS), strict=True)),
                                          **{name: partial(_mistake, name) for name in CATCHES}}
IMPLEMENTATIONS = {name: Implementation(FUNCTIONS, make) for name, make in _MAKE.items()}
