import numpy as np
from attention import attention, attention_backward


def split_heads(x, heads):
    if isinstance(heads, (bool, np.bool_)) or not isinstance(heads, (int, np.integer)):
        raise TypeError("heads must be an int")
    if np.ndim(x) != 3:
        raise ValueError("x needs three axes")
    B, T, C = x.shape
    if heads <= 0 or C % heads:
        raise ValueError("heads must divide C")
    d = C // heads
    out = x.reshape(B, T, heads, d)
    return out.transpose(0, 2, 1, 3)


def merge_heads(h):
    if np.ndim(h) != 4:
        raise ValueError("h needs four axes")
    B, H, T, d = h.shape
    back = h.transpose(0, 2, 1, 3)
    return back.reshape(B, T, H * d)


def multihead(x, params, heads, allowed):
    x = np.array(x, dtype=float)
    q = split_heads(x @ params["wq"], heads)
    k = split_heads(x @ params["wk"], heads)
    v = split_heads(x @ params["wv"], heads)
    out, att = attention(q, k, v, allowed)
    joined = merge_heads(out)
    y = joined @ params["wo"]
    return y, {"x": x, "heads": heads, "attention": att, "joined": joined}


def multihead_backward(cache, params, dy):
    x, joined, heads = cache["x"], cache["joined"], cache["heads"]
    dy = np.array(dy, dtype=float)
    B, T, C = x.shape
    dj = dy @ params["wo"].T
    dwo = joined.reshape(-1, C).T @ dy.reshape(-1, C)
    parts = attention_backward(cache["attention"], split_heads(dj, heads))
    dq = merge_heads(parts["q"])
    dk = merge_heads(parts["k"])
    dv = merge_heads(parts["v"])
    X = x.reshape(-1, C)
    dwq = X.T @ dq.reshape(-1, C)
    dwk = X.T @ dk.reshape(-1, C)
    dwv = X.T @ dv.reshape(-1, C)
    dx = dq @ params["wq"].T + dk @ params["wk"].T + dv @ params["wv"].T
    return dx, {"wq": dwq, "wk": dwk, "wv": dwv, "wo": dwo}


def own_test(multihead, multihead_backward):
    rng = np.random.default_rng(11)
    B, T, H, d = 2, 4, 3, 2
    C = H * d
    x = rng.normal(size=(B, T, C))
    p = {n: rng.normal(size=(C, C)) * 0.6 for n in ("wq", "wk", "wv", "wo")}
    m = np.array([[1, 0, 0, 1], [1, 1, 0, 0], [0, 1, 1, 0], [1, 1, 0, 1]], dtype=bool)
    dy = rng.normal(size=(B, T, C))

    def ref(x, p):
        out = np.zeros((B, T, C))
        for b in range(B):
            for h in range(H):
                s = slice(h * d, h * d + d)
                q, k, v = (x[b] @ p[n][:, s] for n in ("wq", "wk", "wv"))
                z = np.exp(q @ k.T / d ** 0.5) * m
                out[b, :, s] = z / z.sum(1, keepdims=True) @ v
        return out @ p["wo"]
    y, cache = multihead(x.copy(), {n: p[n].copy() for n in p}, H, m.copy())
    assert np.allclose(y, ref(x, p))
    dx, g = multihead_backward(cache, {n: p[n].copy() for n in p}, dy.copy())
    for n in ("x", *p):
        e = rng.normal(size=(x if n == "x" else p[n]).shape) * 1e-5
        hi, lo = ((x + s * e, p) if n == "x" else (x, {**p, n: p[n] + s * e}) for s in (1, -1))
        got = np.sum((dx if n == "x" else g[n]) * e)
        assert np.isclose(got, np.sum(dy * (ref(*hi) - ref(*lo))) / 2, rtol=1e-4, atol=1e-9)
    xi = rng.integers(-2, 3, size=(B, T, C))
    pi = {n: rng.integers(-1, 2, size=(C, C)) for n in p}
    y, cache = multihead(xi, pi, H, m)
    assert np.allclose(y, ref(xi, pi))
    di = rng.integers(-2, 3, size=(B, T, C))
    dx, g = multihead_backward(cache, pi, di)
    dxf, gf = multihead_backward(cache, {n: w.astype(float) for n, w in pi.items()}, di.astype(float))
    assert np.allclose(dx, dxf)
    assert all(np.allclose(g[n], gf[n]) for n in pi)
