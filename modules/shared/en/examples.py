"""What lies below the examples: call your function, and say in words what came out and what should have.

You need not read or change this file. Each function does nothing if all is well, and otherwise raises an
AssertionError that explains.
"""
import inspect
import re
import traceback

import numpy as np
from slips import PARTS

AXES = {"B": "sequence", "T": "time step", "H": "head", "C": "feature", "d": "feature", "q": "query", "k": "key",
        "r": "row", "c": "column", "1": "place"}
MANY = 16                                               # numbers: of a larger array we show the difference only
LENGTHS = {"q": "T", "k": "T", "r": "C", "c": "C"}      # the letter for the length, where it differs from the axis


_held = {}                                              # part -> the examples of it that held
_asked = [""]                                           # the function that was called last


def answer(function, *args):
    """What your function returns. If it stops with an error, returns nothing or changes an argument, you read here
    where and why.
    """
    name = _asked[0] = function.__name__
    before = [_kept(argument) for argument in args]
    try:
        value = function(*args)
    except NotImplementedError as error:
        fail(_unwritten(error))
    except Exception as error:
        fail(f"{name} stops with {type(error).__name__}: {error}\n{_place(error, function)}{_about(error)}")
    if value is None:
        fail(f"{name} returns None, so nothing.\nIs there a return at the bottom, followed by the result?")
    for parameter, was, now in zip(_parameters(function, len(args)), before, args, strict=True):
        if difference := _changed(parameter, was, now):
            fail(f"{name} changes an argument: {difference}.\n"
                 "Make something new, or work on a copy: whoever calls your function still needs those arrays.")
    return value


def pair(name, value, parts):
    """The two parts of an answer, such as (y, cache)."""
    if not isinstance(value, tuple) or len(value) != 2:
        what = f"a tuple of {len(value)}" if isinstance(value, tuple) else _kind(value)
        fail(f"{name} returns {what}, expected: the pair {parts}.")
    return value


def entries(name, value, keys):
    """A dict that has these names in it."""
    if not isinstance(value, dict):
        order = "\nAre the parts of your answer in the right order?" if isinstance(value, np.ndarray) else ""
        fail(f"{name} is {_kind(value)}, expected: a dict with {', '.join(keys)}.{order}")
    missing = [key for key in keys if key not in value]
    if missing:
        fail(f"{name} lacks {', '.join(missing)}.\n"
             f"Seen: {', '.join(map(str, value)) or 'nothing'}. Expected: {', '.join(keys)}.")
    return value


def shape(name, value, expected, axes):
    """An array of this shape; `axes` names the axes, a letter for each: "BHTd"."""
    if not isinstance(value, np.ndarray):
        fail(f"{name} is {_kind(value)}, expected: a NumPy array of shape {expected}.")
    if value.shape != expected:
        fail(f"{name} has shape {value.shape}, expected: {expected}, that is ({_letters(axes)}).\n"
             f"{_other_shape(value.shape, expected, axes)}")


def same(name, value, expected, axes, hint, tolerance=1e-9, slips=()):
    """The same shape and the same numbers. `slips` are pairs (words, array): slips that we recognise."""
    expected = np.asarray(expected)
    shape(name, value, expected.shape, axes)
    if value.dtype.kind not in "biuf":
        fail(f"{name} does not hold plain numbers but {value.dtype}.")
    wrong = ~(np.abs(value - expected) <= tolerance)                      # where there is nan, too
    if not wrong.any():
        return
    if not np.isfinite(value).all():
        first = tuple(np.argwhere(~np.isfinite(value))[0])
        fail(f"{name} holds {value[first]}, at {_where(first, axes)}; expected: plain numbers only.\n"
             "Do you divide by 0 somewhere, or is there a query with no key left?")
    first = tuple(np.argwhere(wrong)[0])
    known = [words for words, slip in slips if np.shape(slip) == value.shape and np.allclose(value, slip, atol=1e-3)]
    both = f"is {_numbers(value, tolerance)}, expected: {_numbers(expected, tolerance)}."
    fail(f"{name} {both if value.size <= MANY else 'is wrong.'}\n"
         f"The first difference is at {_where(first, axes)}: {_numbers(value[first], tolerance)} "
         f"instead of {_numbers(expected[first], tolerance)}.\n{known[0] if known else hint}")


def refuses(function, args, call, reason):
    """The function refuses these arguments with a ValueError, TypeError or AssertionError."""
    _asked[0] = function.__name__
    try:
        value = function(*args)
        seen = f"{_kind(value)}"
    except (ValueError, TypeError, AssertionError):
        return
    except NotImplementedError as error:
        fail(_unwritten(error))
    except Exception as error:
        fail(f"{call} stops with {type(error).__name__}: {error}\n{_place(error, function)}\n"
             f"Expected: a ValueError, TypeError or AssertionError, because {reason}.")
    fail(f"{call} returns {seen}.\nExpected: a ValueError, TypeError or AssertionError, because {reason}.\n"
         "You refuse with raise or assert, not with return.")


def close(name, value, expected, hint, tolerance=1e-4, slips=()):
    """One number, within this tolerance. `slips` are pairs (words, number)."""
    if not np.isfinite(expected):
        fail(f"{name} cannot be compared: {expected} comes out of your forward.")
    if not abs(value - expected) < tolerance:                             # where there is nan, too
        known = [words for words, slip in slips if abs(value - slip) < tolerance]
        fail(f"{name} is {value:.4f}, expected: {expected:.4f}.\n{known[0] if known else hint}")


def objection(test, *functions):
    """What a test has against these functions, in words; empty if it lets them through."""
    _asked[0] = test.__name__
    try:
        test(*functions)
    except NotImplementedError as error:
        fail(_unwritten(error))
    except AssertionError as error:
        return str(error) or "an assert without an explanation"
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return ""


def holds(part, words):
    """Say that an example of this part holds, and how many parts have all their examples right."""
    _held.setdefault(part, set()).add(words)
    done = sum(len(_held.get(name, ())) == count for name, count in PARTS.items())
    print(f"✓ {words}\n{'■' * done}{'□' * (len(PARTS) - done)} {done} of {len(PARTS)} parts")


def all_hold(*parts):
    """Whether every example of these parts held when it was run last."""
    return all(len(_held.get(part, ())) == PARTS[part] for part in parts)


class Explained(AssertionError):
    """What is wrong, in words; a notebook shows only those words."""

    def _render_traceback_(self):
        return str(self).splitlines()


def fail(words):
    """Stop with these words; the part that this is about is no longer all right."""
    _held.pop(_asked[0], None)
    raise Explained(words) from None


# --- words ---------------------------------------------------------------------------------------------------------


def _unwritten(error):
    """Which function is not there yet: the one in which the error arose."""
    name = traceback.extract_tb(error.__traceback__)[-1].name
    return f"{name} is not written yet: it still says raise NotImplementedError()."


def _place(error, function):
    """On which line of your own code it went wrong."""
    own = [frame for frame, _ in traceback.walk_tb(error.__traceback__)
           if frame.f_globals is getattr(function, "__globals__", None)]
    lines = [(frame.f_code.co_name, line) for frame, line in traceback.walk_tb(error.__traceback__) if frame in own]
    if not lines:
        return "Do you pass on the right arguments?"
    summary = traceback.extract_tb(error.__traceback__)
    text = next((entry.line for entry in reversed(summary) if (entry.name, entry.lineno) == lines[-1]), "")
    return f"That happens in {lines[-1][0]}, on line {lines[-1][1]} of the cell" + (f": {text}" if text else ".")


def _about(error):
    """What such an error most often comes from; empty where it can be anything."""
    words = str(error)
    if sizes := re.search(r"matmul: .*size (\d+) is different from (\d+)", words):
        return (f"\nLeft of the @ the last axis has length {sizes[2]}, right of it the last axis but one has "
                f"length {sizes[1]}. Those two should be equal.")
    if re.search(r"'tuple' object has no|tuple indices must be|inhomogeneous shape", words):
        return ("\nThere is a tuple where an array belongs. "
                "How many things does the function return that it comes from?")
    if re.search(r"Cannot cast ufunc|could not be coerced", words):
        return ("\n*= and += change the array itself, and no fraction fits into an array of whole numbers. "
                "Make a copy of floats first.")
    if "'NoneType'" in words:
        return "\nThere is None where an array belongs. Does the function it comes from have a return?"
    return ""


def _parameters(function, count):
    """What the function calls its arguments."""
    names = list(inspect.signature(function).parameters)
    return names if len(names) == count else [f"argument {number}" for number in range(1, count + 1)]


def _kept(argument):
    """An argument as it was: copies of the arrays, also of those in a dict."""
    if isinstance(argument, dict):
        return {key: _kept(value) for key, value in argument.items()}
    return argument.copy() if isinstance(argument, np.ndarray) else argument


def _changed(name, was, now):
    """What has changed about an argument, in words; empty if it stayed the same."""
    if isinstance(was, dict) and isinstance(now, dict):
        if lost := [key for key in was if key not in now]:
            return f"{name} has lost {', '.join(map(str, lost))}"
        return next((words for key in was if (words := _changed(f"{name}[{key!r}]", was[key], now[key]))), "")
    if not isinstance(was, np.ndarray) or not isinstance(now, np.ndarray):
        return ""
    if was.shape != now.shape:
        return f"{name} had shape {was.shape} and now has shape {now.shape}"
    return "" if np.array_equal(was, now, equal_nan=was.dtype.kind == "f") else f"{name} now holds other numbers"


def _kind(value):
    if value is None:
        return "None"
    words = {list: "a list", tuple: "a tuple", dict: "a dict", np.ndarray: "an array"}
    return words.get(type(value), f"a {type(value).__name__}")


def _other_shape(seen, expected, axes):
    """What is different about this shape, axis by axis."""
    if axes == "rc" and seen[1:] == expected:
        return "The axis of the batch is still there. What should happen to the sequences?"
    if len(seen) != len(expected):
        return f"It has {'1 axis' if len(seen) == 1 else f'{len(seen)} axes'} instead of {len(expected)}."
    if sorted(seen) == sorted(expected):
        first = next(place for place, size in enumerate(expected) if seen[place] != size)
        where = f"right after {LENGTHS.get(axes[first - 1], axes[first - 1])}" if first else "first"
        return f"The lengths are right, but they are on the wrong axes. Which axis should come {where}?"
    parts = [f"axis {LENGTHS.get(axis, axis)} has length {have} instead of {want}"
             for axis, have, want in zip(axes, seen, expected, strict=True) if have != want]
    return f"Look at each axis: {', '.join(parts)}."


def _letters(axes):
    return ", ".join(LENGTHS.get(axis, axis) for axis in axes)


def _where(index, axes):
    return ", ".join(f"{AXES[axis]} {place}" for axis, place in zip(axes, index, strict=True))


def _numbers(value, tolerance):
    """The numbers as you would write them: whole ones without a point, others with four digits or three."""
    rounded = np.round(np.asarray(value, dtype=float), 3 if tolerance > 1e-4 else 4) + 0.0
    return str((rounded.astype(int) if np.array_equal(rounded, np.trunc(rounded)) else rounded).tolist())
