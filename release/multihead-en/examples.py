"""What lies below the examples: call your function, and say in words what came out and what should have.

You need not read or change this file. Each function does nothing if all is well, and otherwise raises an
AssertionError that explains.
"""
import traceback

import numpy as np

AXES = {"B": "batch", "T": "time", "H": "head", "C": "feature", "d": "feature", "q": "query", "k": "key",
        "r": "row", "c": "column"}
LENGTHS = {"q": "T", "k": "T", "r": "C", "c": "C"}      # the letter for the length, where it differs from the axis


def answer(function, *args):
    """What your function returns. If it stops with an error, or returns nothing, this says where and why."""
    __tracebackhide__ = True
    name = function.__name__
    try:
        value = function(*args)
    except NotImplementedError as error:
        fail(_unwritten(error))
    except Exception as error:
        fail(f"{name} stops with {type(error).__name__}: {error}\n{_place(error, function)}")
    if value is None:
        fail(f"{name} returns None, so nothing.\nIs there a return at the bottom, followed by the result?")
    return value


def pair(name, value, parts):
    """The two parts of an answer, such as (y, cache)."""
    __tracebackhide__ = True
    if not isinstance(value, tuple) or len(value) != 2:
        what = f"a tuple of {len(value)}" if isinstance(value, tuple) else _kind(value)
        fail(f"{name} returns {what}, expected: the pair {parts}.")
    return value


def entries(name, value, keys):
    """A dict that has these names in it."""
    __tracebackhide__ = True
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
    __tracebackhide__ = True
    if not isinstance(value, np.ndarray):
        fail(f"{name} is {_kind(value)}, expected: a NumPy array of shape {expected}.")
    if value.shape != expected:
        fail(f"{name} has shape {value.shape}, expected: {expected}, so ({_letters(axes)}).\n"
             f"{_other_shape(value.shape, expected, axes)}")


def same(name, value, expected, axes, hint, tolerance=1e-9, traps=()):
    """The same shape and the same numbers. `traps` are pairs (words, array): slips that we recognise."""
    __tracebackhide__ = True
    expected = np.asarray(expected)
    shape(name, value, expected.shape, axes)
    if value.dtype.kind not in "biuf":
        fail(f"{name} holds no plain numbers but {value.dtype}.")
    wrong = ~(np.abs(value - expected) <= tolerance)                      # where there is nan, too
    if not wrong.any():
        return
    if not np.isfinite(value).all():
        first = tuple(np.argwhere(~np.isfinite(value))[0])
        fail(f"{name} holds {value[first]}, at {_where(first, axes)}; expected: plain numbers only.\n"
             "Is there a division by 0 somewhere, or a sum with infinity?")
    first = tuple(np.argwhere(wrong)[0])
    known = [words for words, trap in traps if np.shape(trap) == value.shape and np.allclose(value, trap, atol=1e-3)]
    fail(f"{name} is {_numbers(value, tolerance)}, expected: {_numbers(expected, tolerance)}.\n"
         f"The first difference is at {_where(first, axes)}: {_numbers(value[first], tolerance)} "
         f"instead of {_numbers(expected[first], tolerance)}.\n{known[0] if known else hint}")


def refuses(function, args, call, reason):
    """The function refuses these arguments with a ValueError, TypeError or AssertionError."""
    __tracebackhide__ = True
    try:
        function(*args)
        seen = "an answer"
    except (ValueError, TypeError, AssertionError):
        return
    except NotImplementedError as error:
        fail(_unwritten(error))
    except Exception as error:
        seen = type(error).__name__
    fail(f"{call} gives {seen}.\nExpected: a ValueError, TypeError or AssertionError, because {reason}.")


def close(name, value, expected, hint, tolerance=1e-4, traps=()):
    """One number, within this tolerance. `traps` are pairs (words, number)."""
    __tracebackhide__ = True
    if not np.isfinite(expected):
        fail(f"{name} cannot be compared: {expected} comes out of your forward.")
    if not abs(value - expected) < tolerance:                             # where there is nan, too
        known = [words for words, trap in traps if abs(value - trap) < tolerance]
        fail(f"{name} is {value:.4f}, expected: {expected:.4f}.\n{known[0] if known else hint}")


def objection(test, *functions):
    """What a test has against these functions, in words; empty if it lets them through."""
    __tracebackhide__ = True
    try:
        test(*functions)
    except NotImplementedError as error:
        fail(_unwritten(error))
    except AssertionError as error:
        return str(error) or "an assert without an explanation"
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return ""


def fail(words):
    """Stop with these words."""
    __tracebackhide__ = True
    raise AssertionError(words) from None


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


def _kind(value):
    words = {list: "a list", tuple: "a tuple", dict: "a dict", np.ndarray: "an array"}
    return words.get(type(value), f"a {type(value).__name__}")


def _other_shape(seen, expected, axes):
    """What is different about this shape, axis by axis."""
    if len(seen) != len(expected):
        return f"Those are {len(seen)} axes instead of {len(expected)}."
    if sorted(seen) == sorted(expected):
        return "The sizes are right, but they are on the wrong axes. Which axis should come after the first?"
    parts = [f"{AXES[axis]} has length {have} instead of {want}"
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
