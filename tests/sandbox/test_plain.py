"""What of a value can be shown outside its process."""
from __future__ import annotations

import collections

import numpy as np
import pytest

from autograder.sandbox.wire.calling import perform
from autograder.sandbox.wire.messages import encode
from autograder.sandbox.wire.plain import MAX_ITEMS, plain
from autograder.sandbox.wire.wire import Unplain

X = np.arange(6.0).reshape(2, 3)


def nothing_special(value):
    pytest.fail(f"{value!r} is plain")


def call(function, *args):
    return perform({"f": function}, "f", args, nothing_special)[1]


Point = collections.namedtuple("Point", "x y")


class Loud(float):
    def __float__(self):
        raise AssertionError


@pytest.mark.parametrize(("value", "expected"), [
    ([1, [2.5, "a"]], (1, (2.5, "a"))), (Point(1, 2), (1, 2)), (True, True), (None, None), (Loud(2), 2.0),
    (collections.OrderedDict(a=1), {"a": 1}), (collections.ChainMap({"a": 1}), {"a": 1}),
    ({"h": np.int8(3), "b": np.bool_(True), "n": (np.int64(2),)}, {"h": 3, "b": True, "n": (2,)}),
    ({1: 2}, Unplain("dict")), ({1, 2}, Unplain("set")), (2**64, Unplain("int")), (1j, Unplain("complex")),
    (b"x", Unplain("bytes")), (np.array([None]), Unplain("ndarray of object")), (range(3), Unplain("range")),
    (np.zeros((1,) * 9), Unplain("ndarray with 9 axes")),
    (np.datetime64("2026-01-01"), Unplain("ndarray of datetime64[D]")),
    ((x for x in ()), Unplain("generator")), ("\ud800", "?"), (np.str_("a"), "a")])
def test_the_plain_view(value, expected):
    seen = plain(value)
    assert (seen, type(seen)) == (expected, type(expected))


@pytest.mark.parametrize("array", [np.float32(2), np.int64(3), np.ma.masked_array(X), X.view(np.recarray), X.T,
                                   X.astype(">f8"), X.astype(np.longdouble)])
def test_arrays_of_any_kind_are_shown_as_exact_arrays(array):
    seen = plain(array)
    assert type(seen) is np.ndarray
    assert np.array_equal(seen, np.asarray(array))
    assert encode(call(lambda: array))


def test_a_lying_class_gains_nothing():
    class Liar:
        __class__ = np.ndarray
    assert plain(Liar()) == Unplain("ndarray of object")


def test_a_cycle_ends_and_leaves_the_rest_visible():
    cache = {"x": 1}
    cache["self"] = cache["again"] = cache
    y, seen = plain((X, cache))
    assert np.array_equal(y, X)
    assert seen["x"] == 1


def test_a_crowd_is_unplain_and_leaves_the_rest_visible():
    y, crowd, last = plain((X, list(range(MAX_ITEMS)), [1]))
    assert np.array_equal(y, X)
    assert (crowd, last) == (Unplain("list"), (1,))


def test_a_mapping_that_fails_is_unplain():
    class Broken(collections.UserDict):
        def items(self):
            raise ValueError
    assert call(lambda: Broken(a=1)).value == Unplain("Broken")
