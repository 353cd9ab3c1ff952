"""Right ways to write split_heads and merge_heads."""

from autograder.lessons.kit.writing import Pick, function, order
from autograder.lessons.multihead.variants.writing import Plan, refusal


def split_heads(pick: Pick, plan: Plan) -> str:
    """(B, T, C) -> (B, H, T, d), with all its refusals."""
    header = pick("def split_heads(x, heads):", "def split_heads(x: np.ndarray, heads: int) -> np.ndarray:",
                  "def split_heads(x, heads, *, check=True):")
    return function(header, _three_axes(pick), "B, T, C = x.shape", _whole_heads(pick, plan), _dividing_heads(pick),
                    "d = C // heads", _cut(pick), f"return {order(pick, pick('h', 'h', 'h.astype(float)'))}")


def _three_axes(pick: Pick) -> str:
    """Unpacking the shape refuses as well, with ValueError."""
    bad = pick("", "x.ndim != 3", "len(x.shape) != 3", "np.ndim(x) != 3", "len(np.shape(x)) - 3")
    return bad and refusal(pick, bad, "x should have the axes (B, T, C)")


def _whole_heads(pick: Pick, plan: Plan) -> str:
    """NumPy's own integers may be accepted or refused."""
    bad = pick("type(heads) is not int", "not (isinstance(heads, int) and heads is not True)") if plan.strict else pick(
        "isinstance(heads, bool) or not isinstance(heads, (int, np.integer))",
        "not isinstance(heads, numbers.Integral) or heads is True", "type(heads) not in (int, np.int32, np.int64)",
        "isinstance(heads, (bool, np.bool_, float)) or int(heads) != heads")
    return refusal(pick, bad, "heads should be a whole number")


def _dividing_heads(pick: Pick) -> str:
    return pick(refusal(pick, "heads < 1 or C % heads != 0", "heads should divide C"),
                refusal(pick, "heads <= 0 or C // heads * heads != C", "heads should divide C"),
                refusal(pick, "heads not in [n for n in range(1, C + 1) if C % n == 0]", "heads should divide C"),
                "\n".join([refusal(pick, "not heads > 0", "heads should be positive"),
                           refusal(pick, "divmod(C, heads)[1]", "heads should divide C")]))


def _cut(pick: Pick) -> str:
    """x (B, T, C) -> h (B, H, T, d)."""
    return pick("h = x.reshape(B, T, heads, d).swapaxes(1, 2)",
                "h = x.reshape((B, T, heads, -1)).transpose(0, 2, 1, 3)",
                "h = np.moveaxis(x.reshape(B, T, heads, d), 2, 1)",
                "h = np.transpose(np.reshape(x, (B, T, heads, d)), axes=(0, 2, 1, 3))",
                "h = np.einsum('bthd->bhtd', x.reshape(B, T, heads, d))",
                "h = np.rollaxis(x.reshape(B, T, heads, d), 2, 1)",
                "h = x[:, :, np.arange(C).reshape(heads, d)].swapaxes(-3, -2)",
                "h = np.stack([x[:, :, i * d:(i + 1) * d] for i in range(heads)], axis=1)",
                "h = np.stack(np.split(x, heads, axis=-1), axis=1)",
                "h = np.concatenate([x[:, None, :, i * d:(i + 1) * d] for i in range(heads)], axis=1)",
                "h = np.array([[one[:, i * d:i * d + d] for i in range(heads)] for one in x])",
                "h = np.zeros((B, heads, T, d))\n"
                "for i in range(heads):\n    h[:, i] = x[:, :, i * d:(i + 1) * d]",
                "h = np.empty((B, heads, T, d), dtype=x.dtype)\n"
                "for b in range(B):\n    for i in range(heads):\n        for t in range(T):\n"
                "            h[b, i, t] = x[b, t, i * d:(i + 1) * d]",
                "h = np.empty((heads, B, T, d), x.dtype)\n"
                "for c in range(C):\n    h[c // d, :, :, c % d] = x[:, :, c]\n"
                "h = h.swapaxes(0, 1)")


def merge_heads(pick: Pick) -> str:
    """(B, H, T, d) -> (B, T, C), with its refusal."""
    header = pick("def merge_heads(h):", "def merge_heads(h: np.ndarray) -> np.ndarray:", "def merge_heads(h, *args):")
    bad = pick("", "h.ndim != 4", "len(h.shape) != 4", "not np.ndim(h) == 4")
    return function(header, bad and refusal(pick, bad, "h should have the axes (B, H, T, d)"), "B, H, T, d = h.shape",
                    _join(pick), f"return {order(pick, 'x')}")


def _join(pick: Pick) -> str:
    """h (B, H, T, d) -> x (B, T, C)."""
    return pick("x = h.swapaxes(1, 2).reshape(B, T, H * d)",
                "x = h.transpose(0, 2, 1, 3).reshape((B, T, -1))",
                "x = np.moveaxis(h, 1, 2).reshape(B, T, H * d)",
                "x = np.einsum('bhtd->bthd', h).reshape(B, T, -1)",
                "x = h.transpose(0, 2, 1, 3).ravel().reshape(B, T, H * d)",
                "x = np.concatenate([h[:, i] for i in range(H)], axis=-1)",
                "x = np.concatenate(list(np.moveaxis(h, 1, 0)), axis=2)",
                "x = np.dstack([h[:, i] for i in range(H)])",
                "x = np.concatenate(np.split(h, H, axis=1), axis=3)[:, 0]",
                "x = np.array([[np.concatenate([h[b, i, t] for i in range(H)]) for t in range(T)] for b in range(B)])",
                "x = np.zeros((B, T, H * d))\nfor i in range(H):\n    x[..., i * d:(i + 1) * d] = h[:, i]",
                "x = np.empty((B, T, H, d), dtype=h.dtype)\n"
                "for i in range(H):\n    x[:, :, i] = h[:, i]\n"
                "x = x.reshape(B, T, H * d)")
