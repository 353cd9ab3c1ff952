"""A function that does nothing but raise NotImplementedError is asked once."""
from __future__ import annotations

import pytest

from autograder.records import Call, Result
from autograder.sandbox.place import nothing_but_a_stub
from autograder.sandbox.student import Student

STUBS = {
    "plain": "def f(x):\n    raise NotImplementedError\n",
    "called": "def f(x):\n    raise NotImplementedError()   # to do\n",
    "with a text": "def f(x, y=1) -> int:  # mine\n    # to do\n\n    raise NotImplementedError('not yet')\n",
    "after its docstring": 'y = 1\n\n\ndef f(x):\n    """What it does.\n\n    return x\n    """\n    # to do\n'
                           "    raise NotImplementedError()\n    return x\n",
}
NOT_ONLY = {
    "something goes before": "def f(x):\n    y = g(x)\n    raise NotImplementedError()\n",
    "only sometimes": "def f(x):\n    if x:\n        raise NotImplementedError()\n",
    "after its docstring": 'def f(x):\n    """What it does."""; g(x)\n    raise NotImplementedError()\n',
    "with a text that is made": "def f(x):\n    raise NotImplementedError(str(x))\n",
    "decorated": "@checked\ndef f(x):\n    raise NotImplementedError()\n",
    "wrapped": "def f(x):\n    raise NotImplementedError()\n\n\nf = checked(f)\n",
    "defined again": "def f(x):\n    raise NotImplementedError()\n\n\ng = f\n\n\ndef f(x):\n    return g(x)\n",
    "another error": "def f(x):\n    raise ValueError()\n",
    "inside another": "def g():\n    def f(x):\n        raise NotImplementedError()\n    return f\n",
    "of a class": "class C:\n    def f(self, x):\n        raise NotImplementedError()\n",
}


def found_in(source: str) -> str:
    line = next(number for number, one in enumerate(source.splitlines(), 1) if "raise" in one)
    return nothing_but_a_stub(source, source, line)


@pytest.mark.parametrize("source", STUBS.values(), ids=STUBS)
def test_a_stub_is_recognised(source):
    assert found_in(source) == "f"


@pytest.mark.parametrize("source", NOT_ONLY.values(), ids=NOT_ONLY)
def test_what_may_do_anything_else_is_not_taken_for_a_stub(source):
    assert found_in(source) != "f"


@pytest.fixture
def asked(monkeypatch):
    """The functions that processes were asked, in order."""
    names: list[str] = []
    ask = Student._ask

    def counting(self, call):
        names.append(call.function)
        return ask(self, call)
    monkeypatch.setattr(Student, "_ask", counting)
    return names


def test_a_stub_is_asked_once_and_answers_the_same_in_later_processes(student, asked):
    cells = "def f(x):\n    raise NotImplementedError('not yet')", "def g(x): return x"
    first = student(*cells)
    outcomes = [first.answer(Call("f", (number,))) for number in range(3)]
    assert [(one.status, one.message, one.within, one.where) for one in outcomes] == 3 * [
        ("raised", "not yet", "f", (0, 2))]
    later = student(*cells, plan=first.plan)
    assert later.answer(Call("f", (3,))) == outcomes[0]
    assert later._child is None
    assert asked == ["f"]
    assert later.answer(Call("g", (3,))).value == 3


def test_what_a_stub_is_given_of_another_has_to_be_there(student, asked):
    one = student("def f(x):\n    raise NotImplementedError()", "def g(x): return x", "def h(x): return 1 / 0")
    assert one.answer(Call("f", (1,))).kinds[0] == "NotImplementedError"
    fine = one.answer(Call("f", (Result(Call("g", (1,))),)))
    assert fine.kinds[0] == "NotImplementedError"
    missing = one.answer(Call("f", (Result(Call("h", (1,))),)))
    assert (missing.status, missing.kinds) == ("raised", ())
    assert asked == ["f", "g", "h"]


def test_a_function_that_stops_there_only_sometimes_is_asked_each_time(student, asked):
    one = student("def f(x):\n    if x < 2:\n        raise NotImplementedError()\n    return x")
    assert [one.answer(Call("f", (number,))).status for number in range(4)] == ["raised"] * 2 + ["answered"] * 2
    assert asked == ["f"] * 4
