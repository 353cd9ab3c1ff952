"""What the models of the four functions share: sizes, cutting into heads, and joining again."""

import numpy as np

from autograder.records import text

#: the first head and the last one, and what they are called
ENDS = ((0, text("head {number}", number=0)), (-1, text("the last head")))


def sizes(B: int, T: int, H: int, d: int) -> dict[str, float]:
    """The names that a factor may have, with their values for these sizes; simpler names first."""
    C = H * d
    base = {"2": 2.0, "3": 3.0, "4": 4.0, "8": 8.0, "10": 10.0, "B": B, "T": T, "H": H, "d": d, "C": C, "√d": d ** 0.5,
            "√C": C ** 0.5, "B·T": B * T, "√(2d)": (2 * d) ** 0.5, "√H": H ** 0.5, "√T": T ** 0.5, "B·C": B * C,
            "T·C": T * C, "B·T·C": B * T * C, "H·d·T": H * d * T, "B·H": B * H, "√2": 2 ** 0.5}
    over = {f"1/({name})" if "·" in name else f"1/{name}": 1 / value for name, value in base.items()}
    positive = {**base, **over}
    return {"-1": -1.0, **positive, **{f"-{name}": -value for name, value in positive.items()}}


def cut(x: np.ndarray, heads: int) -> np.ndarray:
    """(B, T, C) -> (B, H, T, d)."""
    B, T, C = x.shape
    return x.reshape(B, T, heads, C // heads).swapaxes(1, 2)


def cut_by_reshape(x: np.ndarray, heads: int) -> np.ndarray:
    """The numbers in their order, without swapping time and heads."""
    B, T, C = x.shape
    return x.reshape(B, heads, T, C // heads)


def cut_interleaved(x: np.ndarray, heads: int) -> np.ndarray:
    """Every H-th feature goes to the same head."""
    B, T, C = x.shape
    return x.reshape(B, T, C // heads, heads).transpose(0, 3, 1, 2)


def joined(h: np.ndarray) -> np.ndarray:
    """(B, H, T, d) -> (B, T, C)."""
    B, H, T, d = h.shape
    return h.swapaxes(1, 2).reshape(B, T, H * d)


def joined_by_reshape(h: np.ndarray) -> np.ndarray:
    """The numbers in their order, without swapping heads and time."""
    B, H, T, d = h.shape
    return h.reshape(B, T, H * d)


def joined_interleaved(h: np.ndarray) -> np.ndarray:
    """The first feature of every head, then the second."""
    B, H, T, d = h.shape
    return h.transpose(0, 2, 3, 1).reshape(B, T, H * d)


def turned(a: np.ndarray) -> np.ndarray:
    """The last two axes swapped."""
    return np.swapaxes(a, -1, -2)


def softmax(scores: np.ndarray, axis: int | tuple[int, ...] = -1) -> np.ndarray:
    """Softmax over this axis; rows without any key become zeros."""
    top = np.max(scores, axis=axis, keepdims=True)
    part = np.exp(scores - np.where(np.isfinite(top), top, 0))
    total = part.sum(axis=axis, keepdims=True)
    return part / np.where(total == 0, 1, total)


def without(h: np.ndarray, head: int) -> np.ndarray:
    """(B, H, T, d) with zeros in the place of one head."""
    left = h.copy()
    left[:, head] = 0
    return left
