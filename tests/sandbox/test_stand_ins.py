"""The judge's functions, as a student's process meets them."""
from __future__ import annotations

import numpy as np
import pytest

from autograder.records import Call, Cell, Outcome, Proxy
from autograder.sandbox import conversation, stand_ins
from autograder.sandbox.student import Allowance, Sandbox
from autograder.sandbox.wire.calling import OUR_BOUND

X = np.arange(6.0).reshape(2, 3)


def answered(value) -> Outcome:
    return Outcome("answered", value)


def test_an_installed_stand_in_replaces_the_students_function(student):
    one = student("def split(x, heads): return 'mine'\ndef outer(x): return split(x, heads=np.int64(3))",
                  stand_ins={"split": lambda x, heads: answered((x * heads, type(heads).__name__))}, install=("split",))
    value = one.answer(Call("outer", (X,))).value
    assert np.array_equal(value[0], X * 3)
    assert value[1] == "int"


def test_what_a_stand_in_returns_is_fresh_and_writeable(student):
    one = student("def outer(x):\n    y, cache = split(x)\n    y += 1\n    cache['y'] = y\n    return cache",
                  stand_ins={"split": lambda x: answered((x, {"x": x}))}, install=("split",))
    assert np.array_equal(one.answer(Call("outer", (X,))).value["y"], X + 1)


def test_a_function_of_the_judges_can_be_an_argument(student):
    one = student("def own_test(multihead, backward):\n    y, cache = multihead(np.ones((2, 2)), {'w': np.eye(2)}, 1)\n"
                  "    dx = backward(cache, y)\n    assert dx.sum() == 4, 'wrong'",
                  stand_ins={"multihead": lambda x, params, heads: answered((x @ params["w"], {"x": x})),
                             "backward": lambda cache, dy: answered(cache["x"] * dy)})
    proxies = (Proxy("multihead"), Proxy("backward"))
    assert one.answer(Call("own_test", proxies)).status == "answered"


def test_a_stand_in_that_is_only_an_argument_leaves_the_students_own_alone(student):
    one = student("def f(x): return 'mine'\ndef test(g): return g(1), f(1)",
                  stand_ins={"f": lambda x: answered("judge's")})
    assert one.answer(Call("test", (Proxy("f"),))).value == ("judge's", "mine")


@pytest.mark.parametrize(("outcome", "seen"), [
    (Outcome("raised", error="ValueError", message="no"), ("ValueError", "no")),
    (Outcome("raised", error="AxisError", message="no", kinds=("ValueError", "Exception")), ("ValueError", "no")),
    (Outcome("raised", error="Mine", message="no"), ("RuntimeError", "no")),
    (Outcome("raised", error="SystemExit", message="no"), ("RuntimeError", "no")),
    (Outcome("raised", error="UnicodeDecodeError", message="no"), ("RuntimeError", "no")),
    (Outcome("timed_out"), ("RuntimeError", f"{OUR_BOUND}: f gave no answer (timed_out)"))])
def test_an_exception_of_a_stand_in_is_raised_in_the_students_process(student, outcome, seen):
    one = student("def outer():\n    try:\n        f()\n    except Exception as e:\n"
                  "        return type(e).__name__, str(e)", stand_ins={"f": lambda: outcome}, install=("f",))
    assert one.answer(Call("outer", ())).value == seen


def test_what_is_not_plain_raises_a_type_error_before_it_leaves(student):
    one = student("def outer(): return f([1, {'a': object()}])", stand_ins={"f": answered}, install=("f",))
    outcome = one.answer(Call("outer", ()))
    assert (outcome.status, outcome.error) == ("raised", "TypeError")


def test_a_name_that_the_judge_does_not_answer_is_refused(student):
    one = student("def cheat(f):\n    asked, = [c for c in f.__code__.co_consts if callable(c)]\n"
                  "    ask, = [c.cell_contents for c in asked.__closure__ if callable(c.cell_contents)]\n"
                  "    worker, = [c.cell_contents for c in ask.__closure__ if hasattr(c.cell_contents, 'reply')]\n"
                  "    return worker._call_back('reference', [1])", stand_ins={"f": answered})
    assert one.answer(Call("cheat", (Proxy("f"),))).status == "refused"


def test_call_backs_are_counted(monkeypatch):
    monkeypatch.setattr(conversation, "CALLBACK_CAP", 100)
    cell = Cell(0, "def outer(n):\n    for _ in range(n): f(1)\n    return n")
    with Sandbox(seconds=60) as box, box.open([cell], modules={}, prelude="", stand_ins={"f": answered},
                                              install=("f",)) as one:
        assert one.answer(Call("outer", (100,))).status == "answered"
        assert one.answer(Call("outer", (101,))).status == "refused"


def test_a_stand_in_that_fails_is_our_fault_and_the_child_goes(student):
    def broken():
        raise ZeroDivisionError
    one = student("def outer(): return f()\ndef g(): return 1", stand_ins={"f": broken}, install=("f",))
    with pytest.raises(ZeroDivisionError):
        one.answer(Call("outer", ()))
    assert one.answer(Call("g", ())).value == 1


# --- large calls --------------------------------------------------------------------------------------------------

SQUARE = "import os\ndef square(x): return x[:, None] * x, os.getpid()\n"


@pytest.fixture
def square():
    """A stand-in that says who answered; asked elsewhere it answers from its source."""
    def function(x):
        return answered((x[:, None] * x, -1))
    function.source = SQUARE
    return function


def test_a_small_call_is_answered_by_the_judge_and_a_large_one_in_another_process(student, square):
    one = student("import os\ndef outer(n):\n    product, who = square(np.ones((1, n)))\n"
                  "    return product.sum(), who, os.getpid()", stand_ins={"square": square}, install=("square",))
    small, large = 2, stand_ins.SMALL // 8 + 1
    total, who, _ = one.answer(Call("outer", (small,))).value
    assert (total, who) == (small, -1)
    total, who, own = one.answer(Call("outer", (large,))).value
    assert (total, who > 0, who != own) == (large, True, True)


def test_a_large_call_of_an_argument_is_answered_elsewhere_too(student, square):
    one = student("def own_test(f): return f(np.ones((1, 100_000)))[1] > 0")
    assert one.answer(Call("own_test", (Proxy("square", square),))).value is True


def test_a_call_that_would_take_all_memory_fails_elsewhere_and_the_judge_goes_on(student, square):
    one = student("def outer():\n    try:\n        square(np.ones(100_000))\n    except RuntimeError as error:\n"
                  "        return str(error)\ndef small(): return square(np.ones(2))[1]",
                  stand_ins={"square": square}, install=("square",))
    assert one.answer(Call("outer", ())).value == f"{OUR_BOUND}: square gave no answer (out_of_memory)"
    assert one.answer(Call("small", ())).value == -1


def test_a_large_call_that_never_ends_is_ended_elsewhere_and_takes_nothing_but_the_budget(hurried, square):
    square.source = "def square(x):\n    while True: pass\n"
    allowance = Allowance(20.0)
    one = hurried("def outer():\n    try:\n        square(np.ones(100_000))\n    except RuntimeError as error:\n"
                  "        return str(error)", stand_ins={"square": square}, install=("square",), allowance=allowance)
    outcome = one.answer(Call("outer", ()))
    assert outcome.value == f"{OUR_BOUND}: square gave no answer (timed_out)"
    assert outcome.seconds < 0.5
    assert 18.0 < allowance.seconds < 19.6


@pytest.mark.parametrize("args", [
    (np.zeros((1, 6000, 0)), {"wq": np.zeros((0, 6000))}, 1),
    (np.zeros((1, 100, 1), bool), {"wq": np.zeros((10_000, 1, 1), bool)}, 1),
    ({"v": np.zeros((1, 1, 5000, 1), np.int8)}, np.zeros((1, 5000, 1), np.int8)),
    (np.zeros((1, 2, 2)), {"wq": np.eye(2)}, 10**9), (np.zeros((1, 2, 2)), {"wq": np.eye(2)}, 1e9),
    (np.zeros((1, 2, 2)), {"wq": np.eye(2)}, np.array(-10**9)), (np.zeros((1, 2, 2)), ((10**9,),)),
], ids=["empty axes", "a batch of weights", "many tokens in few bytes", "many heads", "a fraction of heads",
        "an array of one number", "a list of one number"])
def test_a_call_of_few_bytes_that_could_need_all_memory_is_no_small_one(args):
    assert stand_ins.bytes_in(args) < stand_ins.SMALL
    assert stand_ins.reach(args) > stand_ins.REACH


def test_the_calls_of_honest_tests_are_small():
    B, T, H, d = 4, 16, 4, 4
    x, w, mask, head = (np.zeros(shape) for shape in ((B, T, H * d), (H * d, H * d), (T, T), (B, H, T, d)))
    params, attention = dict.fromkeys(["wq", "wk", "wv", "wo"], w), dict.fromkeys("qkv", head)
    cache = {"x": x, "joined": x, "heads": H, "attention": {**attention, "weights": np.zeros((B, H, T, T))}}
    assert stand_ins.reach((x, params, H, mask)) <= stand_ins.REACH
    assert stand_ins.reach((cache, params, x)) <= stand_ins.REACH


def test_few_bytes_that_would_become_gigabytes_are_answered_elsewhere(student, square):
    square.source = "import numpy as np, os\ndef square(x): return np.zeros((1, x.shape[1])).shape[1], os.getpid()\n"
    one = student("def outer():\n    return square(np.zeros((0, 10**6)))[1] > 0", stand_ins={"square": square},
                  install=("square",))
    assert one.answer(Call("outer", ())).value is True
