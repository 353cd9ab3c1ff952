"""Mistakes of students who write their own attention, by einsum, with their own cache.

Backward works from that cache, so a wrong forward has its own true derivative: the error is in `multihead` alone. Every
mistake changes one right solution, OWN.
"""

from collections.abc import Callable

from autograder.lessons.kit.lesson import Mistake, changed, written
from autograder.records import text

FORWARD = ("multihead",)
BACKWARD = ("multihead_backward",)

OWN = '''
def multihead(x, params, heads, allowed):
    """My own attention: S scores, A weights, J the joined heads."""
    x = np.array(x, dtype=float)
    Q, K, V = (split_heads(x @ params[name], heads) for name in ("wq", "wk", "wv"))
    S = np.einsum("bhid,bhjd->bhij", Q, K) / np.sqrt(Q.shape[-1])
    S[:, :, ~allowed] = -1e9
    E = np.exp(S - S.max(axis=-1, keepdims=True))
    A = E / E.sum(axis=-1, keepdims=True)
    O = np.einsum("bhij,bhjd->bhid", A, V)
    J = merge_heads(O)
    return J @ params["wo"], {"x": x, "heads": heads, "joined": J, "Q": Q, "K": K, "V": V, "A": A}


def multihead_backward(cache, params, dy):
    """Back through my own attention."""
    x, heads, J, Q, K, V, A = (cache[name] for name in ("x", "heads", "joined", "Q", "K", "V", "A"))
    dY = np.array(dy, dtype=float)
    dJ = dY @ params["wo"].T
    dO = split_heads(dJ, heads)
    dV = np.einsum("bhij,bhid->bhjd", A, dO)
    dA = np.einsum("bhid,bhjd->bhij", dO, V)
    dS = A * (dA - (dA * A).sum(axis=-1, keepdims=True)) / np.sqrt(Q.shape[-1])
    dQ = np.einsum("bhij,bhjd->bhid", dS, K)
    dK = np.einsum("bhij,bhid->bhjd", dS, Q)
    gradients = {"wo": np.tensordot(J, dY, axes=((0, 1), (0, 1)))}
    total = 0
    for name, part in zip(("wq", "wk", "wv"), (dQ, dK, dV)):
        part = merge_heads(part)
        gradients[name] = np.tensordot(x, part, axes=((0, 1), (0, 1)))
        total = total + part @ params[name].T
    return total, gradients
'''


def own(*edits: tuple[str, str]) -> Callable[[str], str]:
    """The solution with its own attention, with some lines changed."""
    return lambda source: changed(*edits)(written(OWN)(source))


ALL_THREE = 'Q, K, V = (split_heads(x @ params[name], heads) for name in ("wq", "wk", "wv"))'
S = 'S = np.einsum("bhid,bhjd->bhij", Q, K) / np.sqrt(Q.shape[-1])'
BLOCK = "S[:, :, ~allowed] = -1e9"
DS = "dS = A * (dA - (dA * A).sum(axis=-1, keepdims=True)) / np.sqrt(Q.shape[-1])"

FORWARDS = (
    Mistake("own-scale-sqrt-C", FORWARD,
            why="an own attention that divides by the root of the model width, forward and backward alike",
            hint=text("Is C the length of the vectors whose dot product you take inside one head?"),
            make=own((S, S.replace("Q.shape[-1]", "x.shape[-1]")), (DS, DS.replace("Q.shape[-1]", "x.shape[-1]")))),
    Mistake("own-mask-ignored", FORWARD,
            why="an own attention that leaves out the line with the mask",
            hint=text("Does the result change when the mask does? Follow allowed, line by line."),
            make=own((f"    {BLOCK}\n", ""))),
    Mistake("own-mask-transposed", FORWARD,
            why="rows and columns of the mask are confused in an own attention",
            hint=text("In your scores, does the first token axis stand for the one who asks? And in allowed?"),
            make=own((BLOCK, "S[:, :, ~allowed.T] = -1e9"))),
    Mistake("own-softmax-no-max-shift", FORWARD,
            why="an own softmax with the bare exp: right for small scores, overflows for large ones",
            hint=text("Multiply x by 60 and look at exp(scores): is every number finite?"),
            make=own(("E = np.exp(S - S.max(axis=-1, keepdims=True))", "E = np.exp(S)"))),
    Mistake("own-heads-by-reshape", FORWARD,
            why="heads are cut and joined by a bare reshape inside an own attention, right functions or not",
            hint=text("Does the second axis of your queries count heads, and the third one the tokens of one "
                      "sequence?"),
            make=own((ALL_THREE, "B, T, C = np.shape(x)\n"
                                 '    Q, K, V = ((x @ params[name]).reshape(B, heads, T, C // heads) '
                                 'for name in ("wq", "wk", "wv"))'),
                     ("J = merge_heads(O)", "J = O.reshape(x.shape)"),
                     ("dO = split_heads(dJ, heads)", "dO = dJ.reshape(Q.shape)"),
                     ("        part = merge_heads(part)\n", "        part = part.reshape(x.shape)\n"))),
    Mistake("own-heads-interleaved", FORWARD,
            why="an own attention that gives head h the channels h::H",
            hint=text("Which features of x @ wq does your head 0 read?"),
            make=own((ALL_THREE, "B, T, C = np.shape(x)\n"
                                 "    Q, K, V = ((x @ params[name]).reshape(B, T, C // heads, heads)"
                                 '.transpose(0, 3, 1, 2) for name in ("wq", "wk", "wv"))'),
                     ("J = merge_heads(O)", "J = O.transpose(0, 2, 3, 1).reshape(x.shape)"),
                     ("dO = split_heads(dJ, heads)",
                      "dO = dJ.reshape(*dJ.shape[:2], -1, heads).transpose(0, 3, 1, 2)"),
                     ("        part = merge_heads(part)\n",
                      "        part = part.transpose(0, 2, 3, 1).reshape(x.shape)\n"))),
)

BACKWARDS = (
    Mistake("own-bwd-no-scale", BACKWARD,
            why="the scale of an own attention is forgotten on the way back",
            hint=text("Write down every step from Q to S. Is each of them in your backward?"),
            make=own((DS, DS.replace(" / np.sqrt(Q.shape[-1])", "")))),
    Mistake("own-bwd-einsum-dK", BACKWARD,
            why="a slip in the subscripts: dK is summed over keys, where it should be over queries",
            hint=text("Which letter of your einsum for dK counts the keys? It should still be there in the result."),
            make=own(('dK = np.einsum("bhij,bhid->bhjd", dS, Q)', 'dK = np.einsum("bhij,bhjd->bhid", dS, Q)'))),
    Mistake("own-bwd-einsum-heads-summed", BACKWARD,
            why="a slip in the subscripts: the letter h is missing, so the heads are summed",
            hint=text("Is the letter of the heads on both sides of your einsum's arrow?"),
            make=own(('dV = np.einsum("bhij,bhid->bhjd", A, dO)',
                      'dV = np.einsum("bhij,bhid->bjd", A, dO)[:, None].repeat(heads, axis=1)'))),
    Mistake("own-bwd-softmax-sum-over-all", BACKWARD,
            why="one sum for all rows, since axis and keepdims are left out",
            hint=text("How many sums should you subtract: one, or one for each row of weights?"),
            make=own((DS, DS.replace("(dA * A).sum(axis=-1, keepdims=True)", "(dA * A).sum()")))),
)

MISTAKES = (*FORWARDS, *BACKWARDS)
