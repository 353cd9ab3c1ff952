"""Wrong gradients of the four matrices: the sum over batch and time of outer products, and the arrays it uses."""

from autograder.lessons.kit.lesson import Mistake, changed
from autograder.records import text

BACKWARD = ("multihead_backward",)

# the reference's lines that these mistakes change
SUM_WO = 'np.einsum("btj,btc->jc", cache["joined"], dy)'
SUM_W = 'np.einsum("btc,bte->ce", x, dpart)'
GRAD_W = f"grads[name] = {SUM_W}"
RETURN = "return dx, grads"


def _all_sums(after: str) -> tuple[tuple[str, str], ...]:
    """The same continuation of the four sums over batch and time."""
    return (SUM_WO, SUM_WO + after), (SUM_W, SUM_W + after)


SUMS = (
    Mistake("avg-over-batch", BACKWARD,
            why="'mean gradient' habit: divides by the number of sequences",
            hint=text("Is the loss here a sum or a mean? Put the same sequence in the batch twice and compare dW."),
            make=changed(*_all_sums(" / x.shape[0]"))),
    Mistake("avg-over-time", BACKWARD,
            why="'mean gradient' habit: divides by the number of tokens",
            hint=text("Is the loss here a sum or a mean? If there is a mean, dy knows about it already."),
            make=changed(*_all_sums(" / x.shape[1]"))),
    Mistake("avg-over-batch-time", BACKWARD,
            why="'mean gradient' habit: divides by the number of all tokens of the batch",
            hint=text("Nudge one number in wq and measure by how much the sum of y * dy changes. Is your gradient that "
                      "large?"),
            make=changed(*_all_sums(" / (x.shape[0] * x.shape[1])"))),
    Mistake("divide-by-heads", BACKWARD,
            why="thinks that the heads share the columns of wq",
            hint=text("Do two heads share any column of wq?"),
            make=changed((GRAD_W, f'{GRAD_W} / cache["heads"]'))),
    Mistake("dW-divided-by-sqrt-d", BACKWARD,
            why="the scale of the scores is applied to the matrices' gradients too",
            hint=text("Which step of forward divides by a root, and who has gone back through it already?"),
            make=changed((GRAD_W, f'{GRAD_W} / np.sqrt(x.shape[-1] // cache["heads"])'))),
    Mistake("dW-batch-not-summed", BACKWARD,
            why="a batched matrix product keeps the batch axis: (B, C, C)",
            hint=text("Compare the shape of the gradient with the shape of the weight."),
            make=changed((SUM_WO, 'cache["joined"].swapaxes(1, 2) @ dy'), (SUM_W, "x.swapaxes(1, 2) @ dpart"))),
    Mistake("dW-last-token", BACKWARD,
            why="only the last time step is used",
            hint=text("Does the first token leave a trace in dW?"),
            make=changed((SUM_WO, 'cache["joined"][:, -1].T @ dy[:, -1]'), (SUM_W, "x[:, -1].T @ dpart[:, -1]"))),
    Mistake("dW-first-sequence-only", BACKWARD,
            why="developed on a single sequence",
            hint=text("Change the second sequence of the batch: does dW change?"),
            make=changed((SUM_WO, 'cache["joined"][0].T @ dy[0]'), (SUM_W, "x[0].T @ dpart[0]"))),
    Mistake("dW-sum-then-outer", BACKWARD,
            why="sums over batch and time before it multiplies",
            hint=text("Is a sum of products the product of the sums?"),
            make=changed((SUM_WO, 'np.outer(cache["joined"].sum(axis=(0, 1)), dy.sum(axis=(0, 1)))'),
                         (SUM_W, "np.outer(x.sum(axis=(0, 1)), dpart.sum(axis=(0, 1)))"))),
    Mistake("dW-einsum-two-times", BACKWARD,
            why="a slip in the subscripts: two letters for time, so every token is paired with every other",
            hint=text("Does token 0 of x meet the gradient of token 1 in your sum? Look at the letters in your "
                      "einsum."),
            make=changed((SUM_W, SUM_W.replace("bte", "bse")))),
    Mistake("dW-einsum-two-batches", BACKWARD,
            why="a slip in the subscripts: two letters for batch, so the sequences are mixed",
            hint=text("May the first sequence meet the gradient of the second one in your sum?"),
            make=changed((SUM_W, SUM_W.replace("bte", "ate")))),
)

FACTORS = (
    Mistake("dWo-transposed", BACKWARD,
            why="the factors of the outer product are exchanged",
            hint=text("Which index of wo belongs to J?"),
            make=changed((SUM_WO, SUM_WO.replace("->jc", "->cj")))),
    Mistake("dWqkv-transposed", BACKWARD,
            why="PyTorch's (out, in) convention",
            hint=text("Which index of wq belongs to x?"),
            make=changed((SUM_W, SUM_W.replace("->ce", "->ec")))),
    Mistake("dW-reshape-not-transposed", BACKWARD,
            why="x.reshape(C, -1) where the transpose of x.reshape(-1, C) is needed",
            hint=text("Print the first row of the flattened x: one feature of all tokens, or all features of one "
                      "token?"),
            make=changed((SUM_W, "x.reshape(x.shape[-1], -1) @ dpart.reshape(-1, x.shape[-1])"))),
    Mistake("dWq-from-dk", BACKWARD,
            why="a copied line, in which dk was not changed",
            hint=text("Change only wq a little: which part changes?"),
            make=changed((RETURN, 'grads["wq"] = np.einsum("btc,bte->ce", x, merge_heads(dheads["k"]))\n    '
                                  + RETURN))),
    Mistake("dWk-dWv-swapped", BACKWARD,
            why="two gradients are stored under each other's name",
            hint=text("Nudge wv and compare."),
            make=changed((RETURN, f'grads["wk"], grads["wv"] = grads["wv"], grads["wk"]\n    {RETURN}'))),
    Mistake("dWo-from-x", BACKWARD,
            why="uses the input of the whole layer",
            hint=text("Which array stood left of wo in forward?"),
            make=changed((SUM_WO, SUM_WO.replace('cache["joined"]', "x")))),
    Mistake("dW-from-joined", BACKWARD,
            why="uses J for all four matrices, since it was right for the first",
            hint=text("Which array stood left of wq, wk and wv in forward?"),
            make=changed((SUM_W, SUM_W.replace("x, dpart", 'cache["joined"], dpart')))),
)

MISTAKES = (*SUMS, *FACTORS)
