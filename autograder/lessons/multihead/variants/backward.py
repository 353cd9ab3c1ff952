"""Right ways to write multihead_backward, with the given attention_backward or an own version."""

from autograder.lessons.kit.writing import Pick, function, order
from autograder.lessons.multihead.variants.writing import Plan, cut, floats, joined

ROUTES = '(("wq", dq), ("wk", dk), ("wv", dv))'


def multihead_backward(pick: Pick, plan: Plan) -> str:
    """dy (B, T, C) -> dx (B, T, C) and the gradients of the four matrices."""
    header = pick("def multihead_backward(cache, params, dy):",
                  "def multihead_backward(cache: dict, params: dict, dy: np.ndarray) -> tuple:",
                  "def multihead_backward(cache, params, dy, names=(\"wq\", \"wk\", \"wv\")):")
    return function(header, pick("", "params = {name: np.asarray(w, dtype=float) for name, w in params.items()}"),
                    'x, heads, joined = cache["x"], cache["heads"], cache["joined"]', floats(pick, plan, "dy"),
                    "C = x.shape[-1]\nd = C // heads", f"dwo = {_summed(pick, 'joined', 'dy')}", _djoined(pick),
                    f"dmixed = {cut(pick, 'djoined', 'heads', 'd')}", _to_heads(pick, plan), _merged(pick),
                    _matrices(pick), _dx(pick), _returned(pick))


def _summed(pick: Pick, left: str, right: str) -> str:
    """The sum of outer products over batch and time: twice (B, T, C) -> (C, C)."""
    return pick(f'np.einsum("btj,btc->jc", {left}, {right})', f"np.tensordot({left}, {right}, axes=([0, 1], [0, 1]))",
                f"{left}.reshape(-1, {left}.shape[-1]).T @ {right}.reshape(-1, {right}.shape[-1])",
                f"({left}.swapaxes(1, 2) @ {right}).sum(axis=0)", f"sum(a.T @ b for a, b in zip({left}, {right}))",
                f"np.sum({left}[..., :, None] * {right}[..., None, :], axis=(0, 1))",
                f"np.add.reduce([np.outer(a, b) for s, t in zip({left}, {right}) for a, b in zip(s, t)])",
                f"(np.concatenate(list({right})).T @ np.concatenate(list({left}))).T")


def _djoined(pick: Pick) -> str:
    return "djoined = " + pick('dy @ params["wo"].T', 'np.einsum("btc,jc->btj", dy, params["wo"])',
                               'np.dot(dy, params["wo"].T)', 'np.tensordot(dy, params["wo"], axes=([2], [1]))',
                               'np.matmul(params["wo"], dy.swapaxes(1, 2)).swapaxes(1, 2)')


def _to_heads(pick: Pick, plan: Plan) -> str:
    """dq, dk and dv (B, H, T, d), from what forward kept or from x again."""
    if plan.keeps == "mask":
        again = ('_, kept = attention(*(split_heads(x @ params[n], heads) for n in ("wq", "wk", "wv")), '
                 'cache["allowed"])')
        return again + "\n" + _from_dict(pick, "kept")
    if plan.keeps == "dict":
        return _from_dict(pick, 'cache["attention"]')
    unpacked = {"tuple": 'q, k, v, weights = cache["attention"]',
                "object": "q, k, v, weights = (getattr(cache[\"attention\"], name) for name in Kept.__slots__)",
                "flat": 'q, k, v, weights = cache["q"], cache["k"], cache["v"], cache["weights"]'}[plan.keeps]
    return unpacked + "\n" + _by_hand(pick)


def _from_dict(pick: Pick, kept: str) -> str:
    given = f'dheads = attention_backward({kept}, dmixed)\ndq, dk, dv = dheads["q"], dheads["k"], dheads["v"]'
    loop = (f"dq, dk, dv = (np.zeros(dmixed.shape) for _ in range(3))\nfor b in range(len(x)):\n"
            "    for i in range(heads):\n"
            f"        one = attention_backward({{n: {kept}[n][b, i] for n in (\"q\", \"k\", \"v\", \"weights\")}}, "
            "dmixed[b, i])\n"
            '        dq[b, i], dk[b, i], dv[b, i] = one["q"], one["k"], one["v"]')
    own = f'q, k, v, weights = ({kept}[n] for n in ("q", "k", "v", "weights"))\n' + _by_hand(pick)
    return pick(given, given, loop, own)


def _by_hand(pick: Pick) -> str:
    """The derivative of attention, from q, k, v, weights and dmixed."""
    dweights = pick("dmixed @ v.swapaxes(-1, -2)", 'np.einsum("bhqd,bhkd->bhqk", dmixed, v)',
                    "np.matmul(dmixed, v.transpose(0, 1, 3, 2))")
    dscores = pick(
        "dscores = weights * (dweights - (dweights * weights).sum(axis=-1, keepdims=True))",
        'dscores = weights * dweights - weights * np.einsum("bhqk,bhqk->bhq", weights, dweights)[..., None]',
        "slope = weights[..., :, None] * (np.eye(weights.shape[-1]) - weights[..., None, :])\n"
        'dscores = np.einsum("bhqij,bhqi->bhqj", slope, dweights)',
        "dscores = np.zeros_like(dweights)\nfor place in np.ndindex(weights.shape[:-1]):\n"
        "    w = weights[place]\n    dscores[place] = (np.diag(w) - np.outer(w, w)) @ dweights[place]")
    scaled = pick("dscores = dscores / np.sqrt(d)", "dscores = dscores * d ** -0.5", "dscores /= math.sqrt(d)",
                  "dscores = dscores * (1 / np.sqrt(q.shape[-1]))")
    parts = pick("dq, dk, dv = dscores @ k, dscores.swapaxes(2, 3) @ q, weights.swapaxes(2, 3) @ dmixed",
                 'dq = np.einsum("bhqk,bhkd->bhqd", dscores, k)\ndk = np.einsum("bhqk,bhqd->bhkd", dscores, q)\n'
                 'dv = np.einsum("bhqk,bhqd->bhkd", weights, dmixed)',
                 "dq, dk, dv = (np.array([[one(b, i) for i in range(heads)] for b in range(len(x))]) for one in (\n"
                 "    lambda b, i: dscores[b, i] @ k[b, i], lambda b, i: dscores[b, i].T @ q[b, i],\n"
                 "    lambda b, i: weights[b, i].T @ dmixed[b, i]))")
    return f"dweights = {dweights}\n{dscores}\n{scaled}\n{parts}"


def _merged(pick: Pick) -> str:
    """dq, dk and dv (B, T, C)."""
    return pick("\n".join(f"{name} = {joined(pick, name)}" for name in ("dq", "dk", "dv")),
                "dq, dk, dv = map(merge_heads, (dq, dk, dv))",
                "dq, dk, dv = [merge_heads(part) for part in [dq, dk, dv]]")


def _matrices(pick: Pick) -> str:
    """grads, a dict of four (C, C) arrays, perhaps with more in it."""
    one_by_one = "\n".join(f"d{name} = {order(pick, _summed(pick, 'x', part))}"
                           for name, part in (("wq", "dq"), ("wk", "dk"), ("wv", "dv")))
    shown = '"wq": dwq, "wk": dwk, "wv": dwv, "wo": dwo' + pick("", "", ', "x": dy', ', "note": "sum"', ', "dq": dq')
    made = pick(f"grads = {{{shown}}}", f"grads = OrderedDict({{{shown}}})", f"grads = Cache({{{shown}}})",
                "grads = dict(wo=dwo, wv=dwv, wk=dwk, wq=dwq)")
    loop = (f'grads = {{"wo": dwo}}\nfor name, part in {ROUTES}:\n'
            f"    grads[name] = {_summed(pick, 'x', 'part')}")
    empty = ("grads = {name: np.zeros(np.shape(w)) for name, w in params.items()}\n"
             'grads["wo"] += dwo\n'
             f"for name, part in {ROUTES}:\n    for b in range(len(x)):\n"
             "        grads[name] += x[b].T @ part[b]")
    return pick(f"{one_by_one}\n{made}", f"{one_by_one}\n{made}", loop, empty)


def _dx(pick: Pick) -> str:
    """The three routes, added."""
    return pick('dx = dq @ params["wq"].T + dk @ params["wk"].T + dv @ params["wv"].T',
                f"dx = np.zeros(x.shape)\nfor name, part in {ROUTES}:\n    dx += part @ params[name].T",
                f"dx = 0\nfor name, part in {ROUTES}:\n    dx = dx + part @ np.transpose(params[name])",
                f"dx = sum(part @ params[name].T for name, part in {ROUTES})",
                f"dx = np.sum([np.einsum('bte,ce->btc', part, params[name]) for name, part in {ROUTES}], axis=0)",
                "dx = np.concatenate([dq, dk, dv], axis=-1) @ np.concatenate([params[n].T for n in NAMES])",
                f"dx = np.zeros_like(x, dtype=float)\nfor name, part in {ROUTES}:\n    for b in range(len(x)):\n"
                "        for t in range(x.shape[1]):\n            dx[b, t] += params[name] @ part[b, t]")


def _returned(pick: Pick) -> str:
    return f"return {pick('', 'Answer')}({order(pick, 'dx')}, grads)"
