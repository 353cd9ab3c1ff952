"""An answer is kept as it was when it was given."""
from __future__ import annotations

import numpy as np
import pytest

from autograder.judge.local_subject import LocalSubject
from autograder.records import Call, Opaque, Result

SHARED = """
import numpy as np
SEEN = {}
ROOM = np.zeros(2)
class Own: pass
OWN = Own()
def one_dict(x): SEEN['x'] = x; return x, SEEN
def one_array(x): ROOM[:] = x; return x, ROOM
def one_object(x): OWN.x = x; return x, OWN
def deep(x): OWN.x = [{'x': (x,)}]; return x, (1, [OWN])
def fresh(x): return x, {'x': x, 'call': lambda: x}
def read(cache):
    for step in ('x', 'x'):
        cache = cache[step] if isinstance(cache, dict) else cache
    if isinstance(cache, tuple): cache = cache[1][0]
    if isinstance(cache, Own): cache = cache.x
    if isinstance(cache, list): cache = cache[0]['x'][0]
    return np.array(cache)
def spoil(cache): cache.x = None; return 1
"""
ONE, TWO = np.array([1.0, 1.0]), np.array([2.0, 2.0])


@pytest.fixture(params=["behind the wall", "in this process"])
def subject(request, student):
    return student(SHARED) if request.param == "behind the wall" else LocalSubject(SHARED)


@pytest.mark.parametrize("function", ["one_dict", "one_array", "one_object", "deep"])
def test_what_a_later_call_writes_into_an_answer_is_seen_and_does_no_harm(subject, function):
    first, second = Call(function, (ONE,)), Call(function, (TWO,))
    assert subject.answer(first).status == "answered"
    assert subject.unchanged(first)
    subject.answer(second)
    assert not subject.unchanged(first)
    assert subject.unchanged(second)
    assert subject.answer(Call("read", (Result(first, 1),))).value.tolist() == [1, 1]
    assert subject.answer(Call("read", (Result(second, 1),))).value.tolist() == [2, 2]


def test_an_answer_that_nobody_touches_is_handed_on_as_it_is(subject):
    first, second = Call("fresh", (ONE,)), Call("fresh", (TWO,))
    subject.answer(first), subject.answer(second)
    assert subject.unchanged(first)
    assert subject.answer(Call("read", (Result(first, 1),))).value.tolist() == [1, 1]


def test_what_spoils_its_own_cache_meets_it_spoiled(subject):
    first = Call("one_object", (ONE,))
    assert subject.answer(Call("spoil", (Result(first, 1),))).value == 1
    assert subject.answer(Call("read", (Result(first, 1),))).value == Opaque("ndarray of object")
    assert not subject.unchanged(first)


def test_an_answer_that_cannot_be_copied_is_kept_all_the_same(student):
    one = student("def f():\n    deep = []\n    for _ in range(10_000): deep = [deep]\n"
                  "    class Own:\n        def __deepcopy__(self, memo): raise SystemExit\n"
                  "    return 1, {'deep': deep, 'own': Own(), 'numbers': (n for n in [3, 4])}\n"
                  "def g(cache): return next(cache['numbers'])")
    first = Call("f", ())
    assert one.answer(first).value[0] == 1
    assert one.answer(Call("g", (Result(first, 1),))).value == 3
