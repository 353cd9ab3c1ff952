"""Wrong forward passes around the given attention: projections, joining, the cache, the arguments."""

from autograder.lessons.kit.lesson import Mistake, changed
from autograder.records import text

FORWARD = ("multihead",)

# the reference's lines that these mistakes change
DEF = "def multihead(x, params, heads, allowed):"
X = "x = np.array(x, dtype=float)"
Q = 'q = split_heads(x @ params["wq"], heads)'
K = 'k = split_heads(x @ params["wk"], heads)'
V = 'v = split_heads(x @ params["wv"], heads)'
ATTEND = "mixed, attention_cache = attention(q, k, v, allowed)"
MERGE = "joined = merge_heads(mixed)"
Y = 'y = joined @ params["wo"]'
RETURN = 'return y, {"x": x, "heads": heads, "attention": attention_cache, "joined": joined}'
SCALED = "np.swapaxes(k, -1, -2) / np.sqrt(q.shape[-1])"           # in the given attention


def _projections(old: str, new: str) -> tuple[tuple[str, str], ...]:
    """The same change in the three lines that make q, k and v."""
    return tuple((line, line.replace(old, new)) for line in (Q, K, V))


PROJECTIONS = (
    Mistake("split-before-project", FORWARD,
            why="narrow attention: x is cut first, and each head projects its own channels only",
            hint=text("Can head 0 see the last feature of x?"),
            make=changed((Q, f"own = np.kron(np.eye(heads), np.ones((x.shape[-1] // heads,) * 2))\n    {Q}"
                          .replace('params["wq"]', '(params["wq"] * own)')),
                         (K, K.replace('params["wk"]', '(params["wk"] * own)')),
                         (V, V.replace('params["wv"]', '(params["wv"] * own)')))),
    Mistake("split-before-project-shared", FORWARD,
            why="x is cut first, and all heads share one small matrix",
            hint=text("How many of the weights in wq influence your result?"),
            make=changed((Q, 'd = x.shape[-1] // heads\n    q = split_heads(x, heads) @ params["wq"][:d, :d]'),
                         (K, 'k = split_heads(x, heads) @ params["wk"][:d, :d]'),
                         (V, 'v = split_heads(x, heads) @ params["wv"][:d, :d]'))),
    Mistake("swap-k-v", FORWARD,
            why="keys and values are exchanged, by the order of arguments",
            hint=text("Which projection decides where to look, and which decides what is passed on?"),
            make=changed((K, K.replace("wk", "wv")), (V, V.replace("wv", "wk")))),
    Mistake("swap-q-k", FORWARD,
            why="queries and keys are exchanged when Q, K and V are unpacked",
            hint=text("Whose scores does row i of the table belong to: the asker's or the asked one's?"),
            make=changed((Q, Q.replace("wq", "wk")), (K, K.replace("wk", "wq")))),
    Mistake("k-uses-wq", FORWARD,
            why="a copied line, in which wq was not changed",
            hint=text("Does your output change when you change wk only?"),
            make=changed((K, K.replace("wk", "wq")))),
    Mistake("v-uses-wk", FORWARD,
            why="a copied line, in which wk was not changed",
            hint=text("Does your output change when you change wv only?"),
            make=changed((V, V.replace("wv", "wk")))),
    Mistake("q-not-projected", FORWARD,
            why="x itself is used as the query",
            hint=text("Does your output change when you change wq only?"),
            make=changed((Q, "q = split_heads(x, heads)"))),
    Mistake("v-not-split", FORWARD,
            why="queries and keys are split, the values are forgotten",
            hint=text("Print the shapes of q, k and v just before attention."),
            make=changed((V, 'v = x @ params["wv"]'))),
    Mistake("weights-transposed", FORWARD,
            why="nn.Linear stores its weights as (out, in)",
            hint=text("Row or column: which index of W belongs to the input feature here?"),
            make=changed(*((line, line.replace('"]', '"].T')) for line in (Q, K, V)))),
    Mistake("x-overwritten-by-q", FORWARD,
            why="the name x is used again for the query, so keys and values are projections of the query",
            hint=text("Which array do wk and wv multiply?"),
            make=changed((Q, 'x = x @ params["wq"]\n    q = split_heads(x, heads)'))),
    Mistake("q-scaled-before-helper", FORWARD,
            why="the query is divided by the root of the head width, and the given attention does so once more",
            hint=text("How often are your scores divided by √d? Count the functions that you call as well."),
            make=changed((Q, f"{Q} / np.sqrt(x.shape[-1] // heads)"))),
    Mistake("layer-norm-added", FORWARD,
            why="transformer-block habit: each token is normalised first",
            hint=text("Make every number of x three times as large. Does your output stay the same, and should it?"),
            make=changed((X, f"{X}\n    x = (x - x.mean(-1, keepdims=True)) / (x.std(-1, keepdims=True) + 1e-5)"))),
)

JOINING = (
    Mistake("wo-transposed", FORWARD,
            why="nn.Linear habit, for the last layer only",
            hint=text("Multiply one joined row by wo by hand."),
            make=changed((Y, 'y = joined @ params["wo"].T'))),
    Mistake("missing-wo", FORWARD,
            why="thinks that joining the heads is the last step",
            hint=text("Does your output change when you change wo?"),
            make=changed((Y, "y = joined"))),
    Mistake("wo-before-merge", FORWARD,
            why="wo is folded into wv, as if there were no heads between them",
            hint=text("At which moment do the heads meet: before wo or after it?"),
            make=changed((V, 'v = split_heads(x @ params["wv"] @ params["wo"], heads)'), (Y, "y = joined"))),
    Mistake("heads-summed", FORWARD,
            why="sums the heads, with one block of wo for all, instead of joining them",
            hint=text("Do different heads use different rows of wo?"),
            make=changed((Y, 'y = mixed.sum(axis=1) @ params["wo"][:mixed.shape[-1]]'))),
    Mistake("heads-averaged", FORWARD,
            why="averages the heads and repeats the average to get the width right",
            hint=text("Can two heads still be told apart in J?"),
            make=changed((MERGE, "joined = np.tile(mixed.mean(axis=1), heads)"))),
    Mistake("head-zero-repeated", FORWARD,
            why="index 0 is left over from a first try with one head",
            hint=text("Which heads have a part in J? Change the last features of wv and look."),
            make=changed((MERGE, "joined = np.tile(mixed[:, 0], heads)"))),
    Mistake("y-divided-by-heads", FORWARD,
            why="the heads are thought to add up, so their number is divided out",
            hint=text("Does joining heads make the numbers in a row larger?"),
            make=changed((Y, f"{Y} / heads"))),
    Mistake("residual-added", FORWARD,
            why="transformer-block habit: x is added to the result",
            hint=text("What should come out if wo is all zeros?"),
            make=changed((Y, 'y = x + joined @ params["wo"]'))),
    Mistake("merge-by-reshape-in-forward", FORWARD,
            why="merge_heads is right, but a reshape replaces the call of it",
            hint=text("You wrote a function that joins heads; is it used here?"),
            make=changed((MERGE, "joined = mixed.reshape(x.shape)"))),
    Mistake("dropout-left-in", FORWARD,
            why="dropout from a training script: some entries are zero, the others scaled up",
            hint=text("Are there zeros in your J where you do not expect them? Who put them there?"),
            make=changed((MERGE, f"{MERGE}\n    kept = np.random.default_rng(0).random(joined.shape) < 0.9"
                                 "\n    joined = joined * kept / 0.9"))),
    Mistake("y-rounded", FORWARD,
            why="rounds so that the printed result looks like the worked example",
            hint=text("How many decimals does your y have? Round what you print, not what you return."),
            make=changed((Y, 'y = np.round(joined @ params["wo"], 3)'))),
)

CACHE = (
    Mistake("joined-is-y", FORWARD,
            why="the array is stored one step too late",
            hint=text("Which array is multiplied by wo?"),
            make=changed((RETURN, RETURN.replace('"joined": joined', '"joined": y')))),
    Mistake("joined-not-merged", FORWARD,
            why="the heads' outputs are stored before they are joined",
            hint=text("How many axes should J have?"),
            make=changed((RETURN, RETURN.replace('"joined": joined', '"joined": mixed')))),
    Mistake("cache-heads-missing", FORWARD,
            why="the number of heads is not stored, and backward has nothing to derive it from",
            hint=text("How will backward know how to cut dJ?"),
            make=changed((RETURN, RETURN.replace('"heads": heads, ', "")))),
    Mistake("cache-is-none", FORWARD,
            why="the cache is left for later",
            hint=text("What will backward need that only forward knows?"),
            make=changed((RETURN, "return y, None"))),
    Mistake("forward-returns-y-only", FORWARD,
            why="returns the result alone",
            hint=text("Two things come back from multihead. Which ones?"),
            make=changed((RETURN, "return y"))),
    Mistake("forward-return-order-swapped", FORWARD,
            why="the cache is returned first",
            hint=text("Read the signature in the task: what does multihead hand back first?"),
            make=changed((RETURN, RETURN.replace("return y, ", "return ") + ", y"))),
)

ARGUMENTS = (
    Mistake("hard-coded-2-heads", FORWARD,
            why="developed on one example with two heads",
            hint=text("Does your output change when you change heads?"),
            make=changed(*_projections("heads)", "2)"))),
    Mistake("heads-from-params", FORWARD,
            why="the number of heads is taken from the shape of a matrix",
            hint=text("Print the number of heads that you use. Does it follow the argument?"),
            make=changed((X, f'{X}\n    heads = params["wq"].shape[1]'))),
    Mistake("first-example-only-fwd", FORWARD,
            why="developed on a single sequence",
            hint=text("Does the output keep as many sequences as the input?"),
            make=changed((X, "x = np.array(x[:1], dtype=float)"))),
    Mistake("mutates-wq", FORWARD,
            why="folds the scale into wq in place, so the caller's wq changes",
            hint=text("Call it twice with the same params."),
            make=changed((SCALED, "np.swapaxes(k, -1, -2)"),
                         (Q, f'params["wq"] /= np.sqrt(x.shape[-1] // heads)\n    {Q}'))),
    Mistake("pops-params", FORWARD,
            why="takes wo out of params, to loop over the rest",
            hint=text("Look at the params dictionary after the call."),
            make=changed((Y, 'y = joined @ params.pop("wo")'))),
    Mistake("mutates-allowed", FORWARD,
            why="turns the caller's mask into a mask of blocked pairs, in place",
            hint=text("Print the mask before and after."),
            make=changed((ATTEND, "blocked = np.logical_not(allowed, out=allowed)\n    "
                                  + ATTEND.replace("allowed)", "~blocked)")))),
    Mistake("x-centred-in-place", FORWARD,
            why="x -= x.mean() changes the caller's array, and the result with it",
            hint=text("Compare x before and after the call. What does -= do to an array?"),
            make=changed((X, "x -= x.mean()"))),
    Mistake("int-y-buffer", FORWARD,
            why="the result is written into np.zeros_like(x), which takes over a whole-number type",
            hint=text("Feed an x of whole numbers and look at the dtype of y."),
            make=changed((X, "x = x.copy()"), (Y, 'y = np.zeros_like(x)\n    y[...] = joined @ params["wo"]'))),
    Mistake("float16-downcast", FORWARD,
            why="half precision, from a framework's habit: three decimals are left",
            hint=text("How many decimals can your number type hold?"),
            make=changed((X, "x = x.astype(np.float16)"))),
    Mistake("float32-downcast", FORWARD,
            why="single precision, from a framework's habit",
            hint=text("How many digits does your number type keep?"),
            make=changed((X, "x = np.array(x, dtype=np.float32)")),
            advice=text("your y is right to about {digits} digits; float64 keeps 16", digits=7)),
    Mistake("cache-x-alias", FORWARD,
            why="stores a reference to the caller's x, who may use the array again",
            hint=text("Who else can still write to the array you stored?"),
            make=changed((X, "x = np.asarray(x, dtype=float)")),
            advice=text("your cache keeps x itself, not a copy: whoever changes x afterwards changes your cache "
                        "(no points lost)")),
)

MISTAKES = (*PROJECTIONS, *JOINING, *CACHE, *ARGUMENTS)
