"""Mistakes of students who write attention as loops: over sequences, heads and tokens.

The cache has the helper's layout, so that backward can be asked by itself. Every mistake changes one right solution,
LOOPS.
"""

from collections.abc import Callable

from autograder.lessons.kit.lesson import Mistake, changed, written
from autograder.records import text

FORWARD = ("multihead",)
BACKWARD = ("multihead_backward",)

LOOPS = '''
def multihead(x, params, heads, allowed):
    """One sequence, one head and one query at a time."""
    whole = x.astype(float)
    Q, K, V = (split_heads(whole @ params[name], heads) for name in ("wq", "wk", "wv"))
    B, H, T, d = Q.shape
    A = np.zeros((B, H, T, T))
    J = np.zeros(x.shape)
    for b in range(B):
        for h in range(H):
            for i in range(T):
                s = np.full(T, -np.inf)
                for j in range(T):
                    if not allowed[i, j]:
                        continue
                    s[j] = Q[b, h, i] @ K[b, h, j] / np.sqrt(d)
                e = np.exp(s - s.max())
                A[b, h, i] = e / e.sum()
                mixture = np.zeros(d)
                for j in range(T):
                    mixture += A[b, h, i, j] * V[b, h, j]
                J[b, i, h * d:(h + 1) * d] = mixture
    memory = {"q": Q, "k": K, "v": V, "weights": A}
    return J @ params["wo"], {"x": whole, "heads": heads, "attention": memory, "joined": J}


def multihead_backward(cache, params, dy):
    """One sequence, one head and one query at a time, with the softmax's matrix of derivatives."""
    x, J, memory = cache["x"], cache["joined"], cache["attention"]
    Q, K, V, A = memory["q"], memory["k"], memory["v"], memory["weights"]
    B, H, T, d = Q.shape
    dy = dy.astype(float)
    dO = split_heads(dy @ params["wo"].T, cache["heads"])
    dQ, dK, dV = np.zeros(Q.shape), np.zeros(Q.shape), np.zeros(Q.shape)
    for b in range(B):
        for h in range(H):
            for i in range(T):
                a = A[b, h, i]
                slope = np.diag(a) - np.outer(a, a)
                ds = slope @ (V[b, h] @ dO[b, h, i]) / np.sqrt(d)
                dQ[b, h, i] = ds @ K[b, h]
                for j in range(T):
                    dK[b, h, j] += ds[j] * Q[b, h, i]
                    dV[b, h, j] += a[j] * dO[b, h, i]
    parts = {"wq": merge_heads(dQ), "wk": merge_heads(dK), "wv": merge_heads(dV)}
    gradients = {name: np.zeros(J.shape[-1:] * 2) for name in ("wq", "wk", "wv", "wo")}
    dx = np.zeros(J.shape)
    for b in range(B):
        for t in range(T):
            gradients["wo"] += np.outer(J[b, t], dy[b, t])
            for name in parts:
                gradients[name] += np.outer(x[b, t], parts[name][b, t])
                dx[b, t] += params[name] @ parts[name][b, t]
    return dx, gradients
'''


def loops(*edits: tuple[str, str]) -> Callable[[str], str]:
    """The solution in loops, with some lines changed."""
    return lambda source: changed(*edits)(written(LOOPS)(source))


OVER_QUERIES = "            for i in range(T):\n                s ="
WRITE = "J[b, i, h * d:(h + 1) * d] = mixture"

FORWARDS = (
    Mistake("loop-last-token-skipped", FORWARD,
            why="off by one: range(T - 1), so that the last token is never a query",
            hint=text("Look at y for the last token, and at the last number that your loop over queries reaches."),
            make=loops((OVER_QUERIES, OVER_QUERIES.replace("range(T)", "range(T - 1)")))),
    Mistake("loop-break-at-blocked-key", FORWARD,
            why="break where continue was meant: right for a causal mask, stops too early for any other",
            hint=text("Let a query see keys 0 and 2, not 1. How far does your loop over keys get?"),
            make=loops(("                        continue", "                        break"))),
    Mistake("loop-first-sequence-only", FORWARD,
            why="the loop over the batch was written for one sequence",
            hint=text("Which sequences does your outer loop visit? Print b."),
            make=loops(("    for b in range(B):\n        for h in range(H):\n" + OVER_QUERIES,
                        "    for b in range(1):\n        for h in range(H):\n" + OVER_QUERIES))),
    Mistake("loop-writes-first-block", FORWARD,
            why="every head is written to the first d channels, so the last one wins",
            hint=text("Into which features of J does head 1 go?"),
            make=loops((WRITE, "J[b, i, :d] = mixture"))),
    Mistake("loop-slice-one-off", FORWARD,
            why="channels are counted from 1: each head's slice begins one channel too late",
            hint=text("Write down the features of the first and of the last head. Is feature 0 among them?"),
            make=loops((WRITE,
                        "J[b, i, h * d + 1:(h + 1) * d + 1] = mixture[:len(J[b, i, h * d + 1:(h + 1) * d + 1])]"))),
    Mistake("loop-mixture-not-reset", FORWARD,
            why="the sum is set to zero once for each head, not for each query, so queries pile up",
            hint=text("What is left in your sum when the loop comes to the second query?"),
            make=loops(("                mixture = np.zeros(d)\n", ""),
                       (OVER_QUERIES, f"            mixture = np.zeros(d)\n{OVER_QUERIES}"))),
    Mistake("loop-int-buffer", FORWARD,
            why="np.zeros_like(x) takes over a whole-number type, and cuts off every mixture",
            hint=text("Feed an x of whole numbers and look at the dtype of J."),
            make=loops(("J = np.zeros(x.shape)", "J = np.zeros_like(x)"))),
)

BACKWARDS = (
    Mistake("loop-dv-overwritten", BACKWARD,
            why="= instead of += in the innermost loop: only the last query counts for a value",
            hint=text("How many queries look at one value? How many of them leave a trace in your dV?"),
            make=loops(("dV[b, h, j] += ", "dV[b, h, j] = "))),
    Mistake("loop-dk-overwritten", BACKWARD,
            why="= instead of += in the innermost loop: only the last query counts for a key",
            hint=text("How many queries are compared with one key? How many of them leave a trace in your dK?"),
            make=loops(("dK[b, h, j] += ", "dK[b, h, j] = "))),
    Mistake("loop-grads-overwritten", BACKWARD,
            why="= instead of += for the matrices: only the very last token counts",
            hint=text("Every token uses the same matrix. How many of them leave a trace in your gradient?"),
            make=loops(('gradients["wo"] += ', 'gradients["wo"] = '), ("gradients[name] += ", "gradients[name] = "))),
    Mistake("loop-softmax-slope-sign", BACKWARD,
            why="diag(a) + a aT: the sign in the softmax's matrix of derivatives",
            hint=text("If one score rises, do the other weights of its row rise or fall?"),
            make=loops(("np.diag(a) - np.outer(a, a)", "np.diag(a) + np.outer(a, a)"))),
    Mistake("loop-softmax-slope-diagonal", BACKWARD,
            why="only the diagonal of the softmax's matrix of derivatives is kept",
            hint=text("Does one score have an influence on the weights of the other keys?"),
            make=loops(("np.diag(a) - np.outer(a, a)", "np.diag(a - a * a)"))),
)

MISTAKES = (*FORWARDS, *BACKWARDS)
