"""Voor de cellen waarin je zelf iets probeert: ze zeggen wat ze zien, en geven geen punten.

Je hoeft dit bestand niet te lezen of te wijzigen.
"""
import copy
import time

import numpy as np
from examples import all_hold, objection

LEFT = [[1, 0, 0, 1], [0, 1, 1, 0], [1, 1, -1, 0]]      # kenmerken 0 tot en met 3 van de drie kaartjes: wat head 0 ziet
POWERS = np.exp([0.5, 0, 1.5])
WEIGHTS = POWERS / POWERS.sum()
UNSCALED = np.exp([1, 0, 3])
#: wat elke stap met de hand oplevert; vergissingen die we herkennen; waar je anders naar kijkt
STEPS = (
    ("de scores", [1, 0, 3], (
        ("Dit zijn de scores al gedeeld door √d. Dat is de volgende stap.", [0.5, 0, 1.5]),
        ("Dit is de query maal key 2, kenmerk voor kenmerk. Tel die vier getallen op: dat is één score.", [1, 1, 1, 0]),
        ("Dit is de som van elke key. Vermenigvuldig eerst met de query, kenmerk voor kenmerk.", [2, 2, 1]),
    ), "Elke key geeft één score: vermenigvuldig met de query, kenmerk voor kenmerk, en tel de vier producten op."),
    ("de geschaalde scores", [0.5, 0, 1.5], (
        ("Dit zijn nog de scores. Deel ze elk door √d.", [1, 0, 3]),
        ("Je deelt door d. Deel door √d: d = 4, dus door 2.", [0.25, 0, 0.75]),
        ("Je deelt door √C. Een head is maar d = 4 breed: deel door √4 = 2.", np.divide([1, 0, 3], 8 ** 0.5)),
    ), "Deel elke score door √4 = 2."),
    ("de machten", POWERS, (
        ("Dit zijn de e-machten van de scores. Neem die van de geschaalde scores.", UNSCALED),
        ("De macht van 0 is 1, niet 0: e⁰ = 1.", [POWERS[0], 0, POWERS[2]]),
    ), "De eerste is e tot de macht 0.5. Je rekenmachine heeft een toets eˣ, NumPy heeft np.exp."),
    ("de gewichten", WEIGHTS, (
        ("Dit zijn de gewichten zonder de schaling √d. Gebruik je de goede machten?", UNSCALED / UNSCALED.sum()),
        ("Je deelt door de grootste. Deel door de som van de drie.", POWERS / POWERS.max()),
        ("Je deelt de geschaalde scores door hun som. Neem eerst de e-macht.", [0.25, 0, 0.75]),
    ), "Deel elke macht door de som van alle drie. Samen zijn de gewichten 1."),
    ("het mengsel", WEIGHTS @ LEFT, (
        ("Dit is het gewone gemiddelde van de drie kaartjes. Elk kaartje telt zo zwaar mee als zijn gewicht zegt.",
         np.mean(LEFT, axis=0)),
        ("Dit is de som van de drie kaartjes. Vermenigvuldig elk kaartje eerst met zijn eigen gewicht.",
         np.sum(LEFT, axis=0)),
        ("Dit is alleen kaartje 2. De andere twee doen ook mee.", LEFT[2]),
    ), "Het eerste getal is gewicht 0 keer 1, plus gewicht 1 keer 0, plus gewicht 2 keer 1."),
)
ROUNDED = 0.006                                         # twee decimalen zijn genoeg


def by_hand(number, mine):
    """Zeg van stap 1 tot en met 5 of hij klopt, en zo niet, waar je naar kunt kijken."""
    name, expected, slips, advice = STEPS[number - 1]
    if mine is ...:
        print(f"○ Stap {number}, {name}: nog leeg.")
        return
    seen = _numbers(mine)
    if seen is None or seen.shape != np.shape(expected):
        known = [words for words, slip in slips if seen is not None and _equal(seen, slip)]
        _wrong(number, name, f"schrijf {len(expected)} getallen, bijvoorbeeld {list(range(1, len(expected) + 1))}.",
               known[0] if known else advice)
    elif not _equal(seen, expected):
        known = [words for words, slip in slips if _equal(seen, slip)]
        place = int(np.argmax(~(np.abs(seen - expected) < ROUNDED)))
        _wrong(number, name, f"getal {place} is {seen[place]:.3g}, en dat klopt nog niet.",
               known[0] if known else advice)
    else:
        print(f"✓ Stap {number}, {name}: klopt.")


def _wrong(number, name, what, advice):
    print(f"✗ Stap {number}, {name}: {what}\n  {advice}")


def _numbers(mine):
    """Wat er is ingevuld, als array van floats; None als het iets anders is."""
    try:
        return np.array(mine, dtype=float)
    except (TypeError, ValueError):
        return None


def _equal(seen, expected):
    return seen.shape == np.shape(expected) and bool((np.abs(seen - expected) < ROUNDED).all())


# --- zoek de fout --------------------------------------------------------------------------------------------------

def tells_apart(said, own, wrong, *given, forward=None):
    """Zeg of je aan deze invoer ziet dat `wrong` iets anders doet dan je eigen functie.

    `given` zijn de argumenten van allebei. Met `forward` zijn dat x, params, heads, allowed en dy: je forward maakt
    eerst de cache, en beide functies krijgen (cache, params, dy).
    """
    try:
        if forward is not None:
            *given, dy = given
            given = [forward(*given)[1], given[1], dy]
        mine = _numbered(own(*copy.deepcopy(given)))
    except NotImplementedError:
        print("○ Dit wacht op je eigen functies: schrijf die eerst.")
        return
    except Exception as error:
        print(f"✗ Je eigen {own.__name__} neemt deze invoer niet aan. Hij zegt {type(error).__name__}: {error}")
        return
    try:
        place = _difference(mine, _numbered(wrong(*copy.deepcopy(given))))
    except Exception as error:
        place = f"{wrong.__name__} stopt met {type(error).__name__}: {error}"
    print(f"✓ Aan deze invoer zie je het verschil. {place}\n  Jij zei: {said}" if place else
          f"✗ Met deze invoer geeft {wrong.__name__} hetzelfde antwoord als jouw {own.__name__}.\n"
          "  Wat moet er anders zijn om de fout te zien?")


def _numbered(answer):
    """De arrays van een antwoord op naam: y van (y, cache), dx en de gradiënten van (dx, grads)."""
    if not isinstance(answer, tuple):
        return {"": np.asarray(answer, dtype=float)}
    first, second = answer
    if "joined" in second:
        return {"y": np.asarray(first, dtype=float)}
    return {name: np.asarray(array, dtype=float) for name, array in {"dx": first, **second}.items()}


def _difference(mine, theirs):
    """Waar de twee het eerst verschillen, in woorden; leeg als ze gelijk zijn."""
    for name, array in mine.items():
        other = theirs[name]
        if array.shape != other.shape:
            return f"De vorm is {other.shape} in plaats van {array.shape}."
        differ = ~np.isclose(array, other, rtol=1e-6, atol=1e-9)
        if differ.any():
            place = tuple(map(int, np.argwhere(differ)[0]))
            where = f"{name}{list(place)}" if name else str(list(place))
            return f"Op {where} geeft jouw functie {array[place]:.4g} en de foute {other[place]:.4g}."
    return ""


# --- een score voor own_test ---------------------------------------------------------------------------------------

SECONDS = 5.0                                           # voor alle foute versies samen


def score(own_test, multihead, multihead_backward):
    """Zeg hoeveel van de twaalf foute versies van je eigen functies je test vangt, en wat hij mist."""
    if not all_hold("split_heads", "merge_heads", "multihead", "multihead_backward"):
        print("○ De score wacht op je eigen functies: daar zijn de foute versies van gemaakt. Draai de voorbeelden "
              "tot ze allemaal kloppen.")
        return
    missed, caught, tried, ends = [], 0, 0, time.perf_counter() + SECONDS
    for group, wrong_ones in WRONG.items():
        here = [bool(objection(own_test, *wrong(multihead, multihead_backward))) for wrong in wrong_ones
                if time.perf_counter() < ends]
        caught, tried = caught + sum(here), tried + len(here)
        if not all(here):
            missed.append(f"  Nog niet gevangen ({len(here) - sum(here)} van {len(here)}): {group}.")
    count = sum(map(len, WRONG.values()))
    print("\n".join([f"{'■' * caught}{'□' * (count - caught)} {caught} van {count} gevangen", *missed]))
    if tried < count:
        print(f"  Na {SECONDS:g} seconden waren er {tried} geprobeerd: je test is traag. Kies een kleinere proef.")


def _forward(change):
    """Een foute versie waarin de forward andere argumenten krijgt, of y wordt veranderd."""
    return lambda forward, backward: (lambda *given: change(forward, *given), backward)


def _backward(change):
    """Een foute versie waarin verandert wat de backward teruggeeft; `without` zijn de routes die in dx ontbreken."""
    def made(forward, backward):
        def wrong(cache, params, dy):
            dx, grads = backward(cache, params, dy)

            def without(*names):
                return backward(cache, {**params, **{name: np.zeros_like(params[name]) for name in names}}, dy)[0]

            return change(dx, grads, params, dy, without)
        return forward, wrong
    return made


def _swapped(forward, x, params, heads, allowed):
    """WO met de rijen van de heads in omgekeerde volgorde: alsof de heads zo zijn samengevoegd."""
    rows = np.split(np.asarray(params["wo"]), heads)
    return forward(x, {**params, "wo": np.concatenate(rows[::-1])}, heads, allowed)


def _turned(forward, *given):
    """De tijdstappen van y in omgekeerde volgorde."""
    y, cache = forward(*given)
    return y[:, ::-1], cache


def _cut(gradient, *given):
    """Een gradiënt die in een array van gehele getallen is geschreven, als alle `given` dat zijn."""
    fractions = any(np.issubdtype(np.asarray(array).dtype, np.inexact) for array in given)
    return gradient if fractions else np.trunc(gradient)


def _all(grads, change):
    return {name: change(gradient) for name, gradient in grads.items()}


#: wat er misgaat -> twee foute versies, elk gemaakt van je eigen functies
WRONG = {
    "fouten in de routes via Q en K, die je met één key niet ziet": (
        _forward(lambda own, x, params, *more: own(x, {**params, "wk": params["wq"]}, *more)),
        _backward(lambda dx, grads, params, dy, without: (
            without("wq", "wk"), {**grads, "wq": 0 * grads["wq"], "wk": 0 * grads["wk"]}))),
    "een route of gradiënt die ontbreekt": (
        _backward(lambda dx, grads, params, dy, without: (without("wq", "wk"), grads)),
        _backward(lambda dx, grads, params, dy, without: (without("wv"), grads))),
    "een gemiddelde over batch of tijd waar een som hoort": (
        _backward(lambda dx, grads, params, dy, without: (dx, _all(grads, lambda gradient: gradient / len(dy)))),
        _backward(lambda dx, grads, params, dy, without: (
            dx, _all(grads, lambda gradient: gradient / np.shape(dy)[1])))),
    "heads of tijdstappen in de verkeerde volgorde": (_forward(_swapped), _forward(_turned)),
    "een masker dat verkeerd of niet wordt gebruikt": (
        _forward(lambda own, x, params, heads, allowed: own(x, params, heads, np.ones_like(allowed))),
        _forward(lambda own, x, params, heads, allowed: own(x, params, heads, np.transpose(allowed)))),
    "gehele getallen waardoor uitkomsten onderweg worden afgekapt": (
        _backward(lambda dx, grads, params, dy, without: (_cut(dx, dy), grads)),
        _backward(lambda dx, grads, params, dy, without: (
            dx, {name: _cut(gradient, params[name]) for name, gradient in grads.items()}))),
}
