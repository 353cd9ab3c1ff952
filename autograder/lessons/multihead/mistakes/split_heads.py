"""Wrong ways to cut the channels into heads: where numbers land, which sizes are taken, what is refused."""
from __future__ import annotations

import re

from autograder.lessons.kit.lesson import Mistake, changed
from autograder.records import text

SPLIT = ("split_heads",)

# the reference's lines that these mistakes change
TYPE = "if isinstance(heads, bool) or not isinstance(heads, (int, np.integer)):"
AXES = "if x.ndim != 3:"
SIZES = "B, T, C = x.shape"
DIVIDES = "if heads < 1 or C % heads != 0:"
RESHAPE = "x = x.reshape(B, T, heads, C // heads)"
SWAP = "return x.swapaxes(1, 2)"
REFUSALS = ('raise TypeError(f"heads must be', 'raise ValueError(f"x must have', 'raise ValueError(f"heads must be')

ORDER = (
    Mistake(
        "split-direct-reshape", SPLIT,
        why="the target shape is known, so x is reshaped straight to it",
        hint=text("Print which token and which feature each entry of head 0 came from."),
        make=changed((RESHAPE, "x = x.reshape(B, heads, T, C // heads)"), (SWAP, "return x")),
    ),
    Mistake(
        "split-no-swap", SPLIT,
        why="step two, exchanging time and heads, is forgotten",
        hint=text("Count the axes in the order the caller will use them: which one should stand right after batch?"),
        make=changed((SWAP, "return x")),
    ),
    Mistake(
        "split-interleaved", SPLIT,
        why="H and d are exchanged in the reshape, then axes are moved until the shape fits; head h gets channels h::H",
        hint=text("Which features does head 0 own: neighbours, or every H-th one?"),
        make=changed((RESHAPE, "x = x.reshape(B, T, C // heads, heads)"), (SWAP, "return x.transpose(0, 3, 1, 2)")),
    ),
    Mistake(
        "split-transpose-then-reshape", SPLIT,
        why="the two steps are done in the other order",
        hint=text("Reshape reads the numbers in order; what order does your array have at that moment?"),
        make=changed((RESHAPE, "x = x.swapaxes(1, 2)"), (SWAP, "return x.reshape(B, heads, T, C // heads)")),
    ),
    Mistake(
        "split-key-layout", SPLIT,
        why="copied from code that hands out K already transposed, with time as the last axis",
        hint=text("Which of the last two axes should be time?"),
        make=changed((SWAP, "return x.transpose(0, 2, 3, 1)")),
    ),
    Mistake(
        "split-heads-before-batch", SPLIT,
        why="np.split and np.stack put the heads first, or the layout (H, B, T, d) is taken from elsewhere",
        hint=text("Which axis comes first for every array in this lesson?"),
        make=changed((SWAP, "return x.transpose(2, 0, 1, 3)")),
    ),
    Mistake(
        "split-batch-time-swapped", SPLIT,
        why="the sizes are unpacked in the order (T, B, C), as in libraries that put time first",
        hint=text("Print B and T for an x with 2 sequences of 5 tokens. Are they what their names say?"),
        make=changed((SIZES, "T, B, C = x.shape")),
    ),
    Mistake(
        "split-torch-transpose", SPLIT,
        why="PyTorch's transpose(1, 2) exchanges two axes, NumPy's wants all of them",
        hint=text("Read NumPy's help on transpose: what does it expect as its arguments?"),
        make=changed((SWAP, "return x.transpose(1, 2)")),
    ),
    Mistake(
        "split-swap-last-axes", SPLIT,
        why="counts the axes from 1, so the wrong pair is exchanged",
        hint=text("Write the name of each axis under its number, starting at 0. Which two numbers do you exchange?"),
        make=changed((SWAP, "return x.swapaxes(2, 3)")),
    ),
    Mistake(
        "split-heads-reversed", SPLIT,
        why="the stack of heads is built from the end",
        hint=text("Does head 0 start at feature 0?"),
        make=changed((SWAP, "return x.swapaxes(1, 2)[:, ::-1]")),
    ),
    Mistake(
        "split-reshape-not-assigned", SPLIT,
        why="thinks that reshape works in place",
        hint=text("Does reshape change x, or hand you something new?"),
        make=changed((RESHAPE, "x.reshape(B, T, heads, C // heads)")),
    ),
    Mistake(
        "split-overlapping-slices", SPLIT,
        why="each head's slice starts at h instead of h * d",
        hint=text("With 4 features and 2 heads, how many heads does feature 1 end up in?"),
        make=changed((RESHAPE, "d = C // heads"),
                     (SWAP, "return np.stack([x[..., h:h + d] for h in range(heads)], axis=1)")),
    ),
    Mistake(
        "split-list-of-heads", SPLIT,
        why="np.split gives a list of heads, which is returned as it is",
        hint=text("Does your answer have a shape with four sizes, or is it a list of something?"),
        make=changed((RESHAPE, "x = np.split(x, heads, axis=-1)"), (SWAP, "return x")),
    ),
)

SIZE = (
    Mistake(
        "split-hard-coded-heads", SPLIT,
        why="developed on one example with two heads",
        hint=text("Ask for 1 head and for 4 heads: does the shape of your answer follow?"),
        make=changed((RESHAPE, "x = x.reshape(B, T, 2, C // 2)")),
    ),
    Mistake(
        "split-hard-coded-width", SPLIT,
        why="developed on one example, where a head is two channels wide",
        hint=text("How many features does one head get when x has 12 of them and there are 3 heads?"),
        make=changed((RESHAPE, "x = x.reshape(B, T, -1, 2)")),
    ),
    Mistake(
        "split-first-sequence-only", SPLIT,
        why="developed on a batch of one",
        hint=text("Put a second sequence in the batch: does it come back?"),
        make=changed((SWAP, "return x.swapaxes(1, 2)[:1]")),
    ),
    Mistake(
        "split-float-width", SPLIT,
        why="/ instead of //: the width becomes a float, and reshape refuses it",
        hint=text("What is the type of 8 / 2 in Python?"),
        make=changed((RESHAPE, "x = x.reshape(B, T, heads, C / heads)")),
    ),
    Mistake(
        "split-refuses-one-head", SPLIT,
        why="one head seems to be nothing to split, so only two and more are let through",
        hint=text("Is 1 a positive number that divides C?"),
        make=changed((DIVIDES, "if heads <= 1 or C % heads != 0:")),
    ),
    Mistake(
        "split-refuses-width-one", SPLIT,
        why="a head of one channel seems too narrow, so as many heads as channels are refused",
        hint=text("Try as many heads as there are features: how wide is each head, and is that forbidden?"),
        make=changed((DIVIDES, "if heads < 1 or heads >= C or C % heads != 0:")),
    ),
    Mistake(
        "split-modulo-reversed", SPLIT,
        why="'heads divides C' is written as heads % C",
        hint=text("Work out your divisibility test by hand for 12 features and 3 heads."),
        make=changed((DIVIDES, "if heads < 1 or heads % C != 0:")),
    ),
    Mistake(
        "split-sets-shape", SPLIT,
        why="sets x.shape instead of making a reshaped view, which changes the caller's array",
        hint=text("Print x.shape before and after the call. Whose array did you change?"),
        make=changed((RESHAPE, "x.shape = (B, T, heads, C // heads)")),
    ),
)

REFUSAL = (
    Mistake(
        "split-infer-time", SPLIT,
        why="-1 is copied from tutorials, and nothing tests whether the heads divide the channels",
        hint=text("What if C is not a multiple of H and T * C still happens to fit?"),
        make=changed((AXES, "if x.ndim < 2:"), (SIZES, "B, C = x.shape[0], x.shape[-1]"), (DIVIDES, "if heads < 0:"),
                     (RESHAPE, "x = x.reshape(B, -1, heads, C // heads)")),
    ),
    Mistake(
        "split-drop-channels", SPLIT,
        why="floors the width of a head, and leaves the channels that do not fit out without a word",
        hint=text("Try 6 features and 4 heads. Are all 6 features still there?"),
        make=changed((DIVIDES, "if heads < 0:"),
                     (RESHAPE, "d = C // heads\n    x = x[..., :heads * d].reshape(B, T, heads, d)")),
    ),
    Mistake(
        "split-accepts-bool", SPLIT,
        why="bool is a subclass of int, so isinstance(True, int) holds; reshape with -1 then never sees True",
        hint=text("Is True a number of heads? What does isinstance(True, int) say?"),
        make=changed((TYPE, "if not isinstance(heads, (int, np.integer)):"),
                     (RESHAPE, "x = x.reshape(B, T, -1, C // heads)")),
    ),
    Mistake(
        "split-accepts-float", SPLIT,
        why="casts to be friendly, so 2.0 passes, and even 2.7",
        hint=text("Should 2.7 heads quietly become 2?"),
        make=changed((TYPE, "if isinstance(heads, (bool, str)):"), (SIZES, f"heads = int(heads)\n    {SIZES}")),
    ),
    Mistake(
        "split-accepts-negative", SPLIT,
        why="takes the absolute value, or only tests C % heads: the sign is never considered",
        hint=text("What should happen for -2?"),
        make=changed((SIZES, f"heads = abs(heads)\n    {SIZES}")),
    ),
    Mistake(
        "split-zero-heads-ZeroDivision", SPLIT,
        why="tests C % heads before heads > 0, so 0 ends in a ZeroDivisionError",
        hint=text("Test the smallest forbidden numbers first. In which order are your conditions evaluated?"),
        make=changed((DIVIDES, "if C % heads != 0 or heads < 1:")),
    ),
    Mistake(
        "split-accepts-2d", SPLIT,
        why="helps by adding the batch axis that is missing",
        hint=text("How many axes does the task ask for, and what should happen with one fewer?"),
        make=changed((AXES, f"if x.ndim == 2:\n        x = x[None]\n    {AXES}")),
    ),
    Mistake(
        "split-accepts-4d", SPLIT,
        why="reads the sizes one by one and never notices a fourth axis",
        hint=text("Try an array with one axis too many."),
        make=changed((AXES, "if x.ndim < 3:"), (SIZES, "B, T, C = x.shape[0], x.shape[1], x.shape[-1]"),
                     (RESHAPE, "x = x.reshape(B, T, heads, -1)")),
    ),
    Mistake(
        "split-prints-refusal", SPLIT,
        why="prints the complaint and returns None, where the caller needs an exception",
        hint=text("What does the caller get back when heads is wrong, and would it stop there?"),
        make=changed(*((line, re.sub(r"raise \w+", "return print", line)) for line in REFUSALS)),
    ),
    Mistake(
        "split-returns-error", SPLIT,
        why="return where raise was meant: the exception is handed back as if it were the answer",
        hint=text("Put your call with a wrong number of heads in a try block. Does the except part run?"),
        make=changed(*((line, line.replace("raise", "return")) for line in REFUSALS)),
    ),
    Mistake(
        "split-bare-exception", SPLIT,
        why="raises Exception, which says nothing about what was wrong",
        hint=text("Which kinds of exception does the task allow for a wrong argument?"),
        make=changed(*((line, re.sub(r"raise \w+", "raise Exception", line)) for line in REFUSALS)),
    ),
)

MISTAKES = (*ORDER, *SIZE, *REFUSAL)
