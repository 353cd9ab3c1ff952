"""Wat onder de voorbeelden ligt: je functie aanroepen, en in woorden zeggen wat er uitkwam en wat de bedoeling was.

Je hoeft dit bestand niet te lezen of te veranderen. Elke functie doet niets als het klopt, en geeft anders een
AssertionError met uitleg.
"""
import inspect
import re
import traceback

import numpy as np
from slips import PARTS

AXES = {"B": "reeks", "T": "tijdstap", "H": "head", "C": "kenmerk", "d": "kenmerk", "q": "query", "k": "key",
        "r": "rij", "c": "kolom", "1": "plaats"}
MANY = 16                                               # getallen: van een grotere array tonen we alleen het verschil
LENGTHS = {"q": "T", "k": "T", "r": "C", "c": "C"}      # de letter voor de lengte, waar die anders heet dan de as


_held = {}                                              # deel -> de voorbeelden ervan die klopten
_asked = [""]                                           # de functie die het laatst is aangeroepen


def answer(function, *args):
    """Wat je functie teruggeeft. Stopt ze met een fout, geeft ze niets terug of verandert ze een argument, dan lees
    je hier waar en waarom.
    """
    name = _asked[0] = function.__name__
    before = [_kept(argument) for argument in args]
    try:
        value = function(*args)
    except NotImplementedError as error:
        fail(_unwritten(error))
    except Exception as error:
        fail(f"{name} stopt met {type(error).__name__}: {error}\n{_place(error, function)}{_about(error)}")
    if value is None:
        fail(f"{name} geeft None terug, dus niets.\nStaat er een return onderaan, met de uitkomst erachter?")
    for parameter, was, now in zip(_parameters(function, len(args)), before, args, strict=True):
        if difference := _changed(parameter, was, now):
            fail(f"{name} verandert een argument: {difference}.\n"
                 "Maak iets nieuws, of werk met een kopie: wie je functie aanroept, heeft zijn arrays nog nodig.")
    return value


def pair(name, value, parts):
    """De twee delen van een antwoord, zoals (y, cache)."""
    if not isinstance(value, tuple) or len(value) != 2:
        what = f"een tuple van {len(value)}" if isinstance(value, tuple) else _kind(value)
        fail(f"{name} geeft {what} terug, verwacht: het paar {parts}.")
    return value


def entries(name, value, keys):
    """Een dict waar deze namen in staan."""
    if not isinstance(value, dict):
        order = "\nStaan de delen van je antwoord in de goede volgorde?" if isinstance(value, np.ndarray) else ""
        fail(f"{name} is {_kind(value)}, verwacht: een dict met {', '.join(keys)}.{order}")
    missing = [key for key in keys if key not in value]
    if missing:
        fail(f"in {name} ontbreekt {', '.join(missing)}.\n"
             f"Gezien: {', '.join(map(str, value)) or 'niets'}. Verwacht: {', '.join(keys)}.")
    return value


def shape(name, value, expected, axes):
    """Een array met deze vorm; `axes` noemt de assen, een letter per as: "BHTd"."""
    if not isinstance(value, np.ndarray):
        fail(f"{name} is {_kind(value)}, verwacht: een NumPy-array met vorm {expected}.")
    if value.shape != expected:
        fail(f"{name} heeft vorm {value.shape}, verwacht: {expected}, dus ({_letters(axes)}).\n"
             f"{_other_shape(value.shape, expected, axes)}")


def same(name, value, expected, axes, hint, tolerance=1e-9, slips=()):
    """Dezelfde vorm en dezelfde getallen. `slips` zijn paren (woorden, array): vergissingen die we herkennen."""
    expected = np.asarray(expected)
    shape(name, value, expected.shape, axes)
    if value.dtype.kind not in "biuf":
        fail(f"{name} bevat geen gewone getallen maar {value.dtype}.")
    wrong = ~(np.abs(value - expected) <= tolerance)                      # ook waar nan staat
    if not wrong.any():
        return
    if not np.isfinite(value).all():
        first = tuple(np.argwhere(~np.isfinite(value))[0])
        fail(f"{name} bevat {value[first]}, op {_where(first, axes)}; verwacht: alleen gewone getallen.\n"
             "Deel je ergens door 0, of houdt een query geen enkele key over?")
    first = tuple(np.argwhere(wrong)[0])
    known = [words for words, slip in slips if np.shape(slip) == value.shape and np.allclose(value, slip, atol=1e-3)]
    both = f"is {_numbers(value, tolerance)}, verwacht: {_numbers(expected, tolerance)}."
    fail(f"{name} {both if value.size <= MANY else 'klopt niet.'}\n"
         f"Het eerste verschil staat op {_where(first, axes)}: {_numbers(value[first], tolerance)} "
         f"in plaats van {_numbers(expected[first], tolerance)}.\n{known[0] if known else hint}")


def refuses(function, args, call, reason):
    """De functie weigert deze argumenten met een ValueError, TypeError of AssertionError."""
    _asked[0] = function.__name__
    try:
        value = function(*args)
        seen = f"{_kind(value)} terug"
    except (ValueError, TypeError, AssertionError):
        return
    except NotImplementedError as error:
        fail(_unwritten(error))
    except Exception as error:
        fail(f"{call} stopt met {type(error).__name__}: {error}\n{_place(error, function)}\n"
             f"Verwacht: een ValueError, TypeError of AssertionError, want {reason}.")
    fail(f"{call} geeft {seen}.\nVerwacht: een ValueError, TypeError of AssertionError, want {reason}.\n"
         "Weigeren doe je met raise of assert, niet met return.")


def close(name, value, expected, hint, tolerance=1e-4, slips=()):
    """Eén getal, op deze marge na. `slips` zijn paren (woorden, getal)."""
    if not np.isfinite(expected):
        fail(f"{name} is niet te vergelijken: uit je forward komt {expected}.")
    if not abs(value - expected) < tolerance:                             # ook waar nan staat
        known = [words for words, slip in slips if abs(value - slip) < tolerance]
        fail(f"{name} is {value:.4f}, verwacht: {expected:.4f}.\n{known[0] if known else hint}")


def objection(test, *functions):
    """Wat een test tegen deze functies heeft, in woorden; leeg als hij ze doorlaat."""
    _asked[0] = test.__name__
    try:
        test(*functions)
    except NotImplementedError as error:
        fail(_unwritten(error))
    except AssertionError as error:
        return str(error) or "een assert zonder uitleg"
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return ""


def holds(part, words):
    """Zeg dat een voorbeeld van dit deel klopt, en van hoeveel delen alle voorbeelden kloppen."""
    _held.setdefault(part, set()).add(words)
    done = sum(len(_held.get(name, ())) == count for name, count in PARTS.items())
    print(f"✓ {words}\n{'■' * done}{'□' * (len(PARTS) - done)} {done} van {len(PARTS)} delen")


def all_hold(*parts):
    """Of elk voorbeeld van deze delen klopte toen het voor het laatst werd gedraaid."""
    return all(len(_held.get(part, ())) == PARTS[part] for part in parts)


class Explained(AssertionError):
    """Wat er niet klopt, in woorden; een notebook laat alleen die woorden zien."""

    def _render_traceback_(self):
        return str(self).splitlines()


def fail(words):
    """Stop met deze woorden; het deel waar dit over gaat, klopt niet langer helemaal."""
    _held.pop(_asked[0], None)
    raise Explained(words) from None


# --- woorden ------------------------------------------------------------------------------------------------------


def _unwritten(error):
    """Welke functie er nog niet is: die waarin de fout ontstond."""
    name = traceback.extract_tb(error.__traceback__)[-1].name
    return f"{name} is nog niet geschreven: er staat nog raise NotImplementedError()."


def _place(error, function):
    """In welke regel van je eigen code het misging."""
    own = [frame for frame, _ in traceback.walk_tb(error.__traceback__)
           if frame.f_globals is getattr(function, "__globals__", None)]
    lines = [(frame.f_code.co_name, line) for frame, line in traceback.walk_tb(error.__traceback__) if frame in own]
    if not lines:
        return "Geef je de goede argumenten door?"
    summary = traceback.extract_tb(error.__traceback__)
    text = next((entry.line for entry in reversed(summary) if (entry.name, entry.lineno) == lines[-1]), "")
    return f"Dat gebeurt in {lines[-1][0]}, op regel {lines[-1][1]} van de cel" + (f": {text}" if text else ".")


def _about(error):
    """Waar zo'n fout meestal vandaan komt; leeg als het alles kan zijn."""
    words = str(error)
    if sizes := re.search(r"matmul: .*size (\d+) is different from (\d+)", words):
        return (f"\nLinks van de @ heeft de laatste as lengte {sizes[2]}, rechts ervan heeft de voorlaatste as "
                f"lengte {sizes[1]}. Die twee horen gelijk te zijn.")
    if re.search(r"'tuple' object has no|tuple indices must be|inhomogeneous shape", words):
        return ("\nEr staat een tuple waar een array hoort. "
                "Hoeveel dingen geeft de functie terug waar die vandaan komt?")
    if re.search(r"Cannot cast ufunc|could not be coerced", words):
        return ("\n*= en += veranderen de array zelf, en in een array van gehele getallen past geen kommagetal. "
                "Maak eerst een kopie met floats.")
    if "'NoneType'" in words:
        return "\nEr staat None waar een array hoort. Heeft de functie waar het vandaan komt een return?"
    return ""


def _parameters(function, count):
    """Hoe de functie haar argumenten noemt."""
    names = list(inspect.signature(function).parameters)
    return names if len(names) == count else [f"argument {number}" for number in range(1, count + 1)]


def _kept(argument):
    """Een argument zoals het was: kopieën van de arrays, ook van die in een dict."""
    if isinstance(argument, dict):
        return {key: _kept(value) for key, value in argument.items()}
    return argument.copy() if isinstance(argument, np.ndarray) else argument


def _changed(name, was, now):
    """Wat er aan een argument is veranderd, in woorden; leeg als het gelijk bleef."""
    if isinstance(was, dict) and isinstance(now, dict):
        if lost := [key for key in was if key not in now]:
            return f"{name} is {', '.join(map(str, lost))} kwijt"
        return next((words for key in was if (words := _changed(f"{name}[{key!r}]", was[key], now[key]))), "")
    if not isinstance(was, np.ndarray) or not isinstance(now, np.ndarray):
        return ""
    if was.shape != now.shape:
        return f"{name} had vorm {was.shape} en heeft nu vorm {now.shape}"
    return "" if np.array_equal(was, now, equal_nan=was.dtype.kind == "f") else f"in {name} staan nu andere getallen"


def _kind(value):
    if value is None:
        return "None"
    words = {list: "een lijst", tuple: "een tuple", dict: "een dict", np.ndarray: "een array"}
    return words.get(type(value), f"een {type(value).__name__}")


def _other_shape(seen, expected, axes):
    """Wat er aan deze vorm anders is, per as."""
    if axes == "rc" and seen[1:] == expected:
        return "De as van de batch staat er nog. Wat hoort er met de reeksen te gebeuren?"
    if len(seen) != len(expected):
        return f"Dat {'is 1 as' if len(seen) == 1 else f'zijn {len(seen)} assen'} in plaats van {len(expected)}."
    if sorted(seen) == sorted(expected):
        first = next(place for place, size in enumerate(expected) if seen[place] != size)
        where = f"meteen na {LENGTHS.get(axes[first - 1], axes[first - 1])}" if first else "vooraan"
        return f"De lengtes kloppen, maar ze staan op de verkeerde assen. Welke as hoort {where} te komen?"
    parts = [f"as {LENGTHS.get(axis, axis)} heeft lengte {have} in plaats van {want}"
             for axis, have, want in zip(axes, seen, expected, strict=True) if have != want]
    return f"Kijk per as: {', '.join(parts)}."


def _letters(axes):
    return ", ".join(LENGTHS.get(axis, axis) for axis in axes)


def _where(index, axes):
    return ", ".join(f"{AXES[axis]} {place}" for axis, place in zip(axes, index, strict=True))


def _numbers(value, tolerance):
    """De getallen zoals je ze zelf zou schrijven: hele zonder punt, andere met vier cijfers of drie."""
    rounded = np.round(np.asarray(value, dtype=float), 3 if tolerance > 1e-4 else 4) + 0.0
    return str((rounded.astype(int) if np.array_equal(rounded, np.trunc(rounded)) else rounded).tolist())
