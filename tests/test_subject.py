"""Subjects in this process answer as a student's process does."""
from __future__ import annotations

import gc

import numpy as np
import pytest

from autograder.judge.local_subject import LocalSubject
from autograder.lessons.installed import load_lesson
from autograder.records import Call, Cell, Opaque, Outcome, Proxy, Result
from autograder.sandbox.student import Sandbox

X = np.arange(6.0).reshape(2, 3)

SOURCE = """
import numpy as np

class Cache:
    def __init__(self, x):
        self.x = x

def forward(x):
    return [x[0], {"x": x, "heads": np.int64(2), "cache": Cache(x)}]

def backward(cache, dy):
    cache["x"] += 1
    cache.pop("heads", None)
    return cache["x"] * dy, cache["cache"].x

def change(x, params):
    x += 1
    del params["a"]
    raise ValueError("no")

def count():
    global counted
    counted += 1
    return counted

counted = 0

def own_test(f, g):
    y = f(np.ones((2, 2)), 3)
    y[0] = 0
    g({"y": y})

def huge():
    return np.zeros(2 ** 23)
"""
FORWARD = Call("forward", (X,))
CALLS = (
    FORWARD, Call("backward", (Result(FORWARD, 1), 2.0)), Call("backward", (Result(FORWARD, 1), 2.0)),
    Call("backward", (Result(FORWARD, 7), 2.0)), Call("change", (X, {"a": X, "b": X})), Call("missing", ()),
    Call("count", ()), Call("count", ()), Call("huge", ()), Call("count", (1,)),
    Call("backward", (Result(Call("change", (X, {})), 1), 2.0)), Call("own_test", (Proxy("f"), Proxy("g"))),
)


def stand_ins():
    return {"f": lambda x, n: Outcome("answered", x * n),
            "g": lambda cache: Outcome("raised", error="ValueError", message=str(cache["y"].sum()))}


def without_time(outcome: Outcome):
    """An outcome in a form that compares arrays by their bytes."""
    def comparable(value):
        if isinstance(value, np.ndarray):
            return value.dtype, value.shape, value.tobytes()
        if isinstance(value, dict):
            return {key: comparable(part) for key, part in value.items()}
        return tuple(map(comparable, value)) if isinstance(value, tuple) else value
    return (outcome.status, comparable(outcome.value), outcome.changed, outcome.shares, outcome.error, outcome.message,
            outcome.kinds)


def test_a_local_subject_and_a_students_process_answer_alike():
    local = LocalSubject(SOURCE, stand_ins=stand_ins())
    with Sandbox() as box, box.open([Cell(0, SOURCE)], modules={}, prelude="", stand_ins=stand_ins()) as student:
        for call in CALLS:
            assert without_time(local.answer(call)) == without_time(student.answer(call)), call.function


def test_answers_are_read_only_and_exact():
    value = LocalSubject(SOURCE).answer(FORWARD).value
    assert type(value) is tuple
    assert not value[0].flags.writeable
    assert value[1]["cache"] == Opaque("Cache")


def test_the_same_call_is_asked_once():
    subject, call = LocalSubject(SOURCE), Call("count", ())
    assert [subject.answer(each).value for each in (call, call, Call("count", ()))] == [1, 1, 2]


def test_a_recorded_answer_does_not_change_with_the_live_one():
    subject = LocalSubject(SOURCE)
    before = subject.answer(FORWARD).value[1]["x"]
    subject.answer(Call("backward", (Result(FORWARD, 1), 2.0)))
    assert np.array_equal(before, X)


def test_answers_are_forgotten_with_their_call():
    subject = LocalSubject(SOURCE)
    for _ in range(10):
        subject.answer(Call("forward", (X,)))
    gc.collect()
    assert len(subject._outcomes) == len(subject._live) == 0


def test_ctrl_c_gets_through():
    with pytest.raises(KeyboardInterrupt):
        LocalSubject("def f(): raise KeyboardInterrupt").answer(Call("f", ()))


def test_a_source_that_does_not_run_says_so_at_once():
    with pytest.raises(NameError):
        LocalSubject("nothing")


def test_the_reference_passes_its_own_test():
    source = load_lesson("multihead").reference_source
    reference = LocalSubject(source)
    names = ("multihead", "multihead_backward")
    tested = LocalSubject(source, stand_ins={
        name: lambda *args, name=name: reference.answer(Call(name, args)) for name in names})
    assert tested.answer(Call("own_test", tuple(map(Proxy, names)))).status == "answered"


def test_a_lack_of_memory_of_our_own_is_nobodys_answer_and_not_remembered():
    subject = LocalSubject("tries = []\ndef f():\n    tries.append(1)\n    if len(tries) == 1:\n"
                           "        raise MemoryError('full')\n    return 1")
    call = Call("f", ())
    with pytest.raises(MemoryError, match="full"):
        subject.answer(call)
    assert subject.answer(call).value == 1


@pytest.mark.parametrize(("name", "args"), [("forward", (X,)), ("forward", (1,)), ("change", (X, {"a": 1})),
                                            ("change", (X, {}))], ids=str)
def test_what_a_students_code_calls_answers_as_a_question_does(name, args):
    subject = LocalSubject(SOURCE)
    before = X.copy()
    called, asked = subject.called(name, args), subject.answer(Call(name, args))
    assert (called.status, called.error, called.message, called.kinds) == (
        asked.status, asked.error, asked.message, asked.kinds)
    assert repr(called.value) == repr(asked.value)
    assert np.array_equal(X, before)
