"""Other right ways to write the exercises, for the pages of students who have all points; lines of at most 64 letters.

Each of them leaves the cache as the class knows it, so any of them works with the rest of the reference.
"""

from autograder.kit import OtherWay, text

LAYER_NORM = (
    OtherWay(text("With loops every token is visibly normalised by itself: nothing of another token comes into it."),
             '''\
def layer_norm(x, gain, bias, eps):
    x = np.asarray(x, dtype=float)
    B, T, C = x.shape
    x_hat, std = np.zeros((B, T, C)), np.zeros((B, T, 1))
    for b in range(B):
        for t in range(T):
            token = x[b, t] - x[b, t].mean()
            std[b, t] = np.sqrt(token @ token / C + eps)
            x_hat[b, t] = token / std[b, t]
    y = gain * x_hat + bias
    return y, {"x_hat": x_hat, "std": std,
               "gain": np.array(gain, dtype=float)}
'''),
    OtherWay(text("With reshape there is one long list of tokens, and einsum adds the squares without an array of "
                  "them."), '''\
def layer_norm(x, gain, bias, eps):
    x = np.asarray(x, dtype=float)
    C = x.shape[-1]
    tokens = x.reshape(-1, C)
    tokens = tokens - tokens.mean(axis=-1, keepdims=True)
    var = np.einsum("nc,nc->n", tokens, tokens) / C
    std = np.sqrt(var + eps).reshape(*x.shape[:-1], 1)
    x_hat = tokens.reshape(x.shape) / std
    y = gain * x_hat + bias
    return y, {"x_hat": x_hat, "std": std,
               "gain": np.array(gain, dtype=float)}
'''),
)

LAYER_NORM_BACKWARD = (
    OtherWay(text("A loop writes for each token the whole matrix of slopes: one column per feature that moves, and the "
                  "three routes are three terms."), '''\
def layer_norm_backward(cache, dy):
    x_hat, std = cache["x_hat"], cache["std"]
    dy = np.asarray(dy, dtype=float)
    B, T, C = dy.shape
    dx = np.zeros((B, T, C))
    for b in range(B):
        for t in range(T):
            here = x_hat[b, t]
            by_var = np.outer(here, here) / C
            slopes = (np.eye(C) - 1 / C - by_var) / std[b, t]
            dx[b, t] = (dy[b, t] * cache["gain"]) @ slopes
    dgain = np.sum(dy * x_hat, axis=(0, 1))
    return dx, dgain, np.sum(dy, axis=(0, 1))
'''),
    OtherWay(text("With einsum you read off each sum: the letters that are missing behind the arrow, b and t for a "
                  "parameter and c for a token."), '''\
def layer_norm_backward(cache, dy):
    x_hat, std = cache["x_hat"], cache["std"]
    dy = np.asarray(dy, dtype=float)
    C = dy.shape[-1]
    dgain = np.einsum("btc,btc->c", dy, x_hat)
    dbias = np.einsum("btc->c", dy)
    dx_hat = dy * cache["gain"]
    mean = np.einsum("btc->bt", dx_hat) / C
    slope = np.einsum("btc,btc->bt", dx_hat, x_hat) / C
    dx = dx_hat - mean[..., None] - slope[..., None] * x_hat
    return dx / std, dgain, dbias
'''),
)

OTHER_WAYS = {"layer_norm": LAYER_NORM, "layer_norm_backward": LAYER_NORM_BACKWARD}
