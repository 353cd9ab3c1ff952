"""Wat onder de voorbeelden ligt: je functie aanroepen, en in woorden zeggen wat er uitkwam en wat de bedoeling was.

Je hoeft dit bestand niet te lezen of te veranderen. Elke functie doet niets als het klopt, en geeft anders een
AssertionError met uitleg.
"""
import traceback

import numpy as np

AXES = {"B": "batch", "T": "tijd", "H": "head", "C": "kenmerk", "d": "kenmerk", "q": "query", "k": "key",
        "r": "rij", "c": "kolom"}
LENGTHS = {"q": "T", "k": "T", "r": "C", "c": "C"}      # de letter voor de lengte, waar die anders heet dan de as


def answer(function, *args):
    """Wat je functie teruggeeft. Stopt ze met een fout, of geeft ze niets terug, dan staat hier waar en waarom."""
    __tracebackhide__ = True
    name = function.__name__
    try:
        value = function(*args)
    except NotImplementedError as error:
        fail(_unwritten(error))
    except Exception as error:
        fail(f"{name} stopt met {type(error).__name__}: {error}\n{_place(error, function)}")
    if value is None:
        fail(f"{name} geeft None terug, dus niets.\nStaat er een return onderaan, met de uitkomst erachter?")
    return value


def pair(name, value, parts):
    """De twee delen van een antwoord, zoals (y, cache)."""
    __tracebackhide__ = True
    if not isinstance(value, tuple) or len(value) != 2:
        what = f"een tuple van {len(value)}" if isinstance(value, tuple) else _kind(value)
        fail(f"{name} geeft {what} terug, verwacht: het paar {parts}.")
    return value


def entries(name, value, keys):
    """Een dict waar deze namen in staan."""
    __tracebackhide__ = True
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
    __tracebackhide__ = True
    if not isinstance(value, np.ndarray):
        fail(f"{name} is {_kind(value)}, verwacht: een NumPy-array met vorm {expected}.")
    if value.shape != expected:
        fail(f"{name} heeft vorm {value.shape}, verwacht: {expected}, dus ({_letters(axes)}).\n"
             f"{_other_shape(value.shape, expected, axes)}")


def same(name, value, expected, axes, hint, tolerance=1e-9, traps=()):
    """Dezelfde vorm en dezelfde getallen. `traps` zijn paren (woorden, array): vergissingen die we herkennen."""
    __tracebackhide__ = True
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
             "Wordt er ergens gedeeld door 0, of gerekend met oneindig?")
    first = tuple(np.argwhere(wrong)[0])
    known = [words for words, trap in traps if np.shape(trap) == value.shape and np.allclose(value, trap, atol=1e-3)]
    fail(f"{name} is {_numbers(value, tolerance)}, verwacht: {_numbers(expected, tolerance)}.\n"
         f"Het eerste verschil staat op {_where(first, axes)}: {_numbers(value[first], tolerance)} "
         f"in plaats van {_numbers(expected[first], tolerance)}.\n{known[0] if known else hint}")


def refuses(function, args, call, reason):
    """De functie weigert deze argumenten met een ValueError, TypeError of AssertionError."""
    __tracebackhide__ = True
    try:
        function(*args)
        seen = "een antwoord"
    except (ValueError, TypeError, AssertionError):
        return
    except NotImplementedError as error:
        fail(_unwritten(error))
    except Exception as error:
        seen = type(error).__name__
    fail(f"{call} geeft {seen}.\nVerwacht: een ValueError, TypeError of AssertionError, want {reason}.")


def close(name, value, expected, hint, tolerance=1e-4, traps=()):
    """Eén getal, op deze marge na. `traps` zijn paren (woorden, getal)."""
    __tracebackhide__ = True
    if not np.isfinite(expected):
        fail(f"{name} is niet te vergelijken: uit je forward komt {expected}.")
    if not abs(value - expected) < tolerance:                             # ook waar nan staat
        known = [words for words, trap in traps if abs(value - trap) < tolerance]
        fail(f"{name} is {value:.4f}, verwacht: {expected:.4f}.\n{known[0] if known else hint}")


def objection(test, *functions):
    """Wat een test tegen deze functies heeft, in woorden; leeg als hij ze doorlaat."""
    __tracebackhide__ = True
    try:
        test(*functions)
    except NotImplementedError as error:
        fail(_unwritten(error))
    except AssertionError as error:
        return str(error) or "een assert zonder uitleg"
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return ""


def fail(words):
    """Stop met deze woorden."""
    __tracebackhide__ = True
    raise AssertionError(words) from None


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


def _kind(value):
    words = {list: "een lijst", tuple: "een tuple", dict: "een dict", np.ndarray: "een array"}
    return words.get(type(value), f"een {type(value).__name__}")


def _other_shape(seen, expected, axes):
    """Wat er aan deze vorm anders is, per as."""
    if len(seen) != len(expected):
        return f"Dat zijn {len(seen)} assen in plaats van {len(expected)}."
    if sorted(seen) == sorted(expected):
        return "De maten kloppen, maar ze staan op de verkeerde as. Welke as hoort er na de eerste te komen?"
    parts = [f"{AXES[axis]} is {have} lang in plaats van {want}"
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
