"""Right ways to write layer_norm."""

from autograder.kit import Pick, function, order

BY_TOKEN = '''\
B, T, C = np.shape(x)
x_hat, std = np.zeros((B, T, C)), np.zeros((B, T, 1))
for b in range(B):
    for t in range(T):
        token = np.array(x[b][t], dtype=float)
        token = token - token.mean()
        std[b, t] = np.sqrt(np.dot(token, token) / C + eps)
        x_hat[b, t] = token / std[b, t]'''
BY_SUMS = '''\
C = x.shape[-1]
x = x.astype(float)
mean = (np.einsum("btc->bt", x) / C)[:, :, None]
centred = x - mean
std = ((centred * centred).sum(-1, keepdims=True) / C + eps) ** 0.5
x_hat = centred / std'''


def layer_norm(pick: Pick) -> str:
    """(B, T, C) -> y (B, T, C) and the cache."""
    header = pick("def layer_norm(x, gain, bias, eps):", "def layer_norm(x, gain, bias, eps=1e-5):",
                  "def layer_norm(x: np.ndarray, gain: np.ndarray, bias: np.ndarray, eps: float) -> tuple:")
    return function(header, pick(_whole(pick), _whole(pick), BY_TOKEN, BY_SUMS), _output(pick), _cache(pick),
                    f"return {pick('', '', 'Answer')}({order(pick, 'y')}, cache)")


def _whole(pick: Pick) -> str:
    """The whole batch at once."""
    floats = pick("x = np.array(x, dtype=float)", "x = np.asarray(x, dtype=float)", "x = x.astype(float)",
                  "x = x * 1.0", "x = x / 1", "x = np.asarray(x, dtype=np.float64)")
    mean = pick("mean = x.mean(axis=-1, keepdims=True)", "mean = np.mean(x, axis=2, keepdims=True)",
                "mean = np.mean(x, -1)[..., np.newaxis]", "mean = x.sum(axis=-1, keepdims=True) / x.shape[-1]",
                "mean = np.expand_dims(np.average(x, axis=-1), -1)")
    centred = pick("centred = x - mean", "centred = np.subtract(x, mean)", "centred = x + -mean")
    var = pick("var = np.mean(centred ** 2, axis=-1, keepdims=True)", "var = x.var(axis=-1, keepdims=True)",
               "var = np.var(x, axis=2)[:, :, None]", "var = np.square(centred).mean(-1, keepdims=True)",
               "var = np.std(x, axis=-1, keepdims=True) ** 2",
               'var = np.einsum("btc,btc->bt", centred, centred)[..., None] / x.shape[-1]')
    std = pick("std = np.sqrt(var + eps)", "std = (var + eps) ** 0.5", "std = np.power(var + eps, 1 / 2)",
               "std = 1 / (1 / np.sqrt(eps + var))")
    x_hat = pick("x_hat = centred / std", "x_hat = centred * (1 / std)", "x_hat = np.divide(centred, std)")
    return "\n".join([floats, mean, centred, var, std, x_hat])


def _output(pick: Pick) -> str:
    return "y = " + pick("gain * x_hat + bias", "x_hat * gain + bias", "bias + np.multiply(x_hat, gain)",
                         "gain[None, None, :] * x_hat + bias.reshape(1, 1, -1)",
                         "np.einsum('btc,c->btc', x_hat, gain) + bias", "x_hat @ np.diag(gain) + bias",
                         "np.stack([np.stack([gain * token + bias for token in one]) for one in x_hat])")


def _cache(pick: Pick) -> str:
    """The required entries, perhaps with more."""
    kept = pick("gain", "gain.copy()", "np.array(gain, dtype=float)", "1.0 * gain")
    return "cache = " + pick(f'{{"x_hat": x_hat, "std": std, "gain": {kept}}}',
                             f'OrderedDict(gain={kept}, std=std, x_hat=x_hat)',
                             f'Cache(x_hat=x_hat, std=std, gain={kept}, x=x, eps=eps)',
                             f'{{"x_hat": x_hat, "std": {order(pick, "std")}, "gain": {kept}, "y": y, "n": "layer"}}',
                             f'dict(x_hat={order(pick, "x_hat")}, std=std, gain={kept}, bias=bias)')
