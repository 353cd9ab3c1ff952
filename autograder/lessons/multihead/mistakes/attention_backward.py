"""Wrong backward passes inside attention: the softmax's derivative, the scale, and the routes to q, k and v."""

from autograder.lessons.kit.lesson import Mistake, changed
from autograder.records import text

BACKWARD = ("multihead_backward",)

# the lines of the given attention_backward that these mistakes change
DOUT = "dout = np.array(dout, dtype=float)"
DWEIGHTS = "dweights = dout @ np.swapaxes(v, -1, -2)"
SOFTMAX = "dscores = weights * (dweights - (dweights * weights).sum(axis=-1, keepdims=True))"
SCALE = "dscores = dscores / np.sqrt(q.shape[-1])"
DQ = '"q": dscores @ k'
DK = '"k": np.swapaxes(dscores, -1, -2) @ q'
DV = '"v": np.swapaxes(weights, -1, -2) @ dout'

DERIVATIVE = (
    Mistake("softmax-bwd-diagonal", BACKWARD,
            why="w * (1 - w), the derivative of a sigmoid: how the weights of a row compete is left out",
            hint=text("If one weight in a row grows, what happens to the others?"),
            make=changed((SOFTMAX, "dscores = weights * (1 - weights) * dweights"))),
    Mistake("softmax-bwd-wrong-axis", BACKWARD,
            why="the sum runs down the columns",
            hint=text("Along which axis did the weights sum to one?"),
            make=changed((SOFTMAX, SOFTMAX.replace("axis=-1", "axis=-2")))),
    Mistake("softmax-bwd-no-row-sum", BACKWARD,
            why="only the first half of the derivative: weights * dweights",
            hint=text("Add one number to a whole row of scores: its weights stay. So what must a row of dscores sum "
                      "to?"),
            make=changed((SOFTMAX, "dscores = weights * dweights"))),
    Mistake("softmax-bwd-mean-not-sum", BACKWARD,
            why="subtracts the plain mean of the row, where the weighted one belongs",
            hint=text("Sum one row of your dscores. Softmax does not notice a shift of the row: what should the sum "
                      "be?"),
            make=changed((SOFTMAX, "dscores = weights * (dweights - dweights.mean(axis=-1, keepdims=True))"))),
    Mistake("softmax-bwd-no-keepdims", BACKWARD,
            why="without keepdims the row sums line up with the columns, or with nothing at all",
            hint=text("Which shape do your row sums have, and which shape should they have to be subtracted row by "
                      "row?"),
            make=changed((SOFTMAX, "dscores = weights * (dweights - (dweights * weights).sum(axis=-1))"))),
    Mistake("softmax-bwd-skipped", BACKWARD,
            why="the gradient of the weights is used as if it were that of the scores",
            hint=text("Which steps lie between a score and its weight, and does your backward go back through them?"),
            make=changed((SOFTMAX, "dscores = dweights"))),
    Mistake("attn-bwd-no-scale", BACKWARD,
            why="attention's backward written by hand, without the scale",
            hint=text("Which constant multiplied the scores in forward?"),
            make=changed((f"    {SCALE}\n", ""))),
    Mistake("attn-bwd-sqrt-C", BACKWARD,
            why="the model width instead of the head width, in backward only",
            hint=text("Compare the constant here with the one in your forward pass for H=2."),
            make=changed((SCALE, "dscores = dscores / np.sqrt(q.shape[1] * q.shape[-1])"))),
    Mistake("attn-bwd-scale-twice", BACKWARD,
            why="the scale is applied to dS, and to dQ and dK once more",
            hint=text("How often did forward scale?"),
            make=changed((SCALE, "dscores = dscores / q.shape[-1]"))),
    Mistake("attn-bwd-scale-multiplied", BACKWARD,
            why="going back is thought to undo the scale: multiplied, where forward divided",
            hint=text("If forward halves a number, does its gradient double or halve on the way back?"),
            make=changed((SCALE, "dscores = dscores * np.sqrt(q.shape[-1])"))),
    Mistake("attn-bwd-mask-forgotten", BACKWARD,
            why="the weights are computed again in backward, without the mask",
            hint=text("Can a blocked pair still get a gradient?"),
            make=changed((DOUT, DOUT + "\n    scores = q @ np.swapaxes(k, -1, -2) / np.sqrt(1.0 * q.shape[-1])"
                                       "\n    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))"
                                       "\n    weights = weights / weights.sum(axis=-1, keepdims=True)"))),
    Mistake("mutates-cache", BACKWARD,
            why="*= on an array of the cache: right the first time, and wrong ever after",
            hint=text("Call backward twice on one cache."),
            make=changed((DWEIGHTS, f"dv = np.swapaxes(weights, -1, -2) @ dout\n    {DWEIGHTS}"), (DV, '"v": dv'),
                         (SOFTMAX, "dscores = weights\n    dscores *= dweights - (dweights * weights)"
                                   ".sum(axis=-1, keepdims=True)"))),
)

ROUTES = (
    Mistake("dWv-from-dy", BACKWARD,
            why="the gradient of V skips attention: dV = dO",
            hint=text("Who else besides token t uses token t's value?"),
            make=changed((DV, '"v": dout'))),
    Mistake("qk-detached", BACKWARD,
            why="the attention weights are treated as constants",
            hint=text("Do the attention weights depend on wq?"),
            make=changed((DQ, '"q": np.zeros(q.shape)'), (DK, '"k": np.zeros(k.shape)'))),
    Mistake("sign-flipped-dk", BACKWARD,
            why="a slip of the sign",
            hint=text("Nudge wk and compare the direction."),
            make=changed((DK, '"k": -np.swapaxes(dscores, -1, -2) @ q'))),
    Mistake("attn-bwd-dk-from-k", BACKWARD,
            why="a copied line: the gradient of k is made with k itself",
            hint=text("A score is q times k. With what must dscores be multiplied to reach k?"),
            make=changed((DK, '"k": np.swapaxes(dscores, -1, -2) @ k'))),
    Mistake("attn-bwd-dk-not-transposed", BACKWARD,
            why="dscores is used as it is, so that key j gets what belongs to query j",
            hint=text("Key j is looked at by all queries. Which row or column of dscores is about key j?"),
            make=changed((DK, '"k": dscores @ q'))),
    Mistake("attn-bwd-dv-not-transposed", BACKWARD,
            why="the weights are used as in forward, where their mirror image is needed",
            hint=text("Under a causal mask, which outputs does the first token's value reach? Find those weights."),
            make=changed((DV, '"v": weights @ dout'))),
)

MISTAKES = (*DERIVATIVE, *ROUTES)
