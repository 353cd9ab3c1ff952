"""Which tests of students are known to keep nothing from one call to the next, and that this changes no outcome."""
import sys
from contextlib import nullcontext

import numpy as np
import pytest
from sampled import by_turns

from autograder.intake import from_sources
from autograder.judge.engine import Engine
from autograder.judge.local_subject import LocalSubject
from autograder.judge.own_test import Trials
from autograder.judge.processes import Processes
from autograder.judge.worlds import Judged
from autograder.lessons.installed import load_lesson
from autograder.records import Outcome
from autograder.sandbox.forgetful.analysis import forgets
from autograder.sandbox.student import Allowance

LESSON = load_lesson("multihead")
SUBJECT = LocalSubject(LESSON.reference_source)
GIVEN = {"np": np, "__name__": "__main__"}
TEST = "def own_test(f, g):\n    y = f(np.ones((2, 3)))\n    assert np.allclose(y, 1)\n"

FORGETFUL = {
    "plain": TEST,
    "a loop by hand":
        "def own_test(f, g):\n    y = np.zeros(3)\n    for i in range(3):\n        y[i] += i\n"
        "    assert y.sum() == 3",
    "numbers of the cell's":
        "B, T = 2, 3\nN = B * T\n" + "def own_test(f, g):\n    assert f(np.ones(N)).shape == (B * T,)",
    "its own functions": "def helper(x):\n    return x * 2\n\n\ndef own_test(f, g):\n    assert helper(f(1)) == 2",
    "another name for a function":
        "def mine(x):\n    return x\n\n\nold = mine\n\n\ndef own_test(f, g):\n    assert old(1) == f(1)",
    "global random numbers":
        "def own_test(f, g):\n    np.random.seed(1)\n    assert f(np.random.randn(2)).shape == (2,)",
    "a value that is not used": "results = []\n" + TEST,
    "types": "def own_test(f: np.ndarray, g):\n    assert isinstance(f(1), np.ndarray)",
    "numpy's testing": "def own_test(f, g):\n    np.testing.assert_allclose(f(1), 1)",
    "functions inside":
        "def own_test(f, g):\n    seen = []\n    def note(x):\n        seen.append(x)\n    note(f(1))\n"
        "    assert seen",
    "a name of the cell's, its own inside":
        "x = [1]\n\n\ndef own_test(f, g):\n    x = []\n    x.append(1)\n    assert x == [1]",
    "its own comprehension": "rows = []\n\n\ndef own_test(f, g):\n    assert [rows for rows in range(2)] == [0, 1]",
}
REMEMBERING = {
    "a list": "seen = []\n\n\ndef own_test(f, g):\n    seen.append(f(1))\n    assert len(seen) < 3",
    "a dict under another name": "kept = {}\nother = kept\n\n\ndef own_test(f, g):\n    other.update(a=f(1))",
    "an array": "kept = np.zeros(3)\n\n\ndef own_test(f, g):\n    a = kept\n    a[0] += f(1)",
    "global": "n = 0\n\n\ndef own_test(f, g):\n    global n\n    n += 1",
    "nonlocal": "def own_test(f, g):\n    n = 0\n    def up():\n        nonlocal n\n        n += 1\n    up()",
    "a default": "def own_test(f, g, seen=[]):\n    seen.append(f(1))",
    "a default by keyword": "def own_test(f, g, *, seen={}):\n    seen.update(a=f(1))",
    "a default of a helper": "def note(x, seen=[]):\n    seen.append(x)\n\n\ndef own_test(f, g):\n    note(f(1))",
    "an attribute of itself": "def own_test(f, g):\n    own_test.n = f(1)",
    "an attribute of a module": "def own_test(f, g):\n    np.kept = f(1)",
    "setattr": "def own_test(f, g):\n    setattr(np, 'kept', f(1))",
    "its own namespace": "def own_test(f, g):\n    globals()['n'] = f(1)",
    "eval": "def own_test(f, g):\n    eval('seen.append(1)')",
    "a dunder": "def own_test(f, g):\n    own_test.__dict__['n'] = f(1)",
    "a closure":
        "def make():\n    seen = []\n    def own_test(f, g):\n        seen.append(f(1))\n"
        "    return own_test\n\n\nown_test = make()",
    "a function under its name": "seen = []\ndef other(f, g):\n    pass\n\n\nown_test = lambda f, g: seen.append(f(1))",
    "a class": "class Kept:\n    seen = []\n\n\ndef own_test(f, g):\n    Kept.seen.append(f(1))",
    "a class inside": "def own_test(f, g):\n    class Kept:\n        pass",
    "a generator":
        "def counting():\n    n = 0\n    while True:\n        n += 1\n        yield n\n\n\n"
        "c = counting()\n\n\ndef own_test(f, g):\n    assert next(c) < 3",
    "an iterator": "numbers = iter(range(9))\n\n\ndef own_test(f, g):\n    assert next(numbers) < 3",
    "a generator of random numbers":
        "rng = np.random.default_rng(0)\n\n\ndef own_test(f, g):\n    f(rng.normal(size=3))",
    "a decorator": "def keep(f):\n    return f\n\n\n@keep\ndef own_test(f, g):\n    f(1)",
    "a module that is not listed": "import sys\n\n\ndef own_test(f, g):\n    sys.kept = f(1)",
    "an import inside": "def own_test(f, g):\n    import builtins\n    builtins.print = f",
    "a patched module": "np.allclose = lambda *a: True\n" + TEST,
    "a module put in numpy's place": "import math as np\n" + TEST,
    "a variable in numpy's place": "np = []\n" + TEST,
    "a function of numpy's that keeps": "def own_test(f, g):\n    np.seterr(all='raise')\n    f(1)",
    "memory as it is": "def own_test(f, g):\n    assert np.empty(100).sum() != f(1)",
    "memory as it is, by its type": "def own_test(f, g):\n    assert np.ndarray((100,)).sum() != f(1)",
    "memory as it is, by another isinstance":
        "def own_test(f, g):\n    isinstance = lambda a, b: b\n    a = isinstance(0, np.ndarray)((100,))",
    "memory as it is, where nothing is computed":
        "def own_test(f, g):\n    a = np.sqrt(np.ones(100), where=np.zeros(100, dtype=bool))",
    "the same by two stars": "def own_test(f, g):\n    a = np.sqrt(np.ones(100), **{'where': False})",
    "a first list of a comprehension": "rows = [[]]\n\n\ndef own_test(f, g):\n    [rows.append(1) for rows in rows]",
    "a name that a function inside binds":
        "seen = []\n\n\ndef own_test(f, g):\n    seen.append(1)\n    def inner():\n        seen = 3",
    "a helper's own list": "seen = []\n\n\ndef note(x):\n    seen.append(x)\n\n\ndef own_test(f, g):\n    note(f(1))",
    "a helper under another name":
        "seen = []\n\n\ndef note(x):\n    seen.append(x)\n\n\na = note\nb = a\n\n\ndef own_test(f, g):\n"
        "    b(f(1))",
    "a second definition": TEST + "\nseen = []\n\n\ndef own_test(f, g):\n    seen.append(1)",
    "an except's name":
        "try:\n    1 / 0\nexcept ZeroDivisionError as e:\n    pass\n\n\ndef own_test(f, g):\n    e.args",
    "a loop's variable": "for kept in [[]]:\n    pass\n\n\ndef own_test(f, g):\n    kept.append(1)",
    "a walrus": "print(kept := [])\n\n\ndef own_test(f, g):\n    kept.append(1)",
    "a with's name": "with np.errstate() as kept:\n    pass\n\n\ndef own_test(f, g):\n    kept.append(1)",
    "what NumPy keeps in its own module":
        "import numpy as np\n\n\ndef own_test(f, g):\n    assert hasattr(np, '__warningregistry__')\n"
        "    hasattr(np, 'matlib')",
    "await": "async def own_test(f, g):\n    f(1)",
    "a magic": "%time\n" + TEST,
    "no test": "def other(f, g):\n    pass",
    "a star import": "from numpy import *\n" + TEST,
    "constants that cannot be":
        "z = []\nd = (z,)\n\n\ndef own_test(f, g):\n    assert d",
    "nesting beyond all bounds": "x = " + "(" * 5000 + ")" * 5000 + "\n" + TEST,
}


@pytest.mark.parametrize("source", FORGETFUL.values(), ids=FORGETFUL)
def test_what_leaves_nothing_behind_is_recognised(source: str) -> None:
    assert forgets([source], "own_test", GIVEN)


@pytest.mark.parametrize("source", REMEMBERING.values(), ids=REMEMBERING)
def test_whatever_could_remember_is_not_taken_for_forgetful(source: str) -> None:
    assert not forgets([source], "own_test", GIVEN)


@pytest.mark.parametrize("source", REMEMBERING.values(), ids=REMEMBERING)
def test_it_is_not_either_where_the_cell_before_it_is_harmless(source: str) -> None:
    assert not forgets(["x = 1", source, "y = 2"], "own_test", GIVEN)


def test_names_that_hold_each_other_many_times_take_no_longer() -> None:
    tower = "v6 = 1\n" + "".join(f"v{i} = ({f'v{i + 1}, ' * 100})\n" for i in reversed(range(6)))
    looked_at = 0

    def count(frame: object, event: str, arg: object) -> None:
        nonlocal looked_at
        looked_at += 1
        if looked_at > 10**6:
            raise TimeoutError
    sys.setprofile(count)
    try:
        assert forgets([tower + "\n\ndef own_test(f, g):\n    assert v0"], "own_test", GIVEN)
    finally:
        sys.setprofile(None)


def test_a_later_cell_can_make_a_test_remember() -> None:
    assert not forgets([TEST, "np.allclose = print"], "own_test", GIVEN)




# --- the same outcomes ---------------------------------------------------------------------------------------------

OWN_TESTS = {
    "catches some": """
def own_test(multihead, multihead_backward):
    x = np.random.randn(2, 3, 4)
    params = {n: np.random.randn(4, 4) for n in ("wq", "wk", "wv", "wo")}
    y, cache = multihead(x, params, 2, np.ones((3, 3), dtype=bool))
    dx, grads = multihead_backward(cache, params, np.ones_like(y))
    again, _ = multihead(x * 2, params, 2, np.ones((3, 3), dtype=bool))
    assert not np.allclose(again, 2 * y)
    assert np.abs(grads["wq"]).max() > 1e-9
""",
    "accepts all": "def own_test(multihead, multihead_backward):\n    pass\n",
    "rejects all": "def own_test(multihead, multihead_backward):\n    assert False\n",
    "fails": "def own_test(multihead, multihead_backward):\n    multihead(1)\n",
    "unwritten": "def own_test(multihead, multihead_backward):\n    raise NotImplementedError\n",
}


@pytest.mark.parametrize("source", by_turns(OWN_TESTS.values(), 4, 1), ids=OWN_TESTS)
def test_one_process_gives_the_outcomes_that_fresh_ones_give(source: str) -> None:
    engine = Engine(LESSON)
    exercise = next(one for one in LESSON.exercises if one.implementations)
    with engine:
        assessor, submission = engine._assessor, from_sources("s.py", "student-01", [source], LESSON)
        open_subject = Processes(engine._sandbox, LESSON, submission, Allowance())
        trials = Trials(exercise, open_subject, assessor._implementation, assessor.reference)
        with open_subject({}, ()) as own:
            assert own.forgets(exercise.name)
            known = trials.in_one(own)
        fresh, one = trials.judged(), trials.judged(known)
    assert set(known) == set(exercise.implementations)
    assert _words(one) == _words(fresh)


def _words(judged: Judged) -> list[tuple[str, object]]:
    return [(attempt.word, attempt.why) for attempt in judged.attempts]


def test_a_test_that_says_something_else_alone_is_tried_in_fresh_processes_only() -> None:
    """The analysis taken in: what was rejected in one process because of earlier trials is accepted in a fresh one."""
    exercise = next(one for one in LESSON.exercises if one.implementations)
    asked = []

    class Alone:
        def answer(self, call):
            asked.append(call)
            return Outcome("answered")

    known = {name: Outcome("raised", kinds=("AssertionError",)) for name in exercise.implementations}
    trials = Trials(exercise, lambda stand_ins, install: nullcontext(Alone()), lambda one: SUBJECT, SUBJECT)
    judged = trials.judged(known)
    assert len(asked) == len(exercise.implementations)
    assert {attempt.word for attempt in judged.attempts[1:]} == {"wrong"}


def test_one_rejection_is_tried_again_alone() -> None:
    exercise = next(one for one in LESSON.exercises if one.implementations)
    asked = []

    class Alone:
        def answer(self, call):
            asked.append(call)
            return Outcome("raised", kinds=("AssertionError",))

    known = {name: Outcome("raised", kinds=("AssertionError",)) for name in exercise.implementations}
    Trials(exercise, lambda stand_ins, install: nullcontext(Alone()), lambda one: SUBJECT, SUBJECT).judged(known)
    assert len(asked) == 1


@pytest.mark.slow
def test_a_test_that_the_process_does_not_survive_is_tried_in_fresh_ones() -> None:
    source = "def own_test(multihead, multihead_backward):\n    np.ones((10**6, 10**6)).sum()\n"
    with Engine(LESSON) as engine:
        grade = engine.grade(from_sources("s.py", "student-01", [source], LESSON))
    exercise = grade.exercises[-1]
    assert {verdict.verdict for verdict in exercise.verdicts} == {"out_of_memory"}


def test_trials_leave_the_process_as_it_was_for_the_students_own_functions() -> None:
    source = OWN_TESTS["catches some"] + "\n\ndef split_heads(x, heads):\n    return np.random.randn(*x.shape)\n"
    alone = "def split_heads(x, heads):\n    return np.random.randn(*x.shape)\n"
    with Engine(LESSON) as engine:
        with_test, without = (engine.grade(from_sources("s.py", "student-01", [text], LESSON))
                              for text in (source, alone))
    assert with_test.exercises[0].verdicts == without.exercises[0].verdicts
