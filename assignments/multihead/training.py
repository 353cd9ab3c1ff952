"""Train de laag die je zelf schreef: je eigen forward en backward, en gewone gradient descent.

    from training import train
    train(multihead, multihead_backward)

Elke reeks heeft zes willekeurig gekozen letters. Bij elk token moet de laag er twee noemen: de letter vlak
ervoor en de eerste van de reeks. In x staat welke letter een token is en waar het staat, allebei als een één tussen
nullen; zonder naar andere tokens te kijken blijft het gokken. Een token ziet zichzelf en wat ervoor kwam.
"""
import html
import sys
import time
from typing import NamedTuple

import numpy as np

LETTERS, T, HEADS, SEQUENCES = 6, 6, 2, 32
C = LETTERS + T                                         # welke letter, en waar: (B, T, C) met C = 12, dus d = 6
MASK = np.arange(T) <= np.arange(T)[:, None]             # (T, T): een token ziet zichzelf en wat ervoor kwam
MATRICES = ("wq", "wk", "wv", "wo")
STEPS, RATE, SECONDS = 300, 2.0, 8.0                    # SECONDS: hooguit, voor elk van de twee keren
GUESS = np.log(LETTERS)                                 # de loss van wie gokt
LEARNED = 0.2                                           # onder deze loss is bijna elke letter goed


class Run(NamedTuple):
    """Eén training: de loss per stap, hoe vaak elke letter goed is, de gewichten (H, T, T) vooraf en na afloop."""

    losses: list
    hits: np.ndarray
    before: np.ndarray
    after: np.ndarray


class Stuck(Exception):
    """De laag is niet te trainen; de tekst zegt waarom."""


def train(forward, backward):
    """Train twee keer, met alle gradiënten en zonder die van WQ, en laat zien wat eruit kwam. Duurt seconden."""
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
    """Begin klein en met toevalsgetallen, altijd dezelfde, en zet stappen tegen de gradiënt in."""
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
    """Wat de laag zegt van nieuwe reeksen: letters (B, T, 2), kansen (B, T, 2, 6), de cache, gewichten (H, T, T)."""
    drawn = rng.integers(LETTERS, size=(SEQUENCES, T))
    x = np.concatenate([np.eye(LETTERS)[drawn], np.broadcast_to(np.eye(T), (SEQUENCES, T, T))], axis=-1)
    letters = np.stack([np.roll(drawn, 1, axis=1), np.repeat(drawn[:, :1], T, axis=1)], axis=-1)
    given = {name: matrix.copy() for name, matrix in params.items()}
    y, cache = _tried(forward, x, given, HEADS, MASK.copy())
    try:
        scores = np.reshape(np.asarray(y, dtype=float), (SEQUENCES, T, 2, LETTERS))
        weights = np.reshape(np.asarray(cache["attention"]["weights"], dtype=float), (SEQUENCES, HEADS, T, T))
    except (TypeError, ValueError, KeyError, IndexError):
        raise Stuck(f"○ De training wacht: {forward.__name__} geeft nog geen y (B, T, C) en een cache met attention. "
                    "Zorg eerst dat de voorbeelden ervan kloppen.") from None
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return letters, powers / powers.sum(axis=-1, keepdims=True), cache, weights.mean(axis=0)


def _gradients(backward, cache, params, chances, letters):
    """De gradiënten van de gemiddelde loss, door jouw backward; het eerste token telt niet mee."""
    difference = chances - np.eye(LETTERS)[letters]
    difference[:, 0] = 0
    dy = difference.reshape(SEQUENCES, T, C) / (SEQUENCES * (T - 1) * 2)
    given = {name: matrix.copy() for name, matrix in params.items()}
    _, grads = _tried(backward, cache, given, dy)
    try:
        return {name: np.reshape(np.asarray(grads[name], dtype=float), (C, C)) for name in MATRICES}
    except (TypeError, ValueError, KeyError, IndexError):
        raise Stuck(f"○ De training wacht: {backward.__name__} geeft nog geen grads met wq, wk, wv en wo, "
                    "elk (C, C). Zorg eerst dat de voorbeelden ervan kloppen.") from None


def _of(chances, letters):
    return np.take_along_axis(chances, letters[..., None], axis=-1)[..., 0]


def _tried(function, *given):
    """Het paar dat jouw functie teruggeeft; Stuck als dat niet lukt."""
    name = function.__name__
    try:
        first, second = function(*given)
    except NotImplementedError:
        raise Stuck(f"○ De training wacht: {name} of een functie daarin is nog niet geschreven.") from None
    except Exception as error:
        raise Stuck(f"○ De training wacht: {name} stopt met {type(error).__name__}: {error}\n"
                    "Zorg eerst dat de voorbeelden ervan kloppen.") from None
    return first, second


# --- wat eruit kwam ------------------------------------------------------------------------------------------------

def _words(full, without):
    """Wat er is geleerd, in woorden."""
    last, poorer = full.losses[-1], without.losses[-1]
    yield (f"In {len(full.losses)} stappen ging de loss van {full.losses[0]:.2f} naar {last:.2f}. "
           f"Wie gokt, heeft {GUESS:.2f}.")
    if not last < LEARNED:
        yield (f"Meer stappen pasten niet in {SECONDS:g} seconden: je laag is te langzaam. Kan het met minder lussen?"
               if len(full.losses) < STEPS and np.isfinite(last) else
               "Je laag leert dit nog niet goed. Kloppen de voorbeelden van deel 4, en wat zegt gradcheck?")
        return
    yield f"De letter ervoor: {full.hits[0]:.0%} goed. De eerste letter: {full.hits[1]:.0%} goed."
    for head, weights in enumerate(full.after):
        back, first = _looks(weights)
        if max(back, first) < 0.5:
            yield f"Head {head} verdeelt zijn gewicht over meerdere tokens."
        elif back > first:
            yield f"Head {head} is uit zichzelf naar het vorige token gaan kijken (gewicht {back:.2f})."
        else:
            yield f"Head {head} is uit zichzelf naar het eerste token gaan kijken (gewicht {first:.2f})."
    if not poorer < 2 * LEARNED:
        yield f"Zonder de gradiënt van WQ eindigt de loss op {poorer:.2f}: één route minder leert slechter."
    yield "Dat een laag leert, bewijst niet dat je gradiënten kloppen. gradcheck en je test kijken preciezer."


def _looks(weights):
    """Hoeveel gewicht een token gemiddeld geeft aan het vorige en aan het eerste; vanaf token 2."""
    return (float(np.mean([weights[t, t - 1] for t in range(2, T)])),
            float(np.mean([weights[t, 0] for t in range(2, T)])))


def _curves(full, without):
    """De twee losses als balken van tekst, om de dertig stappen."""
    yield "loss      alle gradiënten             zonder die van WQ"
    for step in [*range(0, len(full.losses), 30), len(full.losses) - 1]:
        bars = [f"{run.losses[min(step, len(run.losses) - 1)]:5.2f} " for run in (full, without)]
        drawn = ["█" * round(10 * min(float(bar), 2)) if np.isfinite(float(bar)) else "" for bar in bars]
        yield f"stap {step:3}  {bars[0]}{drawn[0]:<20}  {bars[1]}{drawn[1]}"


def _maps(full):
    """De gewichten van elke head aan het eind, een rij per query."""
    for head, weights in enumerate(full.after):
        yield f"gewichten van head {head} na de training: een rij per query, een kolom per key"
        for row in weights:
            yield "   " + " ".join(f"{weight:4.2f}" if weight > 0.005 else "   ." for weight in row)


# --- als plaatje ---------------------------------------------------------------------------------------------------

WIDE, ALL, LESS = 560, "#2f7fd0", "#c0640e"             # hoe breed de tekening is; de kleuren van de twee losses


def _shown(full, without):
    """Laat de tekening zien als dit een notebook is; zeg of dat lukte."""
    shell = sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None
    if getattr(shell, "kernel", None) is None or not np.isfinite(full.losses[-1]):
        return False
    from IPython.display import HTML, display
    display(HTML(_picture(full, without)))
    return True


def _picture(full, without):
    """De twee losses, en daaronder de gewichten van elke head vooraf en na afloop, als SVG in de inkt van de pagina."""
    parts = list(_losses(full, without))
    for row, (when, weights) in enumerate((("vooraf", full.before), ("na afloop", full.after))):
        for head in range(HEADS):
            parts += _heat(weights[head], f"head {head}, {when}", 44 + 285 * head, 378 + 305 * row)
    words = html.escape(" ".join(_words(full, without)))
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDE} 985" role="img" aria-label="{words}" '
            f'style="width: {WIDE}px; max-width: 100%; height: auto; color: inherit" font-family="sans-serif" '
            f'font-size="17" fill="currentColor">{"".join(parts)}</svg>')


def _losses(full, without):
    """De lijnen van beide trainingen, met de loss van wie gokt; ernaast staat hoe ze heten."""
    def at(step, loss):
        return f"{44 + 500 * step / STEPS:.1f},{285 - 120 * min(loss, 2.1):.1f}"

    for loss in (0, 0.5, 1, 1.5, 2):
        _, y = at(0, loss).split(",")
        yield f'<path d="M44 {y}H544" stroke="currentColor" stroke-opacity=".25"/>'
        yield _text(38, float(y) + 5, loss, "end")
    for step in range(0, STEPS + 1, 100):
        yield _text(44 + 500 * step / STEPS, 307, step)
    yield f"{_text(294, 328, 'stap')}{_text(2, 16, 'loss', 'start')}"
    ends = at(STEPS, GUESS)
    yield f'<path d="M{at(0, GUESS)} {ends}" stroke="currentColor" stroke-dasharray="2 5" stroke-width="1.5"/>'
    for run, colour, dashes in ((full, ALL, "none"), (without, LESS, "8 5")):
        points = " ".join(at(step, loss) for step, loss in enumerate(run.losses))
        yield (f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="3" '
               f'stroke-dasharray="{dashes}"/>')
    named = (("alle gradiënten", ALL, "none", 3), ("zonder die van WQ", LESS, "8 5", 3),
             ("gokken", "currentColor", "2 5", 1.5))
    for place, (name, colour, dashes, width) in enumerate(named):
        x = (54, 205, 420)[place]
        yield (f'<path d="M{x} 11h30" stroke="{colour}" stroke-width="{width}" stroke-dasharray="{dashes}"/>'
               f"{_text(x + 36, 16, name, 'start')}")


def _heat(weights, title, left, top):
    """Eén tabel met gewichten (T, T): een sterke kleur is veel, waar een kruis staat mag niet worden gekeken."""
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
