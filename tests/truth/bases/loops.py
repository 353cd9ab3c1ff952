import numpy as np


def split_heads(x, heads):
    if isinstance(heads, bool) or not isinstance(heads, (int, np.integer)) or heads < 1:
        raise TypeError("heads")
    assert x.ndim == 3
    assert x.shape[2] % heads == 0
    B, T, C = x.shape
    d = C // heads
    out = np.zeros((B, heads, T, d), dtype=x.dtype)
    for b in range(B):
        for h in range(heads):
            for t in range(T):
                out[b, h, t] = x[b, t, h * d:(h + 1) * d]
    return out


def merge_heads(h):
    assert h.ndim == 4
    B, H, T, d = h.shape
    out = np.zeros((B, T, H * d), dtype=h.dtype)
    for n in range(H):
        out[:, :, n * d:(n + 1) * d] = h[:, n]
    return out


def one_head(q, k, v, allowed):
    T, d = q.shape
    weights = np.zeros((T, T))
    for i in range(T):
        keys = [j for j in range(T) if allowed[i, j]]
        s = np.array([q[i] @ k[j] for j in keys]) / d ** 0.5
        e = np.exp(s - s.max())
        weights[i, keys] = e / e.sum()
    return weights @ v, weights


def multihead(x, params, heads, allowed):
    x = np.array(x, dtype=float)
    q, k, v = (split_heads(x @ np.asarray(params[n], dtype=float), heads) for n in ("wq", "wk", "wv"))
    B, H, T, d = q.shape
    out = np.zeros(q.shape)
    weights = np.zeros((B, H, T, T))
    for b in range(B):
        for h in range(H):
            out[b, h], weights[b, h] = one_head(q[b, h], k[b, h], v[b, h], allowed)
    joined = merge_heads(out)
    y = joined @ np.asarray(params["wo"], dtype=float)
    return y, {"x": x, "heads": heads, "attention": (q, k, v, weights), "joined": joined}


def multihead_backward(cache, params, dy):
    x, joined, heads = cache["x"], cache["joined"], cache["heads"]
    q, k, v, w = cache["attention"]
    wq, wk, wv, wo = (np.asarray(params[n], dtype=float) for n in ("wq", "wk", "wv", "wo"))
    dy = np.asarray(dy, dtype=float)
    B, T, C = x.shape
    d = C // heads
    dout = split_heads(dy @ wo.T, heads)
    dq, dk, dv = np.zeros(q.shape), np.zeros(q.shape), np.zeros(q.shape)
    for b in range(B):
        for h in range(heads):
            for i in range(T):
                dw = v[b, h] @ dout[b, h, i]
                ds = w[b, h, i] * (dw - w[b, h, i] @ dw) / np.sqrt(d)
                dq[b, h, i] = ds @ k[b, h]
                dk[b, h] += np.outer(ds, q[b, h, i])
                dv[b, h] += np.outer(w[b, h, i], dout[b, h, i])
    dq, dk, dv = merge_heads(dq), merge_heads(dk), merge_heads(dv)
    g = {n: np.zeros((C, C)) for n in ("wq", "wk", "wv", "wo")}
    dx = np.zeros(x.shape)
    for b in range(B):
        for t in range(T):
            g["wq"] += np.outer(x[b, t], dq[b, t])
            g["wk"] += np.outer(x[b, t], dk[b, t])
            g["wv"] += np.outer(x[b, t], dv[b, t])
            g["wo"] += np.outer(joined[b, t], dy[b, t])
            dx[b, t] = wq @ dq[b, t] + wk @ dk[b, t] + wv @ dv[b, t]
    return dx, g


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
