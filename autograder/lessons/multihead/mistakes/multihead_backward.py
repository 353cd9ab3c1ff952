"""Wrong backward passes around attention_backward: the routes to x and to the heads, what is returned or changed."""

from autograder.lessons.kit.lesson import Mistake, changed
from autograder.records import text

BACKWARD = ("multihead_backward",)

# the reference's lines that these mistakes change
DEF = "def multihead_backward(cache, params, dy):"
X = 'x = np.asarray(cache["x"], dtype=float)'
DY = "dy = np.asarray(dy, dtype=float)"
DJOINED = 'djoined = dy @ params["wo"].T'
SUM_WO = 'np.einsum("btj,btc->jc", cache["joined"], dy)'
GRADS = f'grads = {{"wo": {SUM_WO}}}'
DHEADS = 'dheads = attention_backward(cache["attention"], split_heads(djoined, cache["heads"]))'
DX = "dx = np.zeros(x.shape)"
ROUTES = '(("wq", "q"), ("wk", "k"), ("wv", "v"))'
DPART = "dpart = merge_heads(dheads[route])"
SUM_W = 'np.einsum("btc,bte->ce", x, dpart)'
GRAD_W = f"grads[name] = {SUM_W}"
ADD = "dx = dx + dpart @ params[name].T"
RETURN = "return dx, grads"
FORWARD_RETURN = 'return y, {"x": x, "heads": heads, "attention": attention_cache, "joined": joined}'

TO_X = (
    Mistake("dx-only-v", BACKWARD,
            why="= instead of +=: the last route wins, and that is V",
            hint=text("How many ways does x reach the output? Change wq: does your dx notice?"),
            make=changed((ADD, "dx = dpart @ params[name].T"))),
    Mistake("dx-only-k", BACKWARD,
            why="= instead of +=, with the route through K last",
            hint=text("How many ways does x reach the output? Change wv: does your dx notice?"),
            make=changed((ROUTES, '(("wv", "v"), ("wq", "q"), ("wk", "k"))'), (ADD, "dx = dpart @ params[name].T"))),
    Mistake("dx-missing-q", BACKWARD,
            why="the route through the queries is forgotten",
            hint=text("Which parts of the attention are made from x? Tick each of them off in your dx."),
            make=changed((ADD, f'if route != "q":\n            {ADD}'))),
    Mistake("dx-missing-k", BACKWARD,
            why="the route through the keys is forgotten",
            hint=text("A token asks, is asked, and is passed on. Does your dx know all three?"),
            make=changed((ADD, f'if route != "k":\n            {ADD}'))),
    Mistake("dx-missing-v", BACKWARD,
            why="the route through the values is forgotten",
            hint=text("Suppose the attention weights were constants: would y still depend on x?"),
            make=changed((ADD, f'if route != "v":\n            {ADD}'))),
    Mistake("dx-plus-residual", BACKWARD,
            why="transformer-block habit: dy is added to dx",
            hint=text("Did forward add x to the output?"),
            make=changed((DX, "dx = dy.copy()"))),
    Mistake("dx-no-transpose", BACKWARD,
            why="the .T is dropped; square matrices hide it",
            hint=text("Try a W that is not its own mirror image."),
            make=changed((ADD, "dx = dx + dpart @ params[name]"))),
    Mistake("dx-averaged-over-routes", BACKWARD,
            why="three routes, so the average of three is taken",
            hint=text("If a price rises by 2 for one reason and by 3 for another, by how much does it rise?"),
            make=changed((RETURN, "return dx / 3, grads"))),
    Mistake("dx-divided-by-heads", BACKWARD,
            why="the heads are thought to add up in x, so their number is divided out",
            hint=text("Compare H=1 with H=2: which step of forward divides by the number of heads?"),
            make=changed((RETURN, 'return dx / cache["heads"], grads'))),
    Mistake("dx-first-sequence-only", BACKWARD,
            why="developed on a single sequence",
            hint=text("Does every sequence of the batch get a gradient of its own?"),
            make=changed((RETURN, "return dx[:1], grads"))),
    Mistake("dx-2d", BACKWARD,
            why="flattened to (B * T, C), and never brought back",
            hint=text("Compare dx.shape with x.shape: where did an axis go?"),
            make=changed((RETURN, "return dx.reshape(-1, dx.shape[-1]), grads"))),
    Mistake("dx-summed-over-batch", BACKWARD,
            why="one sum too many: a weight is shared by the sequences, x is not",
            hint=text("Do two sequences share one x? Compare dx.shape with x.shape."),
            make=changed((RETURN, "return dx.sum(axis=0), grads"))),
)

TO_HEADS = (
    Mistake("dJ-no-transpose", BACKWARD,
            why="the .T is dropped in the first step back",
            hint=text("Follow one number of J forward: which outputs does it reach?"),
            make=changed((DJOINED, 'djoined = dy @ params["wo"]'))),
    Mistake("dJ-skips-wo", BACKWARD,
            why="the last layer is forgotten",
            hint=text("Does wo change how strongly J matters?"),
            make=changed((DJOINED, "djoined = dy"))),
    Mistake("dv-from-dy", BACKWARD,
            why="the route through the values starts from dy, where dJ belongs",
            hint=text("Double wo only. Which of your gradients change, and which should?"),
            make=changed((DX, 'dheads["v"] = attention_backward(cache["attention"], '
                              f'split_heads(dy, cache["heads"]))["v"]\n    {DX}'))),
    Mistake("split-dJ-by-reshape", BACKWARD,
            why="a reshape straight to four axes forgets the swap on the way back",
            hint=text("You wrote a function that cuts into heads; is it used here?"),
            make=changed((DHEADS, 'dheads = attention_backward(cache["attention"], '
                                  'djoined.reshape(cache["attention"]["q"].shape))'))),
    Mistake("dJ-not-split", BACKWARD,
            why="dJ goes to attention_backward as it is",
            hint=text("Which shape does attention_backward expect, and which does dJ have?"),
            make=changed((DHEADS, 'dheads = attention_backward(cache["attention"], djoined)'))),
    Mistake("merge-dpart-by-reshape", BACKWARD,
            why="the heads' gradients are joined by a bare reshape",
            hint=text("Forward split x into heads after projecting. Which function of yours goes the other way?"),
            make=changed((DPART, "dpart = dheads[route].reshape(x.shape)"))),
    Mistake("dpart-heads-averaged", BACKWARD,
            why="the heads' gradients are averaged and repeated, instead of joined",
            hint=text("Can the gradients of two heads still be told apart in your dQ?"),
            make=changed((DPART, 'dpart = np.tile(dheads[route].mean(axis=1), cache["heads"])'))),
    Mistake("dy-ignored", BACKWARD,
            why="derived for a loss that sums y, where dy is all ones",
            hint=text("Double dy: do your gradients double?"),
            make=changed((DY, "dy = np.ones(np.shape(dy))"))),
)

RETURNED = (
    Mistake("return-order-swapped", BACKWARD,
            why="the two results are returned in the other order",
            hint=text("Read the signature: what comes first?"),
            make=changed((RETURN, "return grads, dx"))),
    Mistake("backward-returns-dx-only", BACKWARD,
            why="returns the input's gradient alone",
            hint=text("Two things come back from multihead_backward. Which ones?"),
            make=changed((RETURN, "return dx"))),
    Mistake("grads-keys-d-prefixed", BACKWARD,
            why="the gradients are stored as dwq, dwk, dwv and dwo",
            hint=text("Under which names will the caller look for the gradients?"),
            make=changed((RETURN, 'return dx, {f"d{name}": grad for name, grad in grads.items()}'))),
    Mistake("grads-without-wo", BACKWARD,
            why="the three matrices of the loop are returned, the fourth is forgotten",
            hint=text("How many matrices does the layer have, and how many gradients do you return?"),
            make=changed((GRADS, "grads = {}"))),
    Mistake("gradients-negated", BACKWARD,
            why="returns the direction in which to update, which is minus the gradient",
            hint=text("If a weight goes up a little and the loss goes up too, which sign has the gradient?"),
            make=changed((RETURN, "return -dx, {name: -grad for name, grad in grads.items()}"))),
    Mistake("gradients-clipped", BACKWARD,
            why="training habit: large gradients are cut off",
            hint=text("Make dy ten times as large: do all your gradients follow?"),
            make=changed((RETURN, "return dx.clip(-1, 1), {name: grad.clip(-1, 1) for name, grad in grads.items()}"))),
    Mistake("int-dx-buffer", BACKWARD,
            why="np.zeros_like(dy) takes over a whole-number type, and cuts off what is written into it",
            hint=text("Feed whole numbers and look at the dtype of dx."),
            make=changed((DY, "dy = np.asarray(dy)"), (DX, "dx = np.zeros_like(dy)"),
                         (ADD, "dx[...] = dx + dpart @ params[name].T"))),
    Mistake("int-dW-buffer", BACKWARD,
            why="np.zeros_like(w) takes over a whole-number type, and cuts off what is written into it",
            hint=text("Feed whole-number weights and look at the dtype of their gradients."),
            make=changed((GRADS, f'grads = {{name: np.zeros_like(w) for name, w in params.items()}}'
                                 f'\n    grads["wo"][...] = {SUM_WO}'),
                         (GRAD_W, f"grads[name][...] = {SUM_W}"))),
)

STATE = (
    Mistake("sgd-inside-backward", BACKWARD,
            why="the update of the weights is done inside backward",
            hint=text("Are the weights still the same after asking for gradients?"),
            make=changed((ADD, f"{ADD}\n        params[name] -= 0.01 * grads[name]"))),
    Mistake("mutates-dy", BACKWARD,
            why="the memory of dy is used again for dx",
            hint=text("Print dy before and after the call."),
            make=changed((DX, "dx = dy\n    dx[...] = 0"), (ADD, "dx += dpart @ params[name].T"))),
    Mistake("pops-cache", BACKWARD,
            why="takes the parts out of the cache, so that a second call finds it empty",
            hint=text("Which keys does the cache have after the call?"),
            make=changed((DHEADS, DHEADS.replace('cache["attention"]', 'cache.pop("attention")')))),
    Mistake("grads-accumulate-across-calls", BACKWARD,
            why="a default argument is made once, so that gradients of earlier calls are still in it",
            hint=text("Ask for the same gradients three times and compare the answers."),
            make=changed((DEF, DEF.replace("dy)", "dy, grads={})")),
                         (GRADS, f'grads["wo"] = grads.get("wo", 0) + {SUM_WO}'),
                         (GRAD_W, f"grads[name] = grads.get(name, 0) + {SUM_W}"))),
    Mistake("cache-in-global", BACKWARD,
            why="forward keeps its cache in a global, and backward looks there instead of at its argument",
            hint=text("Run forward on two different inputs, then ask for the gradients of the first."),
            make=changed((FORWARD_RETURN, FORWARD_RETURN.replace("return y, ", "global last_cache\n    last_cache = ")
                          + "\n    return y, last_cache"),
                         (X, f"cache = last_cache\n    {X}"))),
)

MISTAKES = (*TO_X, *TO_HEADS, *RETURNED, *STATE)
