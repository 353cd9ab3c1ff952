"""De gegeven hulp uit de vorige les: scaled dot-product attention, heen en terug.

Assen: T tijd (tokens), d breedte van een head. Alle assen ervoor (batch, heads) mogen er zijn of niet.
"""
import numpy as np


def attention(q, k, v, allowed):
    """Meng de values met gewichten uit de scores: drie keer (..., T, d) -> uit (..., T, d) en een cache.

    `allowed` is een booleaans masker (T, T): True waar query-rij i naar key-kolom j mag kijken.
    De cache is een dict met de gewone arrays `q`, `k`, `v` en `weights` (..., T, T).
    """
    q, k, v = (np.array(a, dtype=float) for a in (q, k, v))
    allowed = np.asarray(allowed)
    _check_shapes(q, k, v, allowed)
    scores = q @ np.swapaxes(k, -1, -2) / np.sqrt(q.shape[-1])            # (..., T, T)
    scores = np.where(allowed, scores, -np.inf)
    shifted = np.exp(scores - scores.max(axis=-1, keepdims=True))         # grote scores blijven eindig
    weights = shifted / shifted.sum(axis=-1, keepdims=True)               # elke rij telt op tot 1
    return weights @ v, {"q": q, "k": k, "v": v, "weights": weights}


def attention_backward(cache, dout):
    """De gradiënten van q, k en v bij `dout` (..., T, d): {"q": dq, "k": dk, "v": dv}, elk (..., T, d)."""
    q, k, v, weights = (cache[name] for name in ("q", "k", "v", "weights"))
    dout = np.array(dout, dtype=float)
    if dout.shape != v.shape:
        raise ValueError(f"attention_backward: dout heeft vorm {dout.shape}, verwacht {v.shape}, "
                         "de vorm van v: (..., T, d). Heb je dout al in heads gesplitst?")
    dweights = dout @ np.swapaxes(v, -1, -2)                              # (..., T, T)
    dscores = weights * (dweights - (dweights * weights).sum(axis=-1, keepdims=True))
    dscores = dscores / np.sqrt(q.shape[-1])
    return {"q": dscores @ k, "k": np.swapaxes(dscores, -1, -2) @ q, "v": np.swapaxes(weights, -1, -2) @ dout}


def _check_shapes(q, k, v, allowed):
    """Zeg in één zin welke vorm niet klopt; ValueError of TypeError."""
    if q.ndim < 2:
        raise ValueError(f"attention: q, k en v horen arrays met assen (..., T, d) te zijn; gekregen: een q met vorm "
                         f"{q.shape}. Geeft de functie die q maakt wel een array terug?")
    if not q.shape == k.shape == v.shape:
        raise ValueError(f"attention: q, k en v horen dezelfde vorm (..., T, d) te hebben; "
                         f"gekregen: {q.shape}, {k.shape} en {v.shape}")
    if allowed.dtype != bool:
        raise TypeError(f"attention: allowed hoort een array van True en False te zijn; gekregen: {allowed.dtype}")
    tokens = q.shape[-2]
    if allowed.shape != (tokens, tokens):
        raise ValueError(f"attention: allowed heeft vorm {allowed.shape}, verwacht {(tokens, tokens)}: "
                         f"de voorlaatste as van q is de tijd. Staat bij jou de tijd wel op die as?")
    if not allowed.any(axis=-1).all():
        raise ValueError("attention: een rij van allowed is helemaal False; elke query heeft minstens één key nodig")
