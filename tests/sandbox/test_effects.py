"""Which arguments a call changed, and what its answer shares memory with."""
from __future__ import annotations

import numpy as np
import pytest

from autograder.sandbox.wire.effects import changed_places, copies, places, shared_places

X = np.arange(6.0).reshape(2, 3)


def changes(value, change):
    before = copies(places([value]))
    change(value)
    return changed_places(before, places([value]))


@pytest.mark.parametrize(("value", "change", "paths"), [
    (X.copy(), lambda x: x.fill(1), ["0"]),
    (X.copy(), lambda x: None, []),
    (np.array([0.0]), lambda x: x.__setitem__(0, -0.0), ["0"]),
    (np.array([np.nan]), lambda x: None, []),
    ({"n": float("nan")}, lambda d: None, []),
    ({"a": X.copy()}, lambda d: d.update(a=d["a"].copy()), []),
    ({"a": X.copy()}, lambda d: d.update(a=d["a"].astype(np.float32)), ["0.a"]),
    ({"a": X.copy()}, lambda d: d.update(a=None), ["0.a"]),
    ({"a": 1}, lambda d: d.update(a=True), ["0.a"]),
    ({"a": object()}, lambda d: d.update(a=object()), []),
    ({"a": object()}, lambda d: d.update(a=1), ["0.a"]),
    ({"a": None}, lambda d: d.update(a=1), ["0.a"]),
    ({"a": {"b": [X.copy(), 1]}}, lambda d: d["a"]["b"].__setitem__(0, 3), ["0.a.b.0"]),
    ({"a": {"b": 1, "c": 2}}, lambda d: d.pop("a"), ["0.a.b", "0.a.c"]),
    ({}, lambda d: d.update({3: 1}), ["0.3"])])
def test_changes_are_found(value, change, paths):
    assert changes(value, change) == paths


def test_a_value_that_holds_itself_can_be_compared():
    knot = {"x": X.copy()}
    knot["a"] = knot["b"] = knot
    assert changes(knot, lambda d: d["x"].fill(7)) == ["0.x"]


def test_views_of_an_argument_are_found():
    assert shared_places((X[0], {"x": X.T, "y": X.copy()}), places([{"a": X}, 3])) == ["0~0.a", "1.x~0.a"]
    assert shared_places(X, places([X])) == ["~0"]
    assert shared_places([X[0]], places([X[1:]])) == []


@pytest.mark.parametrize("view", [
    lambda x: np.frombuffer(x.data), lambda x: np.lib.stride_tricks.as_strided(x, (2,)), lambda x: x.view(np.recarray),
    lambda x: np.asarray(memoryview(x))[0], lambda x: np.broadcast_to(x, (4, 2, 3)), lambda x: x[:, None].T[1:]])
def test_a_view_taken_in_any_way_is_found(view):
    x = X.copy()
    assert shared_places(view(x), places([x])) == ["~0"]
    assert shared_places(view(x.copy()), places([x])) == []
