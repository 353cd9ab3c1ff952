"""Wrong ways back: gradients of gain and bias, the routes through mean and variance, what is returned or changed."""
from __future__ import annotations

from autograder.kit import Mistake, changed, text

BACKWARD = ("layer_norm_backward",)

# the reference's lines that these mistakes change
CACHE = 'x_hat, std, gain = cache["x_hat"], cache["std"], cache["gain"]'
DY = "dy = np.asarray(dy, dtype=float)"
DGAIN = "dgain = np.sum(dy * x_hat, axis=(0, 1))"
DBIAS = "dbias = np.sum(dy, axis=(0, 1))"
DX_HAT = "dx_hat = dy * gain"
BY_MEAN = "by_mean = np.mean(dx_hat, axis=-1, keepdims=True)"
BY_VAR = "by_var = x_hat * np.mean(dx_hat * x_hat, axis=-1, keepdims=True)"
DX = "dx = (dx_hat - by_mean - by_var) / std"
RETURN = "return dx, dgain, dbias"

TO_PARAMETERS = (
    Mistake(
        "dgain-averaged", BACKWARD,
        why="mean where sum belongs, for gain and bias",
        hint=text("Every token uses the same gain and the same bias. Do their influences add up, or do they average?"),
        make=changed((DGAIN, DGAIN.replace("np.sum", "np.mean")), (DBIAS, DBIAS.replace("np.sum", "np.mean"))),
    ),
    Mistake(
        "dgain-averaged-over-batch", BACKWARD,
        why="the mean over the batch is taken once more, though it is in dy already",
        hint=text("If there is a mean over the batch, in which array is it already?"),
        make=changed((RETURN, "return dx, dgain / len(dy), dbias / len(dy)")),
    ),
    Mistake(
        "dgain-not-summed-over-batch", BACKWARD,
        why="developed on one sequence: sums over time only",
        hint=text("Compare the shape of dgain with that of gain."),
        make=changed((DGAIN, DGAIN.replace("(0, 1)", "1")), (DBIAS, DBIAS.replace("(0, 1)", "1"))),
    ),
    Mistake(
        "dgain-first-sequence-only", BACKWARD,
        why="index 0 is left over from a first try",
        hint=text("Change dy of the last sequence: does dgain notice?"),
        make=changed((DGAIN, "dgain = np.sum((dy * x_hat)[0], axis=0)"), (DBIAS, "dbias = np.sum(dy[0], axis=0)")),
    ),
    Mistake(
        "dgain-over-features", BACKWARD,
        why="sums over the features of each token instead of over the tokens",
        hint=text("How many numbers are there in gain? And in your dgain?"),
        make=changed((DGAIN, DGAIN.replace("(0, 1)", "-1")), (DBIAS, DBIAS.replace("(0, 1)", "-1"))),
    ),
    Mistake(
        "dgain-without-x-hat", BACKWARD,
        why="gain is treated like bias",
        hint=text("By what is gain multiplied on the way to y?"),
        make=changed((DGAIN, "dgain = np.sum(dy, axis=(0, 1))")),
    ),
    Mistake(
        "dgain-with-gain", BACKWARD,
        why="uses gain * x_hat, which is what gain leads to, not what it is multiplied by",
        hint=text("Double gain only. Should dgain change?"),
        make=changed((DGAIN, "dgain = np.sum(dy * gain * x_hat, axis=(0, 1))")),
    ),
    Mistake(
        "dgain-with-centred", BACKWARD,
        why="forgets the division: x - mean where x_hat belongs",
        hint=text("Make x ten times as large: y stays the same. Should dgain change?"),
        make=changed((DGAIN, "dgain = np.sum(dy * x_hat * std, axis=(0, 1))")),
    ),
    Mistake(
        "dbias-with-gain", BACKWARD,
        why="the bias is thought to be scaled by gain",
        hint=text("Is the bias added before or after the scaling by gain?"),
        make=changed((DBIAS, "dbias = np.sum(dy * gain, axis=(0, 1))")),
    ),
    Mistake(
        "dbias-with-keepdims", BACKWARD,
        why="keepdims where the axes should go",
        hint=text("Compare the shape of dbias with that of bias."),
        make=changed((DGAIN, DGAIN.replace("(0, 1))", "(0, 1), keepdims=True)")),
                     (DBIAS, DBIAS.replace("(0, 1))", "(0, 1), keepdims=True)"))),
    ),
)

TO_X = (
    Mistake(
        "dx-mean-and-variance-constant", BACKWARD,
        why="treats mean and variance as constants: only the direct way is left",
        hint=text("Nudge one feature of a token: which of its other features of y change as well, and why?"),
        make=changed((DX, "dx = dx_hat / std")),
    ),
    Mistake(
        "dx-without-mean", BACKWARD,
        why="the way through the mean is forgotten",
        hint=text("Raise all features of a token by the same amount: y stays. What should the sum of dx be?"),
        make=changed((DX, "dx = (dx_hat - by_var) / std")),
    ),
    Mistake(
        "dx-without-variance", BACKWARD,
        why="the way through the variance is forgotten",
        hint=text("Make a token twice as wide around its mean: what happens to y? What does your dx say about that?"),
        make=changed((DX, "dx = (dx_hat - by_mean) / std")),
    ),
    Mistake(
        "dx-variance-added", BACKWARD,
        why="a sign is lost: the way through the variance is added",
        hint=text("A feature that moves away from the mean makes the spread larger. What does that do to the others?"),
        make=changed((DX, "dx = (dx_hat - by_mean + by_var) / std")),
    ),
    Mistake(
        "dx-mean-added", BACKWARD,
        why="a sign is lost: the way through the mean is added",
        hint=text("One feature goes up, and the mean with it. Do the others go up or down by that?"),
        make=changed((DX, "dx = (dx_hat + by_mean - by_var) / std")),
    ),
    Mistake(
        "dx-without-gain", BACKWARD,
        why="dy where the gradient of x_hat belongs",
        hint=text("Set gain to zero: how much influence does x have on y then?"),
        make=changed((DX_HAT, "dx_hat = dy")),
    ),
    Mistake(
        "dx-gain-at-the-end", BACKWARD,
        why="gain is multiplied in after the means were taken",
        hint=text("On the way back, which step comes first: the one through gain, or the one through the mean?"),
        make=changed((DX_HAT, "dx_hat = dy"), (RETURN, "return gain * dx, dgain, dbias")),
    ),
    Mistake(
        "dx-gain-twice", BACKWARD,
        why="gain is multiplied in at the start, and at the end once more",
        hint=text("Double gain: by how much should dx grow?"),
        make=changed((RETURN, "return gain * dx, dgain, dbias")),
    ),
    Mistake(
        "dx-not-divided", BACKWARD,
        why="the division by std is forgotten on the way back",
        hint=text("Make x ten times as large: y stays the same. What happens to the slope of y?"),
        make=changed((DX, "dx = dx_hat - by_mean - by_var")),
    ),
    Mistake(
        "dx-times-std", BACKWARD,
        why="multiplies by std where it should divide",
        hint=text("Forward divides by std. By what is a small change of x multiplied, then?"),
        make=changed((DX, "dx = (dx_hat - by_mean - by_var) * std")),
    ),
    Mistake(
        "dx-divided-by-variance", BACKWARD,
        why="divides by the variance: std ** 2",
        hint=text("How often is x divided by std in forward?"),
        make=changed((DX, "dx = (dx_hat - by_mean - by_var) / std ** 2")),
    ),
    Mistake(
        "dx-sums-for-means", BACKWARD,
        why="sums over the features where means belong: the 1/C of mean and variance is lost",
        hint=text("One feature goes up by 1. By how much does the mean of C features go up?"),
        make=changed((BY_MEAN, BY_MEAN.replace("np.mean", "np.sum")), (BY_VAR, BY_VAR.replace("np.mean", "np.sum"))),
    ),
    Mistake(
        "dx-divided-by-features-less-one", BACKWARD,
        why="the variance of statistics on the way back: divided by C - 1",
        hint=text("By which number did forward divide the sum of squares?"),
        make=changed((BY_VAR, "by_var = x_hat * np.sum(dx_hat * x_hat, axis=-1, keepdims=True) / (dy.shape[-1] - 1)")),
    ),
    Mistake(
        "dx-variance-doubled", BACKWARD,
        why="the 2 of the square stays, the half of the root is forgotten",
        hint=text("The derivative of a square brings a 2, that of a root a half. What is left of the two together?"),
        make=changed((BY_VAR, f"{BY_VAR} * 2")),
    ),
    Mistake(
        "dx-variance-without-x-hat", BACKWARD,
        why="by_var is the mean alone, not spread over the features",
        hint=text("Which feature changes the variance most: one at the mean, or one far from it?"),
        make=changed((BY_VAR, "by_var = np.mean(dx_hat * x_hat, axis=-1, keepdims=True)")),
    ),
    Mistake(
        "dx-variance-of-dx-hat", BACKWARD,
        why="the mean of dx_hat alone, where that of dx_hat * x_hat belongs",
        hint=text("The variance reaches every feature of y: by what is each of them multiplied there?"),
        make=changed((BY_VAR, "by_var = x_hat * np.mean(dx_hat, axis=-1, keepdims=True)")),
    ),
    Mistake(
        "dx-means-over-time", BACKWARD,
        why="the means of the way back are taken over the tokens",
        hint=text("Over which axis did forward take its mean? Which axis is that on the way back?"),
        make=changed((BY_MEAN, BY_MEAN.replace("-1", "1")), (BY_VAR, BY_VAR.replace("-1", "1"))),
    ),
    Mistake(
        "dx-means-over-everything", BACKWARD,
        why="np.mean without an axis",
        hint=text("Change dy of one token: does dx of another token change? Should it?"),
        make=changed((BY_MEAN, "by_mean = np.mean(dx_hat)"), (BY_VAR, "by_var = x_hat * np.mean(dx_hat * x_hat)")),
    ),
    Mistake(
        "dx-residual-added", BACKWARD,
        why="transformer-block habit: dy is added to dx",
        hint=text("Did forward add x to the output?"),
        make=changed((DX, f"{DX} + dy")),
    ),
    Mistake(
        "dx-summed-over-batch", BACKWARD,
        why="one sum too many: gain is shared by the sequences, x is not",
        hint=text("Compare dx.shape with x.shape: where did an axis go?"),
        make=changed((RETURN, "return dx.sum(axis=0), dgain, dbias")),
    ),
    Mistake(
        "dx-squeezed", BACKWARD,
        why="squeezes away what has length one",
        hint=text("Call it with a single sequence: how many axes does dx have?"),
        make=changed((RETURN, "return dx.squeeze(), dgain, dbias")),
    ),
)

RETURNED = (
    Mistake(
        "return-order-exchanged", BACKWARD,
        why="dbias and dgain in the other order",
        hint=text("Read the signature: in which order do the three gradients come back?"),
        make=changed((RETURN, "return dx, dbias, dgain")),
    ),
    Mistake(
        "backward-returns-dx-only", BACKWARD,
        why="gain and bias are not thought of as learned",
        hint=text("Three things come back from layer_norm_backward. Which ones?"),
        make=changed((RETURN, "return dx")),
    ),
    Mistake(
        "backward-changes-dy", BACKWARD,
        why="dy *= gain works in the caller's own array",
        hint=text("Print dy before and after the call."),
        make=changed((DX_HAT, "dy *= gain\n    dx_hat = dy")),
    ),
    Mistake(
        "backward-changes-cache", BACKWARD,
        why="x_hat *= ... works in the array of the cache, so that a second call finds another one",
        hint=text("Call it twice with one cache. Does the same come out?"),
        make=changed((BY_VAR, "x_hat *= np.mean(dx_hat * x_hat, axis=-1, keepdims=True)\n    by_var = x_hat")),
    ),
    Mistake(
        "dx-whole-numbers", BACKWARD,
        why="the array for dx gets its dtype from dy",
        hint=text("What dtype does dx have if dy holds whole numbers?"),
        make=changed((DY, "whole = np.asarray(dy)\n    dy = whole.astype(float)"),
                     (RETURN, "return dx.astype(whole.dtype), dgain, dbias")),
    ),
    Mistake(
        "dgain-whole-numbers", BACKWARD,
        why="np.zeros_like(dy[0, 0]) is filled: whole numbers where dy holds whole numbers",
        hint=text("What dtype does dgain have if dy holds whole numbers?"),
        make=changed((DY, "whole = np.asarray(dy)\n    dy = whole.astype(float)"),
                     (RETURN, "return dx, dgain.astype(whole.dtype), dbias.astype(whole.dtype)")),
    ),
)

MISTAKES = (*TO_PARAMETERS, *TO_X, *RETURNED)
