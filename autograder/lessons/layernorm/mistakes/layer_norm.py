"""Wrong ways to normalise: the axis, the variance, eps, gain and bias, what is kept, what must not change."""
from __future__ import annotations

from autograder.kit import Mistake, changed, text

FORWARD = ("layer_norm",)

# the reference's lines that these mistakes change
FLOATS = "x = np.asarray(x, dtype=float)"
MEAN = "mean = x.mean(axis=-1, keepdims=True)"
CENTRED = "centred = x - mean"
VAR = "var = np.mean(centred ** 2, axis=-1, keepdims=True)"
STD = "std = np.sqrt(var + eps)"
X_HAT = "x_hat = centred / std"
Y = "y = gain * x_hat + bias"
GAIN = 'np.array(gain, dtype=float)'
RETURN = f'return y, {{"x_hat": x_hat, "std": std, "gain": {GAIN}}}'

AXES = (
    Mistake(
        "norm-over-time", FORWARD,
        why="the second axis of batch norm is remembered: mean and variance over the tokens",
        hint=text("Which numbers belong together: those of one token, or those of one feature?"),
        make=changed((MEAN, "mean = x.mean(axis=1, keepdims=True)"),
                     (VAR, "var = np.mean(centred ** 2, axis=1, keepdims=True)")),
    ),
    Mistake(
        "norm-over-batch", FORWARD,
        why="batch norm by habit: mean and variance over the sequences",
        hint=text("Does the answer for one sequence change when another one is added to the batch? Should it?"),
        make=changed((MEAN, "mean = x.mean(axis=0, keepdims=True)"),
                     (VAR, "var = np.mean(centred ** 2, axis=0, keepdims=True)")),
    ),
    Mistake(
        "norm-over-batch-and-time", FORWARD,
        why="batch norm for sequences: one mean for each feature",
        hint=text("How many means are there: one for each feature, or one for each token?"),
        make=changed((MEAN, "mean = x.mean(axis=(0, 1), keepdims=True)"),
                     (VAR, "var = np.mean(centred ** 2, axis=(0, 1), keepdims=True)")),
    ),
    Mistake(
        "norm-over-tokens-and-features", FORWARD,
        why="one mean and one variance for a whole sequence",
        hint=text("Change one token: do the others of its sequence change too? Should they?"),
        make=changed((MEAN, "mean = x.mean(axis=(1, 2), keepdims=True)"),
                     (VAR, "var = np.mean(centred ** 2, axis=(1, 2), keepdims=True)")),
    ),
    Mistake(
        "norm-over-everything", FORWARD,
        why="x.mean() without an axis",
        hint=text("How many numbers does your mean consist of? How many tokens are there?"),
        make=changed((MEAN, "mean = x.mean()"), (VAR, "var = np.mean(centred ** 2)")),
    ),
    Mistake(
        "keepdims-forgotten", FORWARD,
        why="without keepdims the axis is gone, and (B, T, C) - (B, T) only fits by accident",
        hint=text("Which shape does your mean have, and does it still say to which token it belongs?"),
        make=changed((MEAN, "mean = x.mean(axis=-1)")),
    ),
)

SPREAD = (
    Mistake(
        "variance-unbiased", FORWARD,
        why="ddof=1, as in statistics: divided by C - 1",
        hint=text("By which number do you divide the sum of squares: C or C - 1?"),
        make=changed((VAR, "var = x.var(axis=-1, keepdims=True, ddof=1)")),
    ),
    Mistake(
        "variance-without-root", FORWARD,
        why="divides by the variance where the standard deviation belongs",
        hint=text("If x is measured in metres, in what is the variance measured?"),
        make=changed((STD, "std = var + eps")),
    ),
    Mistake(
        "standard-deviation-in-the-root", FORWARD,
        why="takes the standard deviation for the variance, so that the root is taken twice",
        hint=text("Count the roots between the squares and your division."),
        make=changed((VAR, "var = x.std(axis=-1, keepdims=True)")),
    ),
    Mistake(
        "mean-absolute-deviation", FORWARD,
        why="averages the distances instead of their squares",
        hint=text("What is averaged in a variance: distances, or their squares?"),
        make=changed((STD, "std = np.mean(np.abs(centred), axis=-1, keepdims=True) + eps")),
    ),
    Mistake(
        "sum-of-squares", FORWARD,
        why="sum where mean belongs: divides by the length of the vector",
        hint=text("Twice as many features of the same kind: should your standard deviation grow?"),
        make=changed((VAR, "var = np.sum(centred ** 2, axis=-1, keepdims=True)")),
    ),
    Mistake(
        "variance-about-zero", FORWARD,
        why="RMS norm: squares x itself and forgets the mean in the variance",
        hint=text("Around which value do you measure the spread: around zero, or around the mean?"),
        make=changed((VAR, "var = np.mean(x ** 2, axis=-1, keepdims=True)")),
    ),
    Mistake(
        "rms-norm", FORWARD,
        why="RMS norm from another model: the mean is not taken off at all",
        hint=text("What is the mean of your x_hat, and what should it be?"),
        make=changed((CENTRED, "centred = x")),
    ),
    Mistake(
        "mean-only", FORWARD,
        why="takes the mean off and forgets to divide",
        hint=text("Make x ten times as large. What should happen to x_hat, and what does happen?"),
        make=changed((X_HAT, "x_hat = centred")),
    ),
    Mistake(
        "multiplied-by-std", FORWARD,
        why="multiplies where it should divide",
        hint=text("What is the standard deviation of your x_hat, and what should it be?"),
        make=changed((X_HAT, "x_hat = centred * std")),
    ),
    Mistake(
        "variance-in-one-pass", FORWARD,
        why="mean(x ** 2) - mean(x) ** 2 is the same on paper, and loses all digits far from zero",
        hint=text("Take off the mean first, and square afterwards: what is the difference with numbers around a "
                  "million?"),
        make=changed((VAR, "var = np.mean(x ** 2, axis=-1, keepdims=True) - mean ** 2")),
    ),
    Mistake(
        "forward-in-float32", FORWARD,
        why="a habit from deep learning frameworks: everything in float32",
        hint=text("How many digits does float32 have? And how many are left after you take a million off a million and "
                  "one half?"),
        make=changed((FLOATS, "x = np.asarray(x, dtype=np.float32)")),
    ),
)

EPS = (
    Mistake(
        "eps-outside-the-root", FORWARD,
        why="sqrt(var) + eps: guards the division, but is another number",
        hint=text("Is eps added to the variance, or to the standard deviation?"),
        make=changed((STD, "std = np.sqrt(var) + eps")),
    ),
    Mistake(
        "eps-forgotten", FORWARD,
        why="eps is a parameter that is never used",
        hint=text("What happens to a token whose features are all equal?"),
        make=changed((STD, "std = np.sqrt(var)")),
    ),
    Mistake(
        "eps-squared", FORWARD,
        why="eps is taken for a standard deviation, and squared with it",
        hint=text("Compare var + eps with what stands below your root."),
        make=changed((STD, "std = np.sqrt(var + eps ** 2)")),
    ),
    Mistake(
        "eps-hard-coded", FORWARD,
        why="1e-5 is typed in, as most libraries have it",
        hint=text("Call it with eps = 0 and with eps = 3: does your answer change?"),
        make=changed((STD, "std = np.sqrt(var + 1e-5)")),
    ),
    Mistake(
        "eps-as-a-floor", FORWARD,
        why="max(var, eps): guards the division, but changes nothing elsewhere",
        hint=text("Does eps also count where the variance is large?"),
        make=changed((STD, "std = np.sqrt(np.maximum(var, eps))")),
    ),
    Mistake(
        "eps-in-the-numerator", FORWARD,
        why="eps ends up on the wrong side of the line",
        hint=text("On which side of the line does eps stand, and what should it protect?"),
        make=changed((STD, "std = np.sqrt(var)"), (X_HAT, "x_hat = (centred + eps) / std")),
    ),
)

OUTPUT = (
    Mistake(
        "gain-forgotten", FORWARD,
        why="stops at x_hat, and adds the bias only",
        hint=text("Set gain to zero. What should be left of y?"),
        make=changed((Y, "y = x_hat + bias")),
    ),
    Mistake(
        "bias-forgotten", FORWARD,
        why="scales, and forgets to shift",
        hint=text("What should y be for a token whose features are all equal?"),
        make=changed((Y, "y = gain * x_hat")),
    ),
    Mistake(
        "bias-scaled", FORWARD,
        why="brackets in the wrong place: gain * (x_hat + bias)",
        hint=text("Double gain only: how much of y should double?"),
        make=changed((Y, "y = gain * (x_hat + bias)")),
    ),
    Mistake(
        "gain-plus-one", FORWARD,
        why="1 + gain, as in models whose gain starts at zero",
        hint=text("What should y be if gain is zero?"),
        make=changed((Y, "y = (1 + gain) * x_hat + bias")),
    ),
    Mistake(
        "gain-and-bias-exchanged", FORWARD,
        why="the two vectors have the same shape and change places",
        hint=text("Which of the two is multiplied with x_hat?"),
        make=changed((Y, "y = bias * x_hat + gain")),
    ),
    Mistake(
        "y-instead-of-x-hat", FORWARD,
        why="the last thing that was computed goes into the cache",
        hint=text("What does the way back need: x_hat, or what became of it after gain and bias?"),
        make=changed((RETURN, RETURN.replace('"x_hat": x_hat', '"x_hat": y'))),
    ),
    Mistake(
        "cache-holds-variance", FORWARD,
        why="var is kept under the name std",
        hint=text("Print cache['std'] for a token whose spread you know."),
        make=changed((RETURN, RETURN.replace('"std": std', '"std": var'))),
    ),
    Mistake(
        "cache-std-flat", FORWARD,
        why="the last axis of std is squeezed away in the cache",
        hint=text("Which shape does cache['std'] have? Can dx be divided by it?"),
        make=changed((RETURN, RETURN.replace('"std": std', '"std": std[..., 0]'))),
    ),
    Mistake(
        "cache-forgotten", FORWARD,
        why="returns y alone",
        hint=text("Two things come back from layer_norm. Which ones?"),
        make=changed((RETURN, "return y")),
    ),
    Mistake(
        "forward-squeezes", FORWARD,
        why="squeezes to get rid of the axis of length one, and loses others with it",
        hint=text("Call it with a single sequence: how many axes come back?"),
        make=changed((RETURN, RETURN.replace("return y,", "return y.squeeze(),"))),
    ),
    Mistake(
        "forward-in-place", FORWARD,
        why="x -= mean works in the caller's own array",
        hint=text("Print x before and after the call."),
        make=changed((CENTRED, "x -= mean\n    centred = x")),
    ),
    Mistake(
        "whole-number-output", FORWARD,
        why="the output array gets its dtype from x, and whole numbers cut off what follows the point",
        hint=text("What dtype does y have if x holds whole numbers?"),
        make=changed((FLOATS, f"kind = np.asarray(x).dtype\n    {FLOATS}"),
                     (Y, "y = (gain * x_hat + bias).astype(kind)")),
    ),
)

MISTAKES = (*AXES, *SPREAD, *EPS, *OUTPUT)
