"""Write down a variant: its plan, its choices, and the steps that several functions share."""
from __future__ import annotations

from dataclasses import dataclass

from autograder.lessons.kit.writing import Pick


@dataclass(frozen=True)
class Plan:
    """What the functions of one variant have to agree on."""

    strict: bool                                # split_heads refuses NumPy's integers as well
    own: bool                                   # with the student's own attention
    keeps: str                                  # how q, k, v and the weights are kept for backward
    single: bool                                # computed in float32

    @classmethod
    def picked(cls, pick: Pick) -> Plan:
        """A plan at random."""
        own = pick(False, True)
        keeps = pick("dict", "tuple", "object", "flat", "mask") if own else pick("dict", "dict", "mask")
        return cls(pick(False, True), own, keeps, pick(False, False, False, False, True))


def refusal(pick: Pick, bad: str, message: str) -> str:
    """Refuse if `bad` holds, in one of the ways that students choose."""
    raised = pick("ValueError", "TypeError", "AssertionError", "BadShape")
    return pick(f'if {bad}:\n    raise {raised}("{message}")',
                f'assert not ({bad}), "{message}"',
                f'require(not ({bad}), "{message}")',
                f'if not ({bad}):\n    pass\nelse:\n    raise {raised}')


def floats(pick: Pick, plan: Plan, name: str) -> str:
    """The array as floats: a copy, or the array itself if it holds floats already."""
    if plan.single:
        return (f"{name} = np.array({name}, dtype=np.float32)\n"
                "params = {name: np.asarray(w, dtype=np.float32) for name, w in params.items()}")
    return pick(f"{name} = np.array({name}, dtype=float)", f"{name} = np.asarray({name}, dtype=float)",
                f"{name} = {name}.astype(float)", f"{name} = {name} * 1.0", f"{name} = np.array({name}, np.float64)",
                f"{name} = {name} / 1")


def product(pick: Pick, x: str, w: str) -> str:
    """x (B, T, C) times a matrix (C, C) -> (B, T, C)."""
    return pick(f"{x} @ {w}", f"np.matmul({x}, {w})", f"np.dot({x}, {w})", f'np.einsum("btc,ce->bte", {x}, {w})',
                f'np.einsum("...c,ce->...e", {x}, {w}, optimize=True)',
                f"np.tensordot({x}, {w}, axes=([2], [0]))", f"np.tensordot({x}, {w}, axes=1)",
                f"({x}.reshape(-1, {x}.shape[-1]) @ {w}).reshape({x}.shape[0], {x}.shape[1], -1)",
                f"np.stack([one @ {w} for one in {x}])", f"project({x}, {w})",
                f"np.array([[token @ {w} for token in one] for one in {x}])")


def cut(pick: Pick, x: str, heads: str, where: str) -> str:
    """(B, T, C) -> (B, H, T, d) without refusals, or by split_heads; `where` is the width of a head."""
    return pick(f"split_heads({x}, {heads})", f"split_heads({x}, {heads})", f"split_heads(x={x}, heads={heads})",
                f"split_heads(heads={heads}, x={x})",
                f"{x}.reshape({x}.shape[0], {x}.shape[1], {heads}, -1).transpose(0, 2, 1, 3)",
                f"np.stack([{x}[..., i * {where}:(i + 1) * {where}] for i in range({heads})], axis=1)")


def joined(pick: Pick, h: str) -> str:
    """(B, H, T, d) -> (B, T, C), by merge_heads or by hand."""
    return pick(f"merge_heads({h})", f"merge_heads({h})", f"merge_heads(h={h})",
                f"np.concatenate([{h}[:, i] for i in range({h}.shape[1])], axis=-1)",
                f"{h}.swapaxes(1, 2).reshape({h}.shape[0], {h}.shape[2], -1)")
