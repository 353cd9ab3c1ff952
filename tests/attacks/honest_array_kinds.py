"""Right answers in odd clothes: big-endian, long doubles, views with negative strides, masked arrays, subclasses."""
import numpy as np

split, merge, multi = split_heads, merge_heads, multihead                  # noqa: F821


class Named(np.ndarray):
    name = "mine"


def split_heads(x, heads):
    answer = split(x, heads)
    if answer.dtype != float:
        return answer[..., ::-1].copy()[..., ::-1]
    return np.ma.masked_array(answer.astype(answer.dtype.newbyteorder(">")))


def merge_heads(h):
    return merge(h).view(Named)


def multihead(x, params, heads, allowed):
    y, cache = multi(x, params, heads, allowed)
    return np.asfortranarray(y.astype(np.longdouble)), cache
