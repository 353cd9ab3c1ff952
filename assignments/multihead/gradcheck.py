"""Vergelijk je backward met eindige differenties van je forward, en lees wat jouw proef niet kan zien.

    from gradcheck import gradcheck
    gradcheck(multihead, multihead_backward, x, params, heads, allowed)

Jij kiest de proef: x (B, T, C), params met wq, wk, wv en wo (C, C), heads, en het masker allowed (T, T).
De loss is de som van dy * y, met een dy die gradcheck zelf loot. Zijn forward en backward op dezelfde manier fout,
dan zijn ze het hier met elkaar eens: gradcheck vergelijkt ze alleen met elkaar. En gradcheck rekent in floats: wat er
misgaat met gehele getallen, blijft onzichtbaar.
"""
import numpy as np
from examples import answer, entries, pair, shape

MATRICES = ("wq", "wk", "wv", "wo")
STEP = 1e-5
MARGIN = 1e-6                                   # groter dan de afronding, kleiner dan elke echte fout


def gradcheck(forward, backward, x, params, heads, allowed, seed=0):
    """Print per gradiënt of hij klopt, en daarna wat deze proef niet kan zien. True als alles klopt."""
    x = np.array(x).astype(float)
    allowed = np.array(allowed, dtype=bool)
    try:
        params = {name: np.array(entries("params", params, MATRICES)[name], dtype=float) for name in MATRICES}
        right = _compare(forward, backward, x, params, heads, allowed, np.random.default_rng(seed))
    except AssertionError as error:
        print(error)
        return False
    for remark in blind_spots(x, params, heads, allowed):
        print("let op:", remark)
    return right


def _compare(forward, backward, x, params, heads, allowed, rng):
    """Print voor x en elke matrix het grootste verschil met de eindige differentie."""
    def run(x, **matrices):
        matrices = {name: matrix.copy() for name, matrix in matrices.items()}
        y, cache = pair(forward.__name__, answer(forward, x.copy(), matrices, heads, allowed.copy()), "(y, cache)")
        shape("y", y, x.shape, "BTC")
        return y, cache

    y, cache = run(x, **params)
    dy = rng.normal(size=y.shape)
    given = {name: matrix.copy() for name, matrix in params.items()}
    dx, grads = pair(backward.__name__, answer(backward, cache, given, dy.copy()), "(dx, grads)")
    entries("grads", grads, MATRICES)
    shape("dx", dx, x.shape, "BTC")
    places, right = {"x": x, **params}, []
    for name, mine in {"x": dx, **{name: grads[name] for name in MATRICES}}.items():
        shape(f"de gradiënt van {name}", mine, places[name].shape, "BTC" if name == "x" else "rc")
        slopes = _differences(lambda **nudged: np.sum(dy * run(**{**places, **nudged})[0]), name, places[name])
        right.append(_report(name, mine, slopes))
    return all(right)


def _differences(loss, name, start):
    """De afgeleide van loss naar elk getal van start: een duwtje omhoog, een omlaag, en delen door twee duwtjes."""
    slopes = np.zeros(start.shape)
    for index in np.ndindex(start.shape):
        nudge = np.zeros(start.shape)
        nudge[index] = STEP
        slopes[index] = (loss(**{name: start + nudge}) - loss(**{name: start - nudge})) / (2 * STEP)
    return slopes


def _report(name, mine, slopes):
    """Eén regel over deze gradiënt, met de plaats van het grootste verschil; of hij klopt."""
    difference = np.abs(mine - slopes)
    if (difference <= MARGIN * (1 + np.abs(slopes).max())).all():
        print(f"{name:>2}: klopt")
        return True
    place = np.unravel_index(np.argmax(np.nan_to_num(difference, nan=np.inf)), difference.shape)
    axes = ("reeks", "tijdstap", "kenmerk") if name == "x" else ("rij", "kolom")
    where = ", ".join(f"{axis} {i}" for axis, i in zip(axes, place, strict=True))
    print(f"{name:>2}: klopt niet. Op {where} geeft jouw backward {mine[place]:.6f}; "
          f"de eindige differentie is {slopes[place]:.6f}")
    return False


def blind_spots(x, params, heads, allowed):
    """Wat deze proef niet kan zien, een zin per blinde vlek; een lege lijst als we er geen weten."""
    B, T, C = x.shape
    return [*_about_keys(x, allowed), *_about_saturation(x, params, heads, allowed), *_about_mask(allowed),
            *_about_sizes({"B": B, "T": T, "H": heads, "d": C // heads}), *_about_matrices(params)]


def _about_keys(x, allowed):
    if (allowed.sum(axis=-1) == 1).all():
        yield ("elke query mag naar maar één key kijken. Het gewicht is dan altijd 1, wat de score ook is: "
               "over Q en K zegt deze proef niets.")
    elif np.allclose(x, x[:, :1]):
        yield ("alle tokens van een reeks zijn gelijk. Dan maakt het niet uit hoe je ze mengt: "
               "over Q en K zegt deze proef niets.")


def _about_saturation(x, params, heads, allowed):
    """Of bijna elke query met een keuze al zijn gewicht aan één key geeft."""
    choice = allowed.sum(axis=-1) > 1
    B, T, C = x.shape
    q, k = ((x @ params[name]).reshape(B, T, heads, C // heads).swapaxes(1, 2) for name in ("wq", "wk"))
    scores = np.where(allowed, q @ k.swapaxes(-1, -2) / np.sqrt(C // heads), -np.inf)[:, :, choice]
    if scores.size:
        parts = np.exp(scores - scores.max(axis=-1, keepdims=True))
        if np.mean(1 / parts.sum(axis=-1) > 0.99) > 0.9:
            yield ("bijna alle gewichten zijn 0 of 1. Een duwtje aan een score verandert dan niets: over Q en K zegt "
                   "deze proef bijna niets. Kies kleinere getallen in x.")


def _about_mask(allowed):
    if len(allowed) == 1:
        return
    if allowed.all():
        yield "het masker is overal True: wie het masker vergeet, merkt daar niets van."
    elif np.array_equal(allowed, allowed.T):
        yield "het masker is symmetrisch: wie rijen en kolommen verwisselt, merkt daar niets van."


def _about_sizes(sizes):
    lost = {"B": "een fout tussen de reeksen, of een gemiddelde over de batch, valt niet op",
            "T": "een fout tussen de tijdstappen, of een gemiddelde over de tijd, valt niet op",
            "H": "een fout bij het splitsen of samenvoegen valt niet op",
            "d": "een fout binnen een head, of in de schaal √d, valt niet op"}
    for axis, size in sizes.items():
        if size == 1:
            yield f"{axis} = 1: {lost[axis]}."
    for first, second in (("B", "T"), ("B", "H"), ("T", "H"), ("T", "d"), ("H", "d")):
        if sizes[first] == sizes[second] > 1:
            yield f"{first} en {second} zijn allebei {sizes[first]}: verwissel die assen, en de vorm klopt nog steeds."


def _about_matrices(params):
    mirrored = [name for name in MATRICES if np.allclose(params[name], params[name].T)]
    if mirrored:
        yield f"symmetrische matrices ({', '.join(mirrored)}): een vergeten of overbodige .T valt daarbij niet op."
    for first, second in (("wq", "wk"), ("wq", "wv"), ("wk", "wv")):
        if np.allclose(params[first], params[second]):
            yield f"{first} en {second} zijn gelijk: verwissel je ze, dan valt dat niet op."
