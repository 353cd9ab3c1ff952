"""The reference: layer normalisation in NumPy, forward and backward.

Axes: B batch, T time (tokens), C model width (features). Every token is normalised by itself, over its features.
"""
import numpy as np


def layer_norm(x, gain, bias, eps):
    """Normalise every token of x (B, T, C) over its features, then scale and shift: y (B, T, C) and a cache.

    gain and bias are (C,). The variance divides by C; eps is added to it before the root is taken.
    """
    x = np.asarray(x, dtype=float)                              # (B, T, C)
    mean = x.mean(axis=-1, keepdims=True)                       # (B, T, 1)
    centred = x - mean                                          # (B, T, C)
    var = np.mean(centred ** 2, axis=-1, keepdims=True)         # (B, T, 1)
    std = np.sqrt(var + eps)                                    # (B, T, 1)
    x_hat = centred / std                                       # (B, T, C)
    y = gain * x_hat + bias                                     # (B, T, C)
    return y, {"x_hat": x_hat, "std": std, "gain": np.array(gain, dtype=float)}


def layer_norm_backward(cache, dy):
    """The gradients of layer_norm for dy (B, T, C): dx (B, T, C), dgain (C,) and dbias (C,).

    gain and bias serve every token, so their gradients are sums over batch and time. A feature reaches y directly,
    through the mean of its token and through its variance: the three contributions are added.
    """
    x_hat, std, gain = cache["x_hat"], cache["std"], cache["gain"]
    dy = np.asarray(dy, dtype=float)                            # (B, T, C)
    dgain = np.sum(dy * x_hat, axis=(0, 1))                     # (C,)
    dbias = np.sum(dy, axis=(0, 1))                             # (C,)
    dx_hat = dy * gain                                          # (B, T, C)
    by_mean = np.mean(dx_hat, axis=-1, keepdims=True)           # (B, T, 1)
    by_var = x_hat * np.mean(dx_hat * x_hat, axis=-1, keepdims=True)    # (B, T, C)
    dx = (dx_hat - by_mean - by_var) / std                      # (B, T, C)
    return dx, dgain, dbias
