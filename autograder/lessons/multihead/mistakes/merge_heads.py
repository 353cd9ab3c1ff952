"""Wrong ways to join the heads, and pairs of split and merge that undo each other but are both wrong."""

from autograder.lessons.kit.lesson import Mistake, changed
from autograder.lessons.multihead.mistakes.split_heads import RESHAPE as SPLIT_RESHAPE
from autograder.lessons.multihead.mistakes.split_heads import SWAP as SPLIT_SWAP
from autograder.records import text

MERGE = ("merge_heads",)
BOTH = ("split_heads", "merge_heads")

# the reference's lines that these mistakes change
AXES = "if h.ndim != 4:"
SIZES = "B, H, T, d = h.shape"
SWAP = "h = h.swapaxes(1, 2)"
RESHAPE = "return h.reshape(B, T, H * d)"
REFUSAL = 'raise ValueError(f"h must have'

ALONE = (
    Mistake("merge-direct-reshape", MERGE,
            why="forgets to undo the swap of time and heads",
            hint=text("Follow one token's numbers: do all its heads end in one row?"),
            make=changed((SWAP, "h = np.ascontiguousarray(h)"))),
    Mistake("merge-misnamed-axes", MERGE,
            why="unpacks the sizes in the order that they have before the swap in split_heads",
            hint=text("Read off which size comes second in the array you receive."),
            make=changed((SIZES, "B, T, H, d = h.shape"))),
    Mistake("merge-interleaved", MERGE,
            why="puts the head axis last, so that the channels of different heads alternate",
            hint=text("Should neighbours in a token's row come from one head or from different heads?"),
            make=changed((SWAP, "h = h.transpose(0, 2, 3, 1)"))),
    Mistake("merge-mean-over-heads", MERGE,
            why="confuses joining with averaging",
            hint=text("How wide must the joined row be?"),
            make=changed((RESHAPE, "return h.mean(axis=2)"))),
    Mistake("merge-mean-tiled", MERGE,
            why="averages the heads, then patches the width by repeating",
            hint=text("Can two different heads still be told apart after your merge?"),
            make=changed((RESHAPE, "return np.tile(h.mean(axis=2), (1, 1, H))"))),
    Mistake("merge-fortran", MERGE,
            why="Fortran order by habit: the first index runs fastest, so heads alternate",
            hint=text("Which index runs fastest in your reshape?"),
            make=changed((RESHAPE, 'return h.reshape(B, T, H * d, order="F")'))),
    Mistake("merge-accepts-3d", MERGE,
            why="no test of the number of axes; what is missing is filled in",
            hint=text("What if the head axis is missing?"),
            make=changed((AXES, f"if h.ndim == 3:\n        h = h[:, None]\n    {AXES}"))),
    Mistake("merge-hstack", MERGE,
            why="np.hstack joins along axis 1, which is time here, not the features",
            hint=text("How many tokens does your answer have? Along which axis did you join?"),
            make=changed((SWAP, "h = [h[:, i] for i in range(H)]"), (RESHAPE, "return np.hstack(h)"))),
    Mistake("merge-heads-reversed", MERGE,
            why="the heads are joined from the last to the first",
            hint=text("Which head should give the first d features of a token's row?"),
            make=changed((SWAP, "h = h[:, ::-1].swapaxes(1, 2)"))),
    Mistake("merge-drops-last-head", MERGE,
            why="off by one: range(H - 1) leaves the last head out",
            hint=text("Count the heads that you join, and list their numbers."),
            make=changed((SWAP, "h = [h[:, i] for i in range(H - 1)]"),
                         (RESHAPE, "return np.concatenate(h, axis=-1)"))),
    Mistake("merge-head-zero-tiled", MERGE,
            why="index 0 is left over from a first try, and the width is patched by repeating",
            hint=text("Change a number in the last head: does your answer change?"),
            make=changed((RESHAPE, "return np.tile(h[:, :, 0], (1, 1, H))"))),
    Mistake("merge-hard-coded-sizes", MERGE,
            why="the sizes of the worked example are typed in",
            hint=text("Call it with other sizes than those of the worked example."),
            make=changed((RESHAPE, "return h.reshape(1, 2, 4)"))),
    Mistake("merge-time-first", MERGE,
            why="the axes are moved to (T, B, H, d), as in libraries that put time first",
            hint=text("With 2 sequences of 5 tokens, which of the two numbers should come first in the shape?"),
            make=changed((SWAP, "h = h.transpose(2, 0, 1, 3)"), (RESHAPE, "return h.reshape(T, B, H * d)"))),
    Mistake("merge-squeezes", MERGE,
            why="squeezes to get rid of the head axis, and loses every other axis of length one",
            hint=text("Merge a batch with a single sequence: how many axes come back?"),
            make=changed((RESHAPE, "return h.reshape(B, T, H * d).squeeze()"))),
    Mistake("merge-prints-refusal", MERGE,
            why="prints the complaint and returns None, where the caller needs an exception",
            hint=text("What does the caller get back when h has the wrong number of axes?"),
            make=changed((REFUSAL, 'return print(f"h must have'))),
)

TOGETHER = (
    Mistake("both-direct-reshape", BOTH,
            why="the round trip works, so it 'must be right'",
            hint=text("A perfect round trip only says that the two agree; look at one head."),
            make=changed((SPLIT_RESHAPE, "x = x.reshape(B, heads, T, C // heads)"), (SPLIT_SWAP, "return x"),
                         (SWAP, "h = np.ascontiguousarray(h)"))),
    Mistake("both-reversed", BOTH,
            why="both functions count the heads from the end",
            hint=text("The pair agrees, but which head is number 0?"),
            make=changed((SPLIT_SWAP, "return x.swapaxes(1, 2)[:, ::-1]"), (SWAP, "h = h[:, ::-1].swapaxes(1, 2)"))),
    Mistake("both-interleaved", BOTH,
            why="both functions give head h the channels h::H",
            hint=text("Your two functions undo each other. Which features lie together in one head?"),
            make=changed((SPLIT_RESHAPE, "x = x.reshape(B, T, C // heads, heads)"),
                         (SPLIT_SWAP, "return x.transpose(0, 3, 1, 2)"), (SWAP, "h = h.transpose(0, 2, 3, 1)"))),
    Mistake("both-no-swap", BOTH,
            why="neither function exchanges time and heads, so attention would mix heads instead of tokens",
            hint=text("Attention mixes along the last axis but one. Which axis is that in your split?"),
            make=changed((SPLIT_SWAP, "return x"), (SIZES, "B, T, H, d = h.shape"),
                         (SWAP, "h = np.ascontiguousarray(h)"))),
    Mistake("both-heads-first", BOTH,
            why="both functions use the layout (H, B, T, d)",
            hint=text("Your two functions agree with each other. Do they also agree with the shapes in the task?"),
            make=changed((SPLIT_SWAP, "return x.transpose(2, 0, 1, 3)"), (SIZES, "H, B, T, d = h.shape"),
                         (SWAP, "h = h.transpose(1, 2, 0, 3)"))),
)

MISTAKES = (*ALONE, *TOGETHER)
