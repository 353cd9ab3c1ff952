"""What questions can have in common, in words: "with one head". It tells where a function goes wrong."""

from collections.abc import Callable
from typing import Any

import numpy as np

from autograder.records import Call, Result, Text, text

Condition = tuple[str, Text, Callable[[Call], bool]]
_LARGEST = 100                                  # no number in x is as large, but where it is 60 times as large


def _sizes(id: str, says: Text, holds: Callable[[int, int, int, int], bool], sizes: Callable[[Call], Any]) -> Condition:
    return id, says, lambda call: holds(*sizes(call))


def _of_x(call: Call) -> tuple[int, int, int, int]:
    """B, T, H and d of a question to split_heads, multihead or its backward."""
    args = _forward(call).args
    B, T, C = np.shape(args[0]) if np.ndim(args[0]) == 3 else (0, 0, 0)
    H = args[1] if call.function == "split_heads" else args[2]
    H = H if type(H) is int and H > 0 and C % H == 0 else 0         # a question that should be refused has no heads
    return (B, T, H, C // H) if H else (0, 0, 0, 0)


def _of_h(call: Call) -> tuple[int, int, int, int]:
    """B, T, H and d of a question to merge_heads."""
    B, H, T, d = np.shape(call.args[0]) if np.ndim(call.args[0]) == 4 else (0, 0, 0, 0)
    return B, T, H, d


def _forward(call: Call) -> Call:
    """The question to multihead whose cache a question to its backward is about."""
    return call.args[0].of if isinstance(call.args[0], Result) else call


def of_sizes(sizes: Callable[[Call], Any]) -> tuple[Condition, ...]:
    """What the lengths of the axes can have in common."""
    return tuple(_sizes(id, says, holds, sizes) for id, says, holds in (
        ("one-head", text("with one head (H = 1)"), lambda B, T, H, d: H == 1),
        ("two-heads", text("with two heads (H = 2)"), lambda B, T, H, d: H == 2),
        ("three-heads", text("with three heads (H = 3)"), lambda B, T, H, d: H == 3),
        ("one-head-or-token", text("with one head, or one token"), lambda B, T, H, d: 1 in (H, T)),
        ("two-heads-or-one-token", text("with two heads, or one token"), lambda B, T, H, d: H == 2 or T == 1),
        ("three-heads-or-one-token", text("with three heads, or one token"), lambda B, T, H, d: H == 3 or T == 1),
        ("one-feature-or-token", text("with heads of one feature, or one token"), lambda B, T, H, d: 1 in (d, T)),
        ("one-feature", text("with heads of one feature (d = 1)"), lambda B, T, H, d: d == 1),
        ("two-features", text("with heads of two features (d = 2)"), lambda B, T, H, d: d == 2),
        ("one-token", text("with one token (T = 1)"), lambda B, T, H, d: T == 1),
        ("two-tokens", text("with two tokens (T = 2)"), lambda B, T, H, d: T == 2),
        ("one-sequence", text("with one sequence (B = 1)"), lambda B, T, H, d: B == 1),
        ("two-sequences", text("with two sequences (B = 2)"), lambda B, T, H, d: B == 2),
        ("B-is-T", text("where B = T"), lambda B, T, H, d: B == T),
        ("B-is-H", text("where B = H"), lambda B, T, H, d: B == H),
        ("T-is-H", text("where T = H"), lambda B, T, H, d: T == H),
        ("T-in-heads", text("where T cannot be divided by H"), lambda B, T, H, d: H > 0 and T % H > 0),
        ("B-in-heads", text("where B cannot be divided by H"), lambda B, T, H, d: H > 0 and B % H > 0),
        ("H-is-d", text("where H = d"), lambda B, T, H, d: d == H),
        ("T-is-d", text("where T = d"), lambda B, T, H, d: d == T),
        ("odd-width", text("where d is odd"), lambda B, T, H, d: d % 2 == 1),
        ("odd-heads", text("where H is odd"), lambda B, T, H, d: H % 2 == 1)))


def _of_numbers(id: str, says: Text, holds: Callable[[np.ndarray], bool]) -> Condition:
    return id, says, lambda call: holds(np.asarray(_forward(call).args[0]))


def _of_mask(id: str, says: Text, holds: Callable[[np.ndarray], bool]) -> Condition:
    return id, says, lambda call: holds(np.asarray(_forward(call).args[3]))


_NUMBERS = (
    _of_numbers("whole-numbers", text("where x holds whole numbers"), lambda x: x.dtype.kind in "iu"),
    _of_numbers("small-whole-numbers", text("where all numbers are whole and of a small kind (int8, uint8)"),
                lambda x: x.dtype.kind in "iu" and x.dtype.itemsize == 1),
    _of_numbers("unsigned", text("where all numbers are whole and without a sign (uint8)"),
                lambda x: x.dtype.kind == "u"),
    _of_numbers("single-precision", text("where x is float32"), lambda x: x.dtype == np.float32),
    _of_numbers("large-numbers", text("where the numbers in x are 60 times as large"),
                lambda x: x.dtype.kind == "f" and bool(np.abs(x).max(initial=0) > _LARGEST)))
_MASKS = (
    _of_mask("full-mask", text("with a full mask"), lambda mask: bool(mask.all())),
    _of_mask("hidden-diagonal", text("where some tokens may not look at themselves"),
             lambda mask: not mask.diagonal().all()),
    _of_mask("causal", text("with a causal mask"), lambda mask: np.array_equal(mask, np.tri(len(mask)) > 0)))
SPLIT = of_sizes(_of_x)
MERGE = of_sizes(_of_h)
BOTH = (*of_sizes(_of_x), *_NUMBERS, *_MASKS)
