"""Right ways to write multihead, with the given attention or an own version."""

from autograder.lessons.kit.writing import Pick, function, order
from autograder.lessons.multihead.variants.writing import Plan, cut, floats, joined, product


def multihead(pick: Pick, plan: Plan) -> str:
    """x (B, T, C) -> y (B, T, C) and the cache."""
    header = pick("def multihead(x, params, heads, allowed):",
                  "def multihead(x, params, heads, allowed, verbose=False):",
                  "def multihead(x: np.ndarray, params: dict, heads: int, allowed: np.ndarray) -> tuple:")
    return function(header, floats(pick, plan, "x"), "d = x.shape[-1] // heads", _projections(pick),
                    _own_attention(pick) if plan.own else _given_attention(pick),
                    f"joined = {joined(pick, 'mixed')}", _output(pick), _cache(pick, plan), *_returned(pick))


def _projections(pick: Pick) -> str:
    """q, k and v (B, H, T, d)."""
    names = (("q", "wq"), ("k", "wk"), ("v", "wv"))
    one_by_one = []
    for part, name in names:
        made = product(pick, "x", f'params["{name}"]')
        one_by_one.append(f"{part}_all = {made}\n{part} = {cut(pick, f'{part}_all', 'heads', 'd')}")
    return pick(
        "\n".join(one_by_one), "\n".join(one_by_one),
        'q, k, v = (split_heads(x @ params[name], heads) for name in ("wq", "wk", "wv"))',
        'every = np.concatenate([params["wq"], params["wk"], params["wv"]], axis=1)\n'
        "q, k, v = [split_heads(part, heads) for part in np.split(x @ every, 3, axis=-1)]",
        'q, k, v = split_heads(x @ params["wq"], heads), split_heads(x @ params["wk"], heads), '
        'split_heads(x @ params["wv"], heads)',
        "q, k, v = (np.stack([x @ params[name][:, i * d:(i + 1) * d] for i in range(heads)], axis=1) "
        'for name in ("wq", "wk", "wv"))',
        'q, k, v = np.einsum("btc,nchd->nbhtd", x, '
        'np.stack([params[name].reshape(heads * d, heads, d) for name in ("wq", "wk", "wv")]))')


def _given_attention(pick: Pick) -> str:
    """mixed (B, H, T, d) and kept, by the given attention: at once, or one sequence and one head at a time."""
    loop = ("mixed = np.zeros(q.shape)\n"
            'kept = {"q": np.array(q, float), "k": np.array(k, float), "v": np.array(v, float),\n'
            '        "weights": np.zeros((*q.shape[:3], q.shape[2]))}\n'
            "for b in range(q.shape[0]):\n    for i in range(heads):\n"
            "        mixed[b, i], one = attention(q[b, i], k[b, i], v[b, i], allowed)\n"
            '        kept["weights"][b, i] = one["weights"]')
    return pick("mixed, kept = attention(q, k, v, allowed)", "mixed, kept = attention(q, k, v, allowed)",
                "mixed, kept = attention(q=q, k=k, v=v, allowed=allowed)",
                "result = attention(q, k, v, allowed.copy())\nmixed = result[0]\nkept = dict(result[1])", loop)


def _own_attention(pick: Pick) -> str:
    """mixed (B, H, T, d) and weights (B, H, T, T), by hand."""
    scores = pick("q @ k.swapaxes(-1, -2) / np.sqrt(d)", "np.matmul(q, k.transpose(0, 1, 3, 2)) * d ** -0.5",
                  'np.einsum("bhqd,bhkd->bhqk", q, k) / math.sqrt(d)',
                  "(q * d ** -0.25) @ np.swapaxes(k * d ** -0.25, 2, 3)",
                  "(q / np.sqrt(q.shape[-1])) @ np.moveaxis(k, 3, 2)",
                  "np.array([[q[b, i] @ k[b, i].T for i in range(heads)] for b in range(len(q))]) / d ** 0.5")
    masked = pick("scores = np.where(allowed, scores, -np.inf)", "scores = np.where(allowed, scores, -1e9)",
                  "scores = scores.copy()\nscores[..., ~allowed] = -1e9",
                  "scores = scores + np.where(allowed, 0.0, -np.inf)", "scores = np.where(~allowed, -1e30, scores)",
                  "scores = np.where(allowed[None, None], scores, np.finfo(float).min)",
                  "scores = np.ma.masked_array(scores, np.broadcast_to(~allowed, scores.shape)).filled(-np.inf)",
                  "scores[:, :, ~allowed] = BLOCKED")
    weights = pick("weights = np.exp(scores - scores.max(axis=-1, keepdims=True))\n"
                   "weights = weights / weights.sum(axis=-1, keepdims=True)",
                   "weights = softmax(scores)",
                   "highest = np.max(scores, axis=3)[..., None]\nweights = np.exp(scores - highest)\n"
                   'weights /= np.einsum("bhqk->bhq", weights)[..., np.newaxis]',
                   "top = scores.max(-1, keepdims=True)\n"
                   "weights = np.exp(scores - top - np.log(np.exp(scores - top).sum(-1, keepdims=True)))",
                   "weights = np.array([[[softmax(row) for row in head] for head in one] for one in scores])")
    mixed = pick("mixed = weights @ v", "mixed = np.matmul(weights, v)",
                 'mixed = np.einsum("bhqk,bhkd->bhqd", weights, v)',
                 "mixed = (weights[..., None] * v[:, :, None]).sum(axis=3)")
    return f"scores = {scores}\n{masked}\n{weights}\n{mixed}"


def _output(pick: Pick) -> str:
    """y (B, T, C): at once, or head by head with the rows of wo that belong to it."""
    at_once = f"y = {order(pick, product(pick, 'joined', 'params[' + chr(34) + 'wo' + chr(34) + ']'))}"
    return pick(at_once, at_once, 'y = sum(mixed[:, i] @ params["wo"][i * d:(i + 1) * d] for i in range(heads))',
                f"{at_once}.astype(np.float32)")


def _cache(pick: Pick, plan: Plan) -> str:
    """The dict for backward, with more in it than required."""
    kept = {"dict": '{"q": q, "k": k, "v": v, "weights": weights}', "tuple": "(q, k, v, weights)",
            "object": "Kept(q, k, v, weights)", "flat": "None", "mask": "None"}[plan.keeps]
    entries = {"x": pick("x", "x", "x.copy()"),
               "heads": pick("heads", "heads", "int(heads)", "heads" if plan.strict else "np.int64(heads)"),
               "attention": "kept" if not plan.own else kept, "joined": pick("joined", "joined", "joined.copy()")}
    if plan.keeps == "flat":
        entries |= {"q": "q", "k": "k", "v": "v", "weights": "weights"}
    if plan.keeps == "mask":
        entries |= {"allowed": pick("allowed", "allowed.copy()"), "attention": pick("None", "len", '"again"')}
    entries |= pick({}, {}, {"y": "y"}, {"shape": "x.shape"}, {"d": "d", "note": '"forward"'}, {"params": "params"},
                    {"again": "lambda: (q, k)"}, {"scale": "np.sqrt(d)", "seen": "True"})
    items = list(entries.items())[::pick(1, 1, -1)]
    shown = ", ".join(f'"{name}": {value}' for name, value in items)
    return pick(f"cache = {{{shown}}}", f"cache = {{{shown}}}", f"cache = OrderedDict({{{shown}}})",
                f"cache = Cache({{{shown}}})", f"cache = dict({', '.join(f'{name}={value}' for name, value in items)})")


def _returned(pick: Pick) -> tuple[str, ...]:
    return pick(("return y, cache",), ("return (y, cache)",), ("return Answer(y, cache)",),
                ('print("y", y.shape)', "return y, cache"))
