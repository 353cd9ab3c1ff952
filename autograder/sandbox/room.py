"""Say how much room a value takes, and keep what a submission answers within the room that it has."""

from sys import getsizeof
from typing import Any

import numpy as np
from msgspec.structs import replace

from autograder.records import Outcome
from autograder.sandbox.allowance import Allowance
from autograder.sandbox.questions import recorded
from autograder.sandbox.wire.plain import without_large

_EACH = 64                                # bytes that a number, or what holds others, takes at the least
_RETURNED_BY_A_TEST = 1000                # bytes


def within_room(outcome: Outcome, allowance: Allowance, trial: bool) -> Outcome:
    """The outcome, as it is remembered: large arrays of it make way where it would take a quarter of the room.

    WireError where there is still not enough. Nobody asks what a trial of a test returned.
    """
    size = bytes_in(outcome.value)
    if trial and size > _RETURNED_BY_A_TEST:
        return replace(outcome, value=None)
    if size > allowance.room / 4:
        outcome = replace(outcome, value=recorded(without_large(outcome.value)))
        size = bytes_in(outcome.value)
    allowance.keep(size)
    return outcome


def bytes_in(value: Any) -> int:
    """How many bytes a value takes, roughly: its arrays, its texts and keys, and all that holds them."""
    if isinstance(value, np.ndarray):
        size, floats = value.nbytes, 8 * value.size         # whoever computes with it makes floats of it
        return (size if size > floats else floats) + _EACH
    if isinstance(value, str):
        return getsizeof(value)
    if isinstance(value, dict):
        return _EACH + sum([getsizeof(key) + bytes_in(part) for key, part in value.items()])
    return _EACH + sum([bytes_in(part) for part in value]) if isinstance(value, (tuple, list)) else _EACH
