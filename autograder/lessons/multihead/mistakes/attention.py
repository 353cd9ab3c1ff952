"""Wrong forward passes inside attention: the scale of the scores, the softmax and the mask."""
from __future__ import annotations

from autograder.lessons.kit.lesson import Mistake, changed
from autograder.records import text

FORWARD = ("multihead",)

# the lines of the given attention, and its one call, that these mistakes change
SCORES = "q @ np.swapaxes(k, -1, -2) / np.sqrt(q.shape[-1])"
MASK = "np.where(allowed, scores, -np.inf)"
SHIFTED = "shifted = np.exp(scores - scores.max(axis=-1, keepdims=True))"
WEIGHTS = "weights = shifted / shifted.sum(axis=-1, keepdims=True)"
CALL = "attention(q, k, v, allowed)\n    joined"

SCALE = (
    Mistake("scale-sqrt-C", FORWARD,
            why="divides by the root of the model width, as in code with a single head",
            hint=text("Compare H=1 with H=2: should the divisor stay the same?"),
            make=changed((SCORES, "q @ np.swapaxes(k, -1, -2) / np.sqrt(q.shape[1] * q.shape[-1])"))),
    Mistake("scale-none", FORWARD,
            why="the scale is forgotten, or thought to be done elsewhere",
            hint=text("How large do dot products get as heads become wider?"),
            make=changed((SCORES, "q @ np.swapaxes(k, -1, -2)"))),
    Mistake("scale-d", FORWARD,
            why="the root is forgotten",
            hint=text("Which power of the width keeps the spread of the scores near one?"),
            make=changed((SCORES, "q @ np.swapaxes(k, -1, -2) / q.shape[-1]"))),
    Mistake("scale-multiply", FORWARD,
            why="a stored factor, d ** 0.5 or d ** -0.5, is applied the other way round",
            hint=text("Do the scores get smaller or larger with your operation?"),
            make=changed((SCORES, "q @ np.swapaxes(k, -1, -2) * np.sqrt(q.shape[-1])"))),
    Mistake("scale-sqrt-shape1", FORWARD,
            why="d_k = k.shape[1], from code with two axes; with four axes that is the number of heads",
            hint=text("Print the number you divide by; is it the width of one head?"),
            make=changed((SCORES, "q @ np.swapaxes(k, -1, -2) / np.sqrt(k.shape[1])"))),
    Mistake("scale-sqrt-T", FORWARD,
            why="takes the last size of the wrong array: of the scores, not of the keys",
            hint=text("Should a longer text change the divisor?"),
            make=changed((SCORES, "q @ np.swapaxes(k, -1, -2) / np.sqrt(k.shape[-2])"))),
    Mistake("kT-reverses-all-axes", FORWARD,
            why="habit from two axes: .T reverses all four",
            hint=text("Print k.shape and k.T.shape."),
            make=changed((SCORES, "q @ k.T / np.sqrt(q.shape[-1])"))),
)

SOFTMAX = (
    Mistake("softmax-over-queries", FORWARD,
            why="the sum runs along the wrong axis",
            hint=text("Which sums should be one: those along a query's row or down a key's column?"),
            make=changed((SHIFTED, SHIFTED.replace("axis=-1", "axis=-2")),
                         (WEIGHTS, WEIGHTS.replace("axis=-1", "axis=-2")))),
    Mistake("softmax-global", FORWARD,
            why="the sum has no axis, so all weights together add up to one",
            hint=text("Add up one query's weights."),
            make=changed((SHIFTED, "shifted = np.exp(scores - scores.max())"),
                         (WEIGHTS, "weights = shifted / shifted.sum()"))),
    Mistake("softmax-no-keepdims", FORWARD,
            why="without keepdims the sums line up with the columns, or with nothing at all",
            hint=text("Print the shape of the sums beside the shape of what you divide by them, right-aligned."),
            make=changed((WEIGHTS, "weights = shifted / shifted.sum(axis=-1)"))),
    Mistake("softmax-missing", FORWARD,
            why="the scores themselves are used as weights",
            hint=text("Can one of your weights be negative? What do they add up to?"),
            make=changed((WEIGHTS, "weights = np.where(allowed, scores, 0)"))),
    Mistake("softmax-no-max-shift", FORWARD,
            why="exp of the bare scores: right for small ones, overflows for large ones",
            hint=text("What is np.exp(1000)? What may you subtract from a row of scores without changing its weights?"),
            make=changed((SHIFTED, "shifted = np.exp(scores)"))),
    Mistake("softmax-global-shift", FORWARD,
            why="subtracts the largest score of all: a row of much smaller scores underflows to 0 / 0",
            hint=text("Take two queries whose scores are far apart. What is left of the smaller row after your exp?"),
            make=changed((SHIFTED, "shifted = np.exp(scores - scores.max())"))),
)

MASKING = (
    Mistake("mask-ignored", FORWARD,
            why="the argument is never used; under a causal mask the last row is right all the same",
            hint=text("Change a later token and watch the first output row."),
            make=changed((CALL, CALL.replace("allowed", "np.ones_like(allowed)")))),
    Mistake("mask-inverted", FORWARD,
            why="in PyTorch's MultiheadAttention True means blocked",
            hint=text("Read: what does True mean in this lesson?"),
            make=changed((MASK, "np.where(allowed, -np.inf, scores)"))),
    Mistake("mask-transposed", FORWARD,
            why="row and column are confused",
            hint=text("Row i, column j: who asks and who is asked?"),
            make=changed((MASK, "np.where(allowed.T, scores, -np.inf)"))),
    Mistake("mask-with-zero", FORWARD,
            why="zero looks like 'nothing', but exp(0) is 1",
            hint=text("What is exp of your masked score?"),
            make=changed((MASK, "np.where(allowed, scores, 0)"))),
    Mistake("mask-minus-one", FORWARD,
            why="a blocked score is made low, not impossible",
            hint=text("How much weight does a blocked key still get? It should be none."),
            make=changed((MASK, "np.where(allowed, scores, -1)"))),
    Mistake("mask-added-as-number", FORWARD,
            why="the mask is added to the scores as 0 and 1",
            hint=text("By how much does blocking a pair lower its score in your code? Is that enough?"),
            make=changed((MASK, "scores + allowed"))),
    Mistake("mask-after-softmax", FORWARD,
            why="weights of blocked pairs are set to zero after the softmax, so that a row adds up to less than one",
            hint=text("Add up each row of weights once the mask has been applied."),
            make=changed((MASK, "scores + 0"), (WEIGHTS, f"{WEIGHTS} * allowed"))),
    Mistake("mask-key-padding-only", FORWARD,
            why="the mask is read as one row of keys that holds for every query",
            hint=text("May the first token use the same keys as the last one?"),
            make=changed((MASK, "np.where(allowed[-1], scores, -np.inf)"))),
    Mistake("mask-wrong-new-axis", FORWARD,
            why="the new axis is put in the middle, so that the mask's rows line up with the heads",
            hint=text("Write the shapes of mask and scores under each other, right-aligned."),
            make=changed((MASK, "np.where(allowed[:, None, :], scores, -np.inf)"))),
    Mistake("mask-first-sequence-only", FORWARD,
            why="an index 0 is left over, so that the mask is applied to the first sequence of the batch only",
            hint=text("Put the same sequence in the batch twice: do both give the same output?"),
            make=changed((f"scores = {MASK}", f"scores[0] = {MASK.replace('scores', 'scores[0]')}"))),
    Mistake("mask-causal-hard-coded", FORWARD,
            why="a causal mask is built anew, and allowed is not looked at",
            hint=text("Let the first token look at all the others: does your output change?"),
            make=changed((CALL, CALL.replace("allowed", "np.tril(np.ones_like(allowed))")))),
    Mistake("mask-anded-with-causal", FORWARD,
            why="attention is thought to be causal always, so the mask is narrowed further",
            hint=text("With a mask of ones only, how many keys does the first token see?"),
            make=changed((CALL, CALL.replace("allowed", "allowed & np.tril(np.ones_like(allowed))")))),
)

MISTAKES = (*SCALE, *SOFTMAX, *MASKING)
