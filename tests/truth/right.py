import numpy as np
from attention import attention, attention_backward


def split_heads(x, heads):
    if type(heads) is bool or not isinstance(heads, (int, np.integer)):
        raise TypeError("heads")
    if x.ndim != 3 or heads < 1 or x.shape[2] % heads:
        raise ValueError("x")
    B, T, C = x.shape
    return x.reshape(B, T, heads, C // heads).swapaxes(1, 2)


def merge_heads(h):
    B, H, T, d = h.shape
    return h.swapaxes(1, 2).reshape(B, T, H * d)


def multihead(x, params, heads, allowed):
    x = np.array(x, dtype=float)
    q, k, v = [split_heads(x @ params[name], heads) for name in ("wq", "wk", "wv")]
    mixed, kept = attention(q, k, v, allowed)
    joined = merge_heads(mixed)
    return joined @ params["wo"], {"x": x, "heads": heads, "attention": kept, "joined": joined}


def multihead_backward(cache, params, dy):
    x, joined, heads = cache["x"], cache["joined"], cache["heads"]
    dy = np.array(dy, dtype=float)
    parts = attention_backward(cache["attention"], split_heads(dy @ params["wo"].T, heads))
    grads = {"wo": np.einsum("btj,btc->jc", joined, dy)}
    dx = np.zeros(x.shape)
    for letter in "qkv":
        part = merge_heads(parts[letter])
        grads["w" + letter] = np.einsum("btc,bte->ce", x, part)
        dx += part @ params["w" + letter].T
    return dx, grads


my_multihead, my_backward = multihead, multihead_backward


def compare(one, other, x, params, dy):
    mask = np.array([[1, 1, 0], [0, 1, 1], [1, 0, 1]], dtype=bool)
    (y, cache), (my_y, my_cache) = one[0](x, params, 2, mask), other[0](x, params, 2, mask)
    (dx, grads), (my_dx, my_grads) = one[1](cache, params, dy), other[1](my_cache, params, dy)
    assert np.allclose(y, my_y)
    assert np.allclose(dx, my_dx)
    for name in params:
        assert np.allclose(grads[name], my_grads[name]), name


def own_test(multihead, multihead_backward):
    rng = np.random.default_rng(1)
    x, dy = rng.normal(size=(2, 3, 6)), rng.normal(size=(2, 3, 6))
    params = {name: rng.normal(size=(6, 6)) for name in ("wq", "wk", "wv", "wo")}
    functions = (multihead, multihead_backward), (my_multihead, my_backward)
    compare(*functions, x, params, dy)
    whole = [np.round(3 * array).astype(int) for array in (x, *params.values(), dy)]
    compare(*functions, whole[0], dict(zip(params, whole[1:5], strict=True)), whole[5])
