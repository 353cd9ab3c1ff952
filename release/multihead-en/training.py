"""Train the layer that you wrote: your own forward and backward, and plain gradient descent.

    from training import train
    train(multihead, multihead_backward)

Every sequence has six letters, drawn at random. At each token the layer should name two of them: the letter just
before it, and the first of the sequence. x holds which letter a token is and where it stands, each as a one among
zeros; without a look at other tokens it remains a guess. A token may look at itself and at what came before.
"""
import html
import sys
import time
from typing import NamedTuple

import numpy as np

LETTERS, T, HEADS, SEQUENCES = 6, 6, 2, 32
C = LETTERS + T                                         # which letter, and where: (B, T, C) with C = 12, so d = 6
MASK = np.arange(T) <= np.arange(T)[:, None]             # (T, T): a token sees itself and what came before
MATRICES = ("wq", "wk", "wv", "wo")
STEPS, RATE, SECONDS = 300, 2.0, 8.0                    # SECONDS for each of the two runs, at most
GUESS = np.log(LETTERS)                                 # the loss of somebody who guesses
LEARNED = 0.2                                           # below this loss nearly every letter is right


class Run(NamedTuple):
    """One run: the loss at each step, how often each letter is right, the weights (H, T, T) before and after."""

    losses: list
    hits: np.ndarray
    before: np.ndarray
    after: np.ndarray


class Stuck(Exception):
    """The layer cannot be trained; the text says why."""


def train(forward, backward):
    """Train twice, with all gradients and without that of WQ, and show what came of it. No points; it takes seconds."""
    try:
        with np.errstate(all="ignore"):
            full = _run(forward, backward)
            without = _run(forward, backward, left_out="wq")
    except Stuck as problem:
        print(problem)
        return
    shown = _shown(full, without)
    print("\n".join(_words(full, without) if shown else [*_curves(full, without), "", *_maps(full), "",
                                                         *_words(full, without)]))


# --- gradient descent ----------------------------------------------------------------------------------------------

def _run(forward, backward, left_out=None):
    """Start small and at random, always in the same way, and take steps against the gradient."""
    start, drawn, losses = np.random.default_rng(0), np.random.default_rng(5), []
    sizes = {"wq": 0.1, "wk": 0.1, "wv": 0.5, "wo": 0.5}
    params = {name: start.normal(size=(C, C)) * size / np.sqrt(C) for name, size in sizes.items()}
    *_, before = _asked(forward, params, np.random.default_rng(9))
    ends = time.perf_counter() + SECONDS
    while len(losses) < STEPS and (not losses or time.perf_counter() < ends):
        letters, chances, cache, _ = _asked(forward, params, drawn)
        losses.append(float(-np.log(np.maximum(_of(chances, letters), 1e-12))[:, 1:].mean()))
        if not np.isfinite(losses[-1]):
            break
        for name, gradient in _gradients(backward, cache, params, chances, letters).items():
            if name != left_out:
                params[name] = params[name] - RATE * gradient
    letters, chances, _, after = _asked(forward, params, np.random.default_rng(9))
    return Run(losses, (chances.argmax(axis=-1) == letters)[:, 1:].mean(axis=(0, 1)), before, after)


def _asked(forward, params, rng):
    """What the layer says of new sequences: letters (B, T, 2), chances (B, T, 2, 6), the cache, weights (H, T, T)."""
    drawn = rng.integers(LETTERS, size=(SEQUENCES, T))
    x = np.concatenate([np.eye(LETTERS)[drawn], np.broadcast_to(np.eye(T), (SEQUENCES, T, T))], axis=-1)
    letters = np.stack([np.roll(drawn, 1, axis=1), np.repeat(drawn[:, :1], T, axis=1)], axis=-1)
    given = {name: matrix.copy() for name, matrix in params.items()}
    y, cache = _tried(forward, x, given, HEADS, MASK.copy())
    try:
        scores = np.reshape(np.asarray(y, dtype=float), (SEQUENCES, T, 2, LETTERS))
        weights = np.reshape(np.asarray(cache["attention"]["weights"], dtype=float), (SEQUENCES, HEADS, T, T))
    except (TypeError, ValueError, KeyError, IndexError):
        raise Stuck(f"○ Training waits: {forward.__name__} does not yet return y (B, T, C) and a cache with attention. "
                    "First make its examples hold.") from None
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return letters, powers / powers.sum(axis=-1, keepdims=True), cache, weights.mean(axis=0)


def _gradients(backward, cache, params, chances, letters):
    """The student's gradients for the mean of the losses; the first token has nothing before it, and does not count."""
    difference = chances - np.eye(LETTERS)[letters]
    difference[:, 0] = 0
    dy = difference.reshape(SEQUENCES, T, C) / (SEQUENCES * (T - 1) * 2)
    given = {name: matrix.copy() for name, matrix in params.items()}
    _, grads = _tried(backward, cache, given, dy)
    try:
        return {name: np.reshape(np.asarray(grads[name], dtype=float), (C, C)) for name in MATRICES}
    except (TypeError, ValueError, KeyError, IndexError):
        raise Stuck(f"○ Training waits: {backward.__name__} does not yet return grads with wq, wk, wv and wo, "
                    "each (C, C). First make its examples hold.") from None


def _of(chances, letters):
    return np.take_along_axis(chances, letters[..., None], axis=-1)[..., 0]


def _tried(function, *given):
    """The pair that a student's function returns; Stuck where it does not."""
    name = function.__name__
    try:
        first, second = function(*given)
    except NotImplementedError:
        raise Stuck(f"○ Training waits: {name} or a function that it uses is not written yet.") from None
    except Exception as error:
        raise Stuck(f"○ Training waits: {name} stops with {type(error).__name__}: {error}\n"
                    "First make its examples hold.") from None
    return first, second


# --- what came of it -----------------------------------------------------------------------------------------------

def _words(full, without):
    """What was learned, in words."""
    last, poorer = full.losses[-1], without.losses[-1]
    yield (f"The loss went from {full.losses[0]:.2f} to {last:.2f} in {len(full.losses)} steps. "
           f"If you guess, it is {GUESS:.2f}.")
    if not last < LEARNED:
        yield (f"More steps did not fit in {SECONDS:g} seconds: your layer is slow. Can NumPy do a loop of it at once?"
               if len(full.losses) < STEPS and np.isfinite(last) else
               "Your layer does not learn this well yet. Do the examples of part 4 hold, and what does gradcheck say?")
        return
    yield f"The letter before: {full.hits[0]:.0%} right. The first letter: {full.hits[1]:.0%} right."
    for head, weights in enumerate(full.after):
        back, first = _looks(weights)
        if max(back, first) < 0.5:
            yield f"Head {head} divides its weight over several tokens."
        elif back > first:
            yield f"Head {head} came to look at the token before (weight {back:.2f}). Nobody told it to."
        else:
            yield f"Head {head} came to look at the first token (weight {first:.2f}). Nobody told it to."
    if not poorer < 2 * LEARNED:
        yield f"Without the gradient of WQ the loss is {poorer:.2f} at the end: one route less, and it learns worse."
    yield "That a layer learns does not prove that its gradients are right. gradcheck and your own test look closer."


def _looks(weights):
    """How much weight a token gives the one before it and the first, on average; from token 2, where those differ."""
    return (float(np.mean([weights[t, t - 1] for t in range(2, T)])),
            float(np.mean([weights[t, 0] for t in range(2, T)])))


def _curves(full, without):
    """The two losses as bars of text, every thirty steps."""
    yield "loss      all gradients               without that of WQ"
    for step in [*range(0, len(full.losses), 30), len(full.losses) - 1]:
        bars = [f"{run.losses[min(step, len(run.losses) - 1)]:5.2f} " for run in (full, without)]
        drawn = ["█" * round(10 * min(float(bar), 2)) if np.isfinite(float(bar)) else "" for bar in bars]
        yield f"step {step:3}  {bars[0]}{drawn[0]:<20}  {bars[1]}{drawn[1]}"


def _maps(full):
    """The weights of each head at the end, a row for each query."""
    for head, weights in enumerate(full.after):
        yield f"weights of head {head} after training: a row for each query, a column for each key"
        for row in weights:
            yield "   " + " ".join(f"{weight:4.2f}" if weight > 0.005 else "   ." for weight in row)


# --- as a picture --------------------------------------------------------------------------------------------------

WIDE, ALL, LESS = 560, "#2f7fd0", "#c0640e"             # how wide the picture is; the colours of the two losses


def _shown(full, without):
    """Show the picture where this is a notebook; whether it was shown."""
    shell = sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None
    if getattr(shell, "kernel", None) is None or not np.isfinite(full.losses[-1]):
        return False
    from IPython.display import HTML, display
    display(HTML(_picture(full, without)))
    return True


def _picture(full, without):
    """The two losses, and below them the weights of each head before and after, as an SVG in the page's own ink."""
    parts = list(_losses(full, without))
    for row, (when, weights) in enumerate((("before", full.before), ("afterwards", full.after))):
        for head in range(HEADS):
            parts += _heat(weights[head], f"head {head}, {when}", 44 + 285 * head, 378 + 305 * row)
    words = html.escape(" ".join(_words(full, without)))
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDE} 985" role="img" aria-label="{words}" '
            f'style="width: {WIDE}px; max-width: 100%; height: auto; color: inherit" font-family="sans-serif" '
            f'font-size="17" fill="currentColor">{"".join(parts)}</svg>')


def _losses(full, without):
    """The curves of both runs, with the loss of guessing; what they are called stands beside them."""
    def at(step, loss):
        return f"{44 + 500 * step / STEPS:.1f},{285 - 120 * min(loss, 2.1):.1f}"

    for loss in (0, 0.5, 1, 1.5, 2):
        _, y = at(0, loss).split(",")
        yield f'<path d="M44 {y}H544" stroke="currentColor" stroke-opacity=".25"/>'
        yield _text(38, float(y) + 5, loss, "end")
    for step in range(0, STEPS + 1, 100):
        yield _text(44 + 500 * step / STEPS, 307, step)
    yield f"{_text(294, 328, 'step')}{_text(2, 16, 'loss', 'start')}"
    ends = at(STEPS, GUESS)
    yield f'<path d="M{at(0, GUESS)} {ends}" stroke="currentColor" stroke-dasharray="2 5" stroke-width="1.5"/>'
    for run, colour, dashes in ((full, ALL, "none"), (without, LESS, "8 5")):
        points = " ".join(at(step, loss) for step, loss in enumerate(run.losses))
        yield (f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="3" '
               f'stroke-dasharray="{dashes}"/>')
    named = (("all gradients", ALL, "none", 3), ("without that of WQ", LESS, "8 5", 3),
             ("guessing", "currentColor", "2 5", 1.5))
    for place, (name, colour, dashes, width) in enumerate(named):
        x = (54, 205, 420)[place]
        yield (f'<path d="M{x} 11h30" stroke="{colour}" stroke-width="{width}" stroke-dasharray="{dashes}"/>'
               f"{_text(x + 36, 16, name, 'start')}")


def _heat(weights, title, left, top):
    """One table of weights (T, T): a strong colour is much, a cross may not be looked at."""
    side = 36
    yield f"{_text(left + 3 * side, top - 12, title)}{_text(left + 3 * side, top + 6 * side + 40, 'key')}"
    yield f'<g transform="rotate(-90 {left - 26} {top + 3 * side})">{_text(left - 26, top + 3 * side, "query")}</g>'
    for query in range(T):
        yield _text(left - 6, top + side * query + 23, query, "end")
        yield _text(left + side * (query + 0.5), top + 6 * side + 19, query)
        for key in range(T):
            x, y, weight = left + side * key, top + side * query, weights[query, key]
            if not MASK[query, key]:
                yield _text(x + side / 2, y + 23, "×", fade=0.4)
                continue
            yield (f'<rect x="{x}" y="{y}" width="{side}" height="{side}" fill="{ALL}" '
                   f'fill-opacity="{0.85 * weight:.2f}" stroke="currentColor" stroke-opacity=".4"/>')
            if weight >= 0.05:
                yield _text(x + side / 2, y + 23, f"{weight:.1f}".lstrip("0"))


def _text(x, y, words, anchor="middle", fade=1):
    return f'<text x="{x:.0f}" y="{y:.0f}" text-anchor="{anchor}" fill-opacity="{fade}">{words}</text>'
