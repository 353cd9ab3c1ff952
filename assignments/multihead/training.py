"""Train de laag die je zelf schreef: je eigen forward en backward, en gewone gradient descent.

    from training import train
    train(multihead, multihead_backward)

Elke reeks heeft zes willekeurig gekozen letters. Bij elk token moet de laag er twee noemen: de letter vlak
ervoor en de eerste van de reeks. In x staat welke letter een token is en waar het staat, allebei als een één tussen
nullen; zonder naar andere tokens te kijken blijft het gokken. Een token ziet zichzelf en wat ervoor kwam.
"""
import base64
import io
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
    """Eén training: de loss per stap, hoe vaak elke letter goed is, de gewichten (H, T, T) ervoor en erna."""

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

def _shown(full, without):
    """Laat het plaatje zien in een notebook dat dat kan; of dat lukte."""
    shell = sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None
    if shell is None or not np.isfinite(full.losses[-1]):
        return False
    try:
        data = base64.b64encode(_picture(full, without)).decode()
    except ImportError:
        return False
    from IPython.display import HTML, display
    words = " ".join(_words(full, without)).replace('"', "&quot;")
    display(HTML(f'<img src="data:image/png;base64,{data}" alt="{words}" '
                 'style="max-width: 100%; border-radius: 12px">'))
    return True


def _picture(full, without):
    """De twee losses, en daaronder de gewichten van elke head ervoor en erna, als PNG."""
    from matplotlib.figure import Figure
    figure = Figure(figsize=(5.6, 8.2), dpi=100, facecolor="white", layout="constrained")
    grid = figure.add_gridspec(3, 2, height_ratios=(2, 2.4, 2.4))
    curve = figure.add_subplot(grid[0, :])
    curve.plot(full.losses, color="#1b5da3", linewidth=2.4, label="alle gradiënten")
    curve.plot(without.losses, color="#a65300", linewidth=2.4, linestyle="--", label="zonder die van WQ")
    curve.axhline(GUESS, color="#8a94a3", linewidth=1, linestyle=":", label="gokken")
    curve.set(ylim=(0, 2.1), xlabel="stap", ylabel="loss")
    curve.legend(fontsize=11, frameon=False)
    for row, (when, weights) in enumerate((("ervoor", full.before), ("erna", full.after)), start=1):
        for head in range(HEADS):
            _heat(figure.add_subplot(grid[row, head]), weights[head], f"head {head}, {when}")
    file = io.BytesIO()
    figure.savefig(file, format="png")
    return file.getvalue()


def _heat(axes, weights, title):
    """Eén tabel met gewichten: donker is veel, naar grijs mag niet worden gekeken."""
    axes.imshow(np.where(MASK, weights, np.nan), vmin=0, vmax=1, cmap="Blues")
    axes.set_facecolor("#e3e3e3")
    for query, key in np.argwhere(MASK):
        weight = weights[query, key]
        axes.text(key, query, f"{weight:.1f}".lstrip("0") if weight >= 0.05 else "", ha="center", va="center",
                  fontsize=11, color="white" if weight > 0.6 else "black")
    axes.set(xticks=range(T), yticks=range(T), xlabel="key", ylabel="query")
    axes.set_title(title, fontsize=12)
