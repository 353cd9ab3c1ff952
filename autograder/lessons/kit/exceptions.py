"""Explain the most common exceptions of NumPy code in the words of a course: what most often causes them.

The exception's own text is never repeated, since a student's code can put anything in it.
"""

import re

from autograder.records import Outcome, Text, text
from autograder.sandbox.wire.calling import OUR_BOUND

#: (type, pattern of its text) -> what to think of
_CAUSES: tuple[tuple[str, str, Text], ...] = (
    ("AttributeError", r"^'tuple' object has no attribute",
     text("A tuple is used where an array was meant: how many things does the function return that it came from?")),
    ("TypeError", r"^tuple indices must be|^'tuple' object|^unsupported operand.*'tuple'",
     text("A tuple is used where something else was meant: how many things does the function return that it came "
          "from?")),
    ("ValueError", r"^(not enough values to unpack|too many values to unpack)",
     text("The number of names on the left of = differs from the number of things on the right: print the shape, or "
          "count what the function returns.")),
    ("TypeError", r"^Cannot cast ufunc|^ufunc '.*' output .* could not be coerced",
     text("An operation such as *= or += changes the array itself, and no fraction fits into an array of whole "
          "numbers: make a copy of floats first.")),
    ("TypeError", r"^float\(\) argument must be .* not '(dict|tuple|list)'",
     text("Something that is not a number or an array was made into one, a dict perhaps: which entry of it was "
          "meant?")),
    ("ValueError", r"^matmul: ",
     text("With @, the last axis on the left and the last but one on the right must have the same length: print both "
          "shapes just before that line.")),
    ("ValueError", r"^shapes .* not aligned",
     text("In the product, the last axis on the left and the last but one on the right must have the same length: "
          "print both shapes just before that line.")),
    ("ValueError", r"^operands could not be broadcast|^non-broadcastable output|^could not broadcast input",
     text("Two arrays are combined number by number, but their shapes do not fit: print both shapes just before that "
          "line.")),
    ("ValueError", r"^cannot reshape array",
     text("The new shape does not hold as many numbers as the array: print its shape just before that line.")),
    ("ValueError", r"^axes don't match array|^repeated axis in transpose",
     text("transpose wants every axis of the array exactly once: how many axes does it have there?")),
    ("IndexError", r"^axis ",
     text("An axis is named that the array does not have: print its shape just before that line.")),
    ("ValueError", r"inhomogeneous shape",
     text("Something that is not a single array was made into one, a tuple perhaps: how many things does the function "
          "return that it came from?")),
    ("IndexError", r"^(too many indices|index .* is out of bounds|list index out of range|tuple index out of range)",
     text("There are fewer axes or entries than the line asks for: print the shape just before that line.")),
    ("ValueError", r"einstein sum|^operand has|fewer dimensions than|more dimensions than",
     text("The letters of einsum do not fit the axes of the arrays: write their shapes beside the letters.")),
    ("ValueError", r"read-only|assignment destination",
     text("The line writes into an array that may only be read: make a copy first.")),
    ("KeyError", r"", text("A name is asked for that is not in that dict: print its keys just before that line.")),
    ("UnboundLocalError", r"",
     text("A name is used before it has a value in this function: does every way to that line give it one?")),
    ("RecursionError", r"", text("The function goes on calling itself: when should it stop?")),
    ("TypeError", r"positional argument|unexpected keyword argument|missing \d+ required",
     text("A function is called with other arguments than its def has.")),
    ("TypeError", r"'float' object cannot be interpreted as an integer|slice indices must be integers",
     text("A whole number is needed there, and there is a float: does it come from / instead of //?")),
    ("TypeError", r"object is not subscriptable", text("Square brackets follow something that has no entries, "
                                                       "such as None: is there a return?")),
    ("TypeError", r"^cannot unpack non-iterable NoneType",
     text("A function that gives back nothing is unpacked: is there a return?")),
    ("TypeError", r"'NoneType'|^'NoneType' object",
     text("None is used where an array was meant: is there a return in the function that it came from?")),
    ("AttributeError", r"^'NoneType' object",
     text("None is used where an array was meant: is there a return in the function that it came from?")),
    ("NameError", r"",
     text("A name is used that does not exist there: is it spelt as where it gets its value, and does that come "
          "first?")),
    ("AttributeError", r"^module '.*' has no attribute|^'numpy.ndarray' object has no attribute",
     text("Something is asked for that a module or an array does not have: is the name behind the dot spelt right?")),
    ("ValueError", r"^The truth value of an array",
     text("A whole array is used as a condition: make one answer of it first, with all() or any().")),
    ("TypeError", r"object is not callable",
     text("Round brackets follow something that is not a function: does one name mean two things?")),
    ("TypeError", r"^unsupported operand|^can't multiply sequence|^can only concatenate|^'\S+' not supported between",
     text("Two things are combined that do not go together: print their types just before that line.")),
    ("ZeroDivisionError", r"", text("Something is divided by zero: print what is divided by just before that line.")),
)


def about(outcome: Outcome) -> Text | None:
    """What most often causes such an exception, or None if it could be anything."""
    for kind, looks, cause in _CAUSES:
        if kind in outcome.kinds and re.search(looks, outcome.message):
            return cause
    return None


def met_our_bound(outcome: Outcome) -> bool:
    """Whether it stopped because more numbers were given, or asked for, than travel in one call."""
    return outcome.message.startswith(OUR_BOUND)


def unknown_name(outcome: Outcome) -> str:
    """The undefined name, if the exception says that; else ""."""
    found = re.match(r"name '(\w+)' is not defined", outcome.message) if "NameError" in outcome.kinds else None
    return found[1] if found else ""
