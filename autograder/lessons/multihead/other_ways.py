"""Other right ways to write the exercises, for the pages of students who have all points; lines of at most 64 letters.

Each of them leaves the cache as the class knows it, so any of them works with the rest of the reference.
"""

from autograder.records import OtherWay, text

_ASKED = '''\
def split_heads(x, heads):
    B, T, C = x.shape
    if type(heads) is not int or heads < 1 or C % heads:
        raise ValueError(heads)
    d = C // heads
'''

SPLIT_HEADS = (
    OtherWay(text("Slices say it in words: head h gets its own block of d features, and stack puts the heads side by "
                  "side on a new axis."), _ASKED + '''\
    own = [slice(h * d, (h + 1) * d) for h in range(heads)]
    return np.stack([x[:, :, one] for one in own], axis=1)
'''),
    OtherWay(text("einsum only renames the axes, so you read off where every letter goes; the numbers are not copied."),
             _ASKED + '''\
    x = x.reshape(B, T, heads, d)
    return np.einsum("bthd->bhtd", x)
'''),
    OtherWay(text("A loop shows for every feature which head it goes to, and which place it takes there."),
             _ASKED + '''\
    h = np.empty((B, heads, T, d), x.dtype)
    for c in range(C):
        h[:, c // d, :, c % d] = x[:, :, c]
    return h
'''),
)

MERGE_HEADS = (
    OtherWay(text("concatenate lays the heads next to each other, so no axis has to be swapped."), '''\
def merge_heads(h):
    B, H, T, d = h.shape
    return np.concatenate([h[:, i] for i in range(H)], axis=-1)
'''),
    OtherWay(text("einsum first brings the letters into the order that reshape needs: the head right before its own "
                  "features."), '''\
def merge_heads(h):
    B, H, T, d = h.shape
    return np.einsum("bhtd->bthd", h).reshape(B, T, H * d)
'''),
)

MULTIHEAD = (
    OtherWay(text("With loops no head is ever cut off or joined: each takes its own columns of WQ, WK and WV, and adds "
                  "its share to y through its own rows of WO."), '''\
def multihead(x, params, heads, allowed):
    x = np.array(x, dtype=float)
    B, H, T, d = split_heads(x, heads).shape
    y, mixtures, caches = np.zeros(x.shape), [], []
    for h in range(H):
        own = slice(h * d, (h + 1) * d)
        q, k, v = (x @ params[name][:, own]
                   for name in ("wq", "wk", "wv"))
        mixed, cache = attention(q, k, v, allowed)
        y += mixed @ params["wo"][own]
        mixtures.append(mixed)
        caches.append(cache)
    kept = {name: np.stack([c[name] for c in caches], axis=1)
            for name in ("q", "k", "v", "weights")}
    return y, {"x": x, "heads": heads, "attention": kept,
               "joined": np.concatenate(mixtures, axis=-1)}
'''),
    OtherWay(text("Here reshape cuts the matrices instead of the tokens, and einsum does projecting and splitting in a "
                  "single step."), '''\
def multihead(x, params, heads, allowed):
    x = np.array(x, dtype=float)
    B, H, T, d = split_heads(x, heads).shape
    C = H * d
    q, k, v = (np.einsum("btc,chd->bhtd", x,
                         params[name].reshape(C, H, d))
               for name in ("wq", "wk", "wv"))
    mixed, kept = attention(q, k, v, allowed)
    wo = params["wo"].reshape(H, d, C)
    y = np.einsum("bhtd,hdc->btc", mixed, wo)
    return y, {"x": x, "heads": heads, "attention": kept,
               "joined": merge_heads(mixed)}
'''),
)

MULTIHEAD_BACKWARD = (
    OtherWay(text("With reshape, batch and time become one long axis: each sum over sequences and tokens is then one "
                  "ordinary product Xᵀ·dQ."), '''\
def multihead_backward(cache, params, dy):
    x, dy = (np.asarray(a, float) for a in (cache["x"], dy))
    C = x.shape[-1]
    rows, drows = x.reshape(-1, C), dy.reshape(-1, C)
    joined = cache["joined"].reshape(-1, C)
    dheads = split_heads(dy @ params["wo"].T, cache["heads"])
    back = attention_backward(cache["attention"], dheads)
    dq, dk, dv = (merge_heads(back[name]).reshape(-1, C)
                  for name in ("q", "k", "v"))
    dx = (dq @ params["wq"].T + dk @ params["wk"].T
          + dv @ params["wv"].T)
    grads = {"wq": rows.T @ dq, "wk": rows.T @ dk,
             "wv": rows.T @ dv, "wo": joined.T @ drows}
    return dx.reshape(x.shape), grads
'''),
    OtherWay(text("With einsum nothing is transposed or merged: a letter that is missing behind the arrow is summed "
                  "over, and for a matrix those are b and t."), '''\
def multihead_backward(cache, params, dy):
    x, dy = (np.asarray(a, float) for a in (cache["x"], dy))
    C, H = x.shape[-1], cache["heads"]
    wo = params["wo"].reshape(H, C // H, C)
    dmixed = np.einsum("btc,hdc->bhtd", dy, wo)
    back = attention_backward(cache["attention"], dmixed)
    dx = np.zeros(x.shape)
    grads, joined = {}, cache["joined"]
    grads["wo"] = np.einsum("btj,btc->jc", joined, dy)
    for name, part in (("wq", "q"), ("wk", "k"), ("wv", "v")):
        w = params[name].reshape(C, H, C // H)
        dw = np.einsum("btc,bhtd->chd", x, back[part])
        grads[name] = dw.reshape(C, C)
        dx += np.einsum("bhtd,chd->btc", back[part], w)
    return dx, grads
'''),
    OtherWay(text("Loops over sequences and heads write each route separately, and += is the sum over all of them."),
             '''\
def multihead_backward(cache, params, dy):
    x, kept = cache["x"], cache["attention"]
    dy = np.asarray(dy, dtype=float)
    dx = np.zeros(x.shape)
    grads = {n: np.zeros(w.shape) for n, w in params.items()}
    H, d = cache["heads"], x.shape[-1] // cache["heads"]
    for b in range(len(x)):
        grads["wo"] += cache["joined"][b].T @ dy[b]
        for h in range(H):
            own = slice(h * d, (h + 1) * d)
            one = {n: a[b, h] for n, a in kept.items()}
            dmixed = dy[b] @ params["wo"][own].T
            back = attention_backward(one, dmixed)
            for part in ("q", "k", "v"):
                w = params["w" + part][:, own]
                grads["w" + part][:, own] += x[b].T @ back[part]
                dx[b] += back[part] @ w.T
    return dx, grads
'''),
)

_CASE = '''\
def own_test(multihead, multihead_backward):
    rng = np.random.default_rng(3)
    B, T, H, d = 2, 5, 3, 2
    C = H * d
    arrays = {"x": rng.normal(size=(B, T, C))}
    for name in ("wq", "wk", "wv", "wo"):
        arrays[name] = rng.normal(size=(C, C)) / 2
    dy = rng.normal(size=(B, T, C))
    allowed = np.tril(np.ones((T, T), dtype=bool))
    allowed[3, 1] = False
'''
_OWN_FORWARD = '''
    def own(x, **params):
        q, k, v = (np.einsum("btc,chd->bhtd", x,
                             params[name].reshape(C, H, d))
                   for name in ("wq", "wk", "wv"))
        scores = np.einsum("bhqd,bhkd->bhqk", q, k) / np.sqrt(d)
        weights = np.exp(scores) * allowed
        weights = weights / weights.sum(axis=-1, keepdims=True)
        wo = params["wo"].reshape(H, d, C)
        return np.einsum("bhqk,bhkd,hdc->bqc", weights, v, wo)

    def theirs(dy, x, **params):
        y, cache = multihead(x.copy(), dict(params), H, allowed)
        dx, grads = multihead_backward(cache, dict(params), dy)
        return y, {"x": dx, **grads}
'''
_WHOLE = '''
    whole = {n: np.sign(a).astype(int)
             for n, a in arrays.items()}
    y, gradients = theirs(np.sign(dy).astype(int), **whole)
    real = {n: a.astype(float) for n, a in whole.items()}
    assert np.allclose(y, own(**real))
    for n, gradient in theirs(np.sign(dy), **real)[1].items():
        assert np.allclose(gradients[n], gradient)
'''

OWN_TEST = (
    OtherWay(text("This one nudges every single number, so a mistake in one corner of one matrix is seen too."),
             _CASE + _OWN_FORWARD + '''
    y, gradients = theirs(dy, **arrays)
    assert y.shape == (B, T, C)
    assert np.allclose(y, own(**arrays))
    for n, a in arrays.items():
        assert gradients[n].shape == a.shape
        for place in np.ndindex(a.shape):
            step = np.zeros(a.shape)
            step[place] = 1e-5
            up = np.sum(dy * own(**{**arrays, n: a + step}))
            down = np.sum(dy * own(**{**arrays, n: a - step}))
            slope = (up - down) / 2e-5
            found = gradients[n][place]
            assert np.isclose(found, slope, 1e-4, 1e-7)
''' + _WHOLE),
    OtherWay(text("A step along the imaginary axis needs no difference: the imaginary part that comes out is the slope "
                  "itself, to all decimals."), _CASE + _OWN_FORWARD + '''
    y, gradients = theirs(dy, **arrays)
    assert y.shape == (B, T, C)
    assert np.allclose(y, own(**arrays))
    for n, a in arrays.items():
        assert gradients[n].shape == a.shape
        step = rng.normal(size=a.shape)
        moved = own(**{**arrays, n: a + 1e-20j * step})
        slope = np.sum(dy * moved.imag) / 1e-20
        assert np.isclose(np.sum(gradients[n] * step), slope)
''' + _WHOLE),
)

OTHER_WAYS = {"split_heads": SPLIT_HEADS, "merge_heads": MERGE_HEADS, "multihead": MULTIHEAD,
              "multihead_backward": MULTIHEAD_BACKWARD, "own_test": OWN_TEST}
