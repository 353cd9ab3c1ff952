import marimo

app = marimo.App()


@app.cell
def _():
    import numpy as np
    from attention import attention, attention_backward
    return attention, attention_backward, np


@app.cell
def _(np):
    def split_heads(x, heads):
        """Cut the features into heads: x (B, T, C) -> (B, H, T, d)."""
        if isinstance(heads, bool) or not isinstance(heads, (int, np.integer)):
            raise TypeError("heads must be a whole number")
        if x.ndim != 3 or heads < 1 or x.shape[2] % heads:
            raise ValueError("x has three axes, and heads divides the last")
        B, T, C = x.shape
        return x.reshape(B, T, heads, C // heads).transpose(0, 2, 1, 3)
    return (split_heads,)


@app.cell
def _(np):
    def merge_heads(h):
        """Join the heads again: h (B, H, T, d) -> (B, T, C)."""
        if h.ndim != 4:
            raise ValueError("h has four axes")
        B, H, T, d = h.shape
        return h.transpose(0, 2, 1, 3).reshape(B, T, H * d)
    return (merge_heads,)


@app.cell
def _(np):
    def multihead(x, params, heads, allowed):
        """Mix the tokens of x: (B, T, C) -> y (B, T, C) and a cache."""
        x = np.array(x, dtype=float)
        q = split_heads(x @ params["wq"], heads)
        k = split_heads(x @ params["wk"], heads)
        v = split_heads(x @ params["wv"], heads)
        mixed, attention_cache = attention(q, k, v, allowed)
        joined = merge_heads(mixed)
        return joined @ params["wo"], {"x": x, "heads": heads, "attention": attention_cache, "joined": joined}
    return (multihead,)


@app.cell
def _(np):
    def multihead_backward(cache, params, dy):
        """The gradients of multihead for dy (B, T, C): dx (B, T, C) and grads."""
        x, dy = cache["x"], np.asarray(dy, dtype=float)
        grads = {"wo": np.einsum("btj,btc->jc", cache["joined"], dy)}
        heads = attention_backward(cache["attention"], split_heads(dy @ params["wo"].T, cache["heads"]))
        dq, dk, dv = merge_heads(heads["q"]), merge_heads(heads["k"]), merge_heads(heads["v"])
        for name, part in (("wq", dq), ("wk", dk), ("wv", dv)):
            grads[name] = np.einsum("btc,bte->ce", x, part)
        return dq @ params["wq"].T + dk @ params["wk"].T + dv @ params["wv"].T, grads
    return (multihead_backward,)


@app.cell
def _(np):
    my_multihead, my_backward = multihead, multihead_backward


    def own_test(multihead, multihead_backward):
        """Compare with my own functions, once with floats and once with whole numbers."""
        rng = np.random.default_rng(0)
        B, T, H, d = 2, 4, 3, 2
        allowed = np.tril(np.ones((T, T), dtype=bool))
        allowed[2, 0] = False
        for draw in (rng.normal, lambda size: rng.integers(-2, 3, size)):
            x, dy = draw(size=(B, T, H * d)), draw(size=(B, T, H * d))
            params = {name: draw(size=(H * d, H * d)) for name in ("wq", "wk", "wv", "wo")}
            y, cache = multihead(x, params, H, allowed)
            dx, grads = multihead_backward(cache, params, dy)
            y_mine, cache_mine = my_multihead(x, params, H, allowed)
            dx_mine, grads_mine = my_backward(cache_mine, params, dy)
            assert np.allclose(y, y_mine), "y is wrong"
            assert np.allclose(dx, dx_mine), "dx is wrong"
            for name in params:
                assert np.allclose(grads[name], grads_mine[name]), f"the gradient of {name} is wrong"
    return (own_test,)


if __name__ == "__main__":
    app.run()
