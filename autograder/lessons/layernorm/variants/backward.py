"""Right ways to write layer_norm_backward."""

from autograder.kit import Pick, function, order

BY_TOKEN = '''\
dx = np.zeros(np.shape(dy))
for b in range(len(dy)):
    for t in range(dy.shape[1]):
        h, d = x_hat[b, t], dy[b, t] * gain
        dx[b, t] = (d - d.mean() - h * np.dot(d, h) / len(d)) / std[b, t]'''
BY_JACOBIAN = '''\
C = dy.shape[-1]
dx = np.zeros(dy.shape)
for place in np.ndindex(dy.shape[:2]):
    h = x_hat[place]
    slope = (np.eye(C) - 1 / C - np.outer(h, h) / C) / std[place]
    dx[place] = slope @ (gain * dy[place])'''
STEP_BY_STEP = '''\
C = dy.shape[-1]
dx_hat = gain * dy
centred = x_hat * std
dvar = (dx_hat * centred * -0.5 * std ** -3.0).sum(axis=-1, keepdims=True)
dmean = -(dx_hat / std).sum(axis=-1, keepdims=True) - 2 * dvar * centred.mean(axis=-1, keepdims=True)
dx = dx_hat / std + dvar * 2 * centred / C + dmean / C'''


def layer_norm_backward(pick: Pick) -> str:
    """dy (B, T, C) -> dx (B, T, C), dgain (C,) and dbias (C,)."""
    header = pick("def layer_norm_backward(cache, dy):", "def layer_norm_backward(cache: dict, dy: np.ndarray):",
                  "def layer_norm_backward(cache, dy, *, order=('dx', 'dgain', 'dbias')):")
    unpacked = pick('x_hat, std, gain = cache["x_hat"], cache["std"], cache["gain"]',
                    'x_hat, std, gain = (cache[name] for name in ("x_hat", "std", "gain"))',
                    'x_hat = cache["x_hat"]\nstd = cache["std"]\ngain = np.array(cache["gain"], dtype=float)')
    floats = pick("dy = np.asarray(dy, dtype=float)", "dy = np.array(dy, float)", "dy = dy * 1.0",
                  "dy = dy.astype(np.float64)")
    ways = pick(_whole(pick), _whole(pick), BY_TOKEN, BY_JACOBIAN, STEP_BY_STEP)
    dgain, dbias = f"dgain = {_summed(pick, 'dy * x_hat')}", f"dbias = {_summed(pick, 'dy')}"
    return function(header, unpacked, floats, dgain, dbias, ways,
                    f"return {pick('', '', 'Three')}({order(pick, 'dx')}, {order(pick, 'dgain')}, dbias)")


def _summed(pick: Pick, array: str) -> str:
    """(B, T, C) summed over batch and time."""
    return pick(f"np.sum({array}, axis=(0, 1))", f"({array}).sum(axis=0).sum(axis=0)", f"({array}).sum((0, 1))",
                f"({array}).reshape(-1, dy.shape[-1]).sum(axis=0)", f"np.einsum('btc->c', {array})",
                f"sum(token for one in {array} for token in one)", f"np.add.reduce(np.concatenate({array}))",
                f"np.array([math.fsum(({array})[..., c].ravel()) for c in range(dy.shape[-1])])")


def _whole(pick: Pick) -> str:
    """The whole batch at once."""
    start = pick("dx_hat = dy * gain", "dx_hat = gain * dy", 'dx_hat = np.einsum("btc,c->btc", dy, gain)')
    along = pick("np.mean(dx_hat * x_hat, axis=-1, keepdims=True)",
                 "(dx_hat * x_hat).sum(axis=-1, keepdims=True) / dy.shape[-1]",
                 'np.einsum("btc,btc->bt", dx_hat, x_hat)[..., None] / x_hat.shape[2]')
    end = pick("dx = (dx_hat - dx_hat.mean(axis=-1, keepdims=True) - x_hat * along) / std",
               "dx = dx_hat - np.mean(dx_hat, axis=2)[:, :, None]\ndx = dx - x_hat * along\ndx = dx / std",
               "dx = 1 / std * (dx_hat - x_hat * along - dx_hat.sum(-1, keepdims=True) / dy.shape[-1])",
               "rest = dx_hat - x_hat * along\ndx = (rest - rest.mean(axis=-1, keepdims=True)) / std")
    return f"{start}\nalong = {along}\n{end}"
