"""A student's process, as the judge meets it: every end has its word, and nothing is left behind."""
from __future__ import annotations

import gc
import os
import signal
import time
from pathlib import Path

import numpy as np
import pytest

from autograder.records import Call, Cell, Opaque, Outcome, Proxy, Result
from autograder.sandbox.conversation import CALLBACK_CAP
from autograder.sandbox.plan import How
from autograder.sandbox.student import Sandbox, ZygoteLost

X = np.arange(6.0).reshape(2, 3)


@pytest.fixture(scope="module")
def sandbox():
    with Sandbox(seconds=1.0, cell_seconds=1.0, memory_mb=512) as box:
        yield box


@pytest.fixture
def student(sandbox):
    """A function that opens a student with these cells."""
    opened = []

    def open_student(*sources, **more):
        cells = [Cell(index, source) for index, source in enumerate(sources)]
        more = {"modules": {"given": "def double(x):\n    return 2 * x\n"},
                "prelude": "import numpy as np\nfrom given import double\n", **more}
        opened.append(sandbox.open(cells, **more))
        return opened[-1]
    yield open_student
    for each in opened:
        each.close()


def answered(value) -> Outcome:
    return Outcome("answered", value)


def templates(student) -> list[str]:
    return [notice.template for notice in student.notices]


# --- how calls end ------------------------------------------------------------------------------------------------

ENDS = {
    "answered": "return x + 1",
    "raised": "raise ValueError('no')",
    "timed_out": "while True: pass",
    "out_of_memory": "return np.zeros(10**12)",
    "crashed": "import ctypes; ctypes.string_at(0)",
    "quit": "import os; os._exit(0)",
    "refused": "import os; os.write(3, b'garbage'); return x",
}


@pytest.mark.parametrize("status", ENDS)
def test_every_end_of_a_call_has_its_word_and_the_next_call_is_answered(student, status):
    one = student(f"def f(x):\n    {ENDS[status]}\ndef g(x):\n    return x")
    assert one.answer(Call("f", (X,))).status == status
    assert one.answer(Call("g", (X,))).status == "answered"


MORE_ENDS = {
    "swallowing every exception": ("""
        while True:
            try:
                while True: pass
            except BaseException: pass""", "timed_out"),
    "sleep": ("import time; time.sleep(60)", "timed_out"),
    "a catastrophic pattern": ("import re; re.match('(a+)+$', 'a' * 40 + 'b')", "timed_out"),
    "a hanging __str__": ("""
        class Slow(Exception):
            def __str__(self):
                while True: pass
        raise Slow""", "timed_out"),
    "a raising __str__": ("""
        class Odd(Exception):
            def __str__(self): raise Odd
        raise Odd""", "raised"),
    "a drip-fed reply": ("import os, time; os.write(3, b'\\0\\0\\0\\5a'); time.sleep(60)", "timed_out"),
    "a doubling list": ("""
        grown = [0] * 1000
        while True: grown = grown + grown""", "out_of_memory"),
    "sys.exit": ("import sys; sys.exit(0)", "raised"),
    "KeyboardInterrupt": ("raise KeyboardInterrupt", "raised"),
    "deep recursion": ("return f(x)", "raised"),
    "deep recursion without a limit": ("import sys; sys.setrecursionlimit(10**9); return list(map(f, [x]))", "crashed"),
    "an answer over the cap": ("return np.zeros(2**23)", "refused"),
    "a closed channel": ("import os; os.close(3)", "quit"),
    "a large frame that never comes": ("import os; os.write(3, b'\\xff\\xff\\xff\\xff')", "refused"),
    "a pickle": ("import os, pickle; p = pickle.dumps(X); os.write(3, len(p).to_bytes(4) + p)", "refused"),
    "abort": ("import os; os.abort()", "crashed"),
    "a system call that the kernel kills for": ("import os, signal; os.kill(os.getpid(), signal.SIGSYS)", "tampering"),
    "the CPU limit": ("import os, signal; os.kill(os.getpid(), signal.SIGXCPU)", "timed_out"),
    "input": ("input()", "raised"),
    "writing a file": ("import tempfile; tempfile.TemporaryFile().write(b'x' * 10**6)", "raised"),
    "many files": ("return [open('/dev/null') for _ in range(100)]", "raised"),
}


@pytest.mark.parametrize("case", MORE_ENDS)
def test_odd_ends_have_their_word(student, case):
    body, status = MORE_ENDS[case]
    assert student(f"X = 1\ndef f(x):\n    if True:\n        {body.strip()}").answer(Call("f", (X,))).status == status


def test_a_missing_function_is_missing(student):
    one = student("g = 3")
    assert one.answer(Call("f", ())).status == "missing"
    assert one.answer(Call("g", ())).status == "missing"


def test_the_evidence_of_a_crash_is_kept(student):
    one = student("import os\ndef f(): os.abort()\ndef g(): os._exit(3)")
    assert one.answer(Call("f", ())).error == "SIGABRT"
    assert one.answer(Call("g", ())).error == "exit code 3"


def test_an_exception_says_what_it_is_and_where_it_arose(student):
    one = student("", "class Mine(KeyError):\n    pass\n\ndef f(x):\n    y = x\n    raise Mine('gone')")
    outcome = one.answer(Call("f", (X,)))
    assert (outcome.error, outcome.message, outcome.where) == ("Mine", "'gone'", (1, 6))
    assert outcome.kinds == ("KeyError", "LookupError", "Exception", "BaseException")


def test_the_text_of_an_exception_is_cut(student):
    outcome = student("def f(): raise ValueError('x' * 10**7)").answer(Call("f", ()))
    assert (outcome.status, outcome.message) == ("raised", "x" * 2000)


def test_a_function_that_timed_out_twice_is_not_asked_again(student):
    one = student("def f(x):\n    while True: pass\ndef g(): return 1")
    first = [one.answer(Call("f", (number,))) for number in range(2)]
    third = one.answer(Call("f", (2,)))
    assert [outcome.status for outcome in (*first, third)] == ["timed_out"] * 3
    assert (first[1].seconds > 0, third.seconds) == (True, 0.0)
    assert one.answer(Call("g", ())).value == 1


@pytest.mark.parametrize("nonce", ["sys._getframe(3).f_locals['message'].nonce + 2", "0", "12345"])
def test_a_forged_reply_with_another_nonce_is_refused(student, nonce):
    forger = f"""
import os, sys
def f(x):
    frame = sys._getframe()
    while 'encode' not in frame.f_globals: frame = frame.f_back
    encode, Answer = frame.f_globals['encode'], frame.f_globals['Answer']
    while 'message' not in frame.f_locals: frame = frame.f_back
    message = frame.f_locals['message']
    body = encode(Answer({nonce.replace("sys._getframe(3).f_locals['message']", "message")}, 'answered', 42))
    os.write(3, len(body).to_bytes(4) + body)
    return x
"""
    assert student(forger).answer(Call("f", (X,))).status == "refused"


def test_bytes_that_nobody_asked_for_spoil_the_next_question(student):
    one = student("import os\ndef f(): return 1\nos.write(3, b'')",
                  "import threading\ndef late():\n    os.write(3, b'\\0\\0\\0\\1x')\n"
                  "def g():\n    threading.Timer(0.2, late).start()\n    return 2")
    assert one.answer(Call("g", ())).value == 2
    time.sleep(0.5)
    assert one.answer(Call("f", ())).status == "refused"


# --- arguments and answers ----------------------------------------------------------------------------------------

def test_arguments_are_fresh_writeable_contiguous_copies(student):
    one = student("def f(x, params):\n"
                  "    flags = [a.flags.writeable and a.flags.c_contiguous for a in (x, params['w'])]\n"
                  "    x[:] = 0; params['w'][:] = 0; params.clear()\n    return flags")
    call = Call("f", (X.T, {"w": X[::-1]}))
    assert one.answer(call).value == (True, True)
    assert one.answer(Call("f", call.args)).value == (True, True)
    assert X.sum() == 15


def test_what_a_call_changed_is_reported_by_path(student):
    one = student("def f(x, params):\n    x += 1\n    params['wq'][0, 0] = 9\n    del params['wo']\n"
                  "    params['new'] = 1\n    params['wk'] = params['wk'] * 1\n    raise ValueError")
    outcome = one.answer(Call("f", (X, dict.fromkeys(("wq", "wk", "wo"), X))))
    assert outcome.changed == ("0", "1.new", "1.wo", "1.wq")


def test_a_changed_shape_is_a_change(student):
    assert student("def f(x): x.shape = (3, 2)").answer(Call("f", (X,))).changed == ("0",)


def test_shared_memory_is_reported_by_paths(student):
    one = student("def f(x, y): return x[0], {'x': x, 'y': y.copy()}\ndef g(x): return x.T")
    assert one.answer(Call("f", (X, X))).shares == ("0~0", "1.x~0")
    assert one.answer(Call("g", (X,))).shares == ("~0",)


def test_an_answer_is_seen_as_plain_read_only_data(student):
    one = student("class Cache: pass\nclass Array(np.ndarray): pass\n"
                  "def f(): return [np.eye(2).view(Array), {'heads': np.int64(3), 'n': np.float32(2)}, Cache(), None]")
    eye, cache, other, nothing = one.answer(Call("f", ())).value
    assert type(eye) is np.ndarray
    assert not eye.flags.writeable
    assert (cache["heads"], type(cache["heads"])) == (3, int)
    assert (cache["n"].dtype, cache["n"].shape) == (np.float32, ())
    assert (other, nothing) == (Opaque("Cache"), None)


def test_the_same_call_is_asked_once(student):
    one = student("count = 0\ndef f():\n    global count\n    count += 1\n    return count")
    call = Call("f", ())
    assert [one.answer(call).value, one.answer(call).value, one.answer(Call("f", ())).value] == [1, 1, 2]


def test_what_is_printed_in_a_call_is_dropped(student):
    assert student("def f():\n    print('x' * 10**7)\n    return 1").answer(Call("f", ())).value == 1


# --- earlier answers ----------------------------------------------------------------------------------------------

CACHE = """
class Cache:
    def __init__(self, x): self.x = x
def forward(x): return x + 1, Cache(x)
def backward(cache, dy): return cache.x * dy
"""


def test_an_earlier_answer_reaches_a_later_call_whatever_it_is(student):
    forward = Call("forward", (X,))
    outcome = student(CACHE).answer(Call("backward", (Result(forward, 1), 2.0)))
    assert np.array_equal(outcome.value, 2 * X)


def test_an_earlier_answer_is_asked_again_after_a_restart(student):
    one = student(CACHE + "\nimport os\ndef leave(): os._exit(1)\ndef wrap(c): return {'in': c}\n"
                  "def unwrap(c, y): return c['in'].x + y[0]")
    forward = Call("forward", (X,))
    wrapped = Call("wrap", (Result(forward, 1),))
    assert one.answer(wrapped).status == "answered"
    assert one.answer(Call("leave", ())).status == "quit"
    outcome = one.answer(Call("unwrap", (Result(wrapped), Result(forward))))
    assert np.array_equal(outcome.value, 2 * X + 1)


def test_a_call_whose_earlier_answer_failed_gets_that_status(student):
    one = student("def forward(x): raise ValueError('no')\ndef backward(cache): return 1")
    outcome = one.answer(Call("backward", (Result(Call("forward", (X,)), 1),)))
    assert (outcome.status, outcome.error) == ("raised", "ValueError")
    assert "forward" in outcome.message


@pytest.mark.parametrize("answer", ["x", "(x,)", "None", "{'a': 1}"])
def test_a_part_that_the_earlier_answer_lacks_is_refused(student, answer):
    one = student(f"def forward(x): return {answer}\ndef backward(cache): return 1")
    assert one.answer(Call("backward", (Result(Call("forward", (X,)), 1),))).status == "refused"


def test_changes_in_an_earlier_answer_are_reported_and_stay(student):
    one = student("def forward(x): return x, {'attention': {'weights': x * 1}, 'k': 1}\n"
                  "def backward(cache):\n    cache['attention']['weights'] += 1\n    cache.pop('k', None)\n"
                  "    return cache['attention']['weights']")
    cache = Result(Call("forward", (X,)), 1)
    first, second = (one.answer(Call("backward", (cache,))) for _ in range(2))
    assert first.changed == ("0.attention.weights", "0.k")
    assert second.changed == ("0.attention.weights",)
    assert first.shares == ("~0.attention.weights",)
    assert np.array_equal(second.value, X + 2)


# --- stand-ins ----------------------------------------------------------------------------------------------------

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
    (Outcome("timed_out"), ("RuntimeError", "f gave no answer: timed_out"))])
def test_an_exception_of_a_stand_in_is_raised_in_the_students_process(student, outcome, seen):
    one = student("def outer():\n    try:\n        f()\n    except Exception as e:\n"
                  "        return type(e).__name__, str(e)", stand_ins={"f": lambda: outcome}, install=("f",))
    assert one.answer(Call("outer", ())).value == seen


def test_what_is_not_plain_raises_a_type_error_before_it_leaves(student):
    one = student("def outer(): return f([1, {'a': object()}])", stand_ins={"f": answered}, install=("f",))
    outcome = one.answer(Call("outer", ()))
    assert (outcome.status, outcome.error) == ("raised", "TypeError")


def test_a_name_that_the_judge_does_not_answer_is_refused(student):
    one = student("def cheat(f):\n    ask = [c.cell_contents for c in f.__closure__ if callable(c.cell_contents)][0]\n"
                  "    return ask('reference', [1])", stand_ins={"f": answered})
    assert one.answer(Call("cheat", (Proxy("f"),))).status == "refused"


def test_call_backs_are_counted():
    cell = Cell(0, "def outer(n):\n    for _ in range(n): f(1)\n    return n")
    with Sandbox(seconds=60) as box, box.open([cell], modules={}, prelude="", stand_ins={"f": answered},
                                              install=("f",)) as one:
        assert one.answer(Call("outer", (CALLBACK_CAP,))).status == "answered"
        assert one.answer(Call("outer", (CALLBACK_CAP + 1,))).status == "refused"


def test_a_stand_in_that_fails_is_our_fault_and_the_child_goes(student):
    def broken():
        raise ZeroDivisionError
    one = student("def outer(): return f()\ndef g(): return 1", stand_ins={"f": broken}, install=("f",))
    with pytest.raises(ZeroDivisionError):
        one.answer(Call("outer", ()))
    assert one.answer(Call("g", ())).value == 1


# --- cells that end the child -------------------------------------------------------------------------------------

CELL_ENDS = {"timed_out": "while True: pass", "crashed": "import ctypes; ctypes.string_at(0)",
             "quit": "import os; os._exit(0)", "refused": "import os; os.write(3, b'garbage')"}


@pytest.mark.parametrize("status", CELL_ENDS)
def test_a_cell_that_ends_the_child_keeps_its_definitions(student, status):
    one = student("a = 1", f"def f(): return a + b\nb = 2\n{CELL_ENDS[status]}\ndef g(): return 4", "c = 3")
    assert [report.status for report in one.reports] == ["ok", status, "ok"]
    assert one.answer(Call("f", ())).value == 3
    assert one.answer(Call("g", ())).value == 4
    assert templates(one) == ["Cell {cell} was started again for its definitions only: {reason}."]
    assert one.plan.cells == {1: How("definitions")}


def test_a_cell_whose_definitions_end_the_child_is_left_out(student):
    one = student("a = 1", "class Endless:\n    while True: pass", "def f(): return a")
    assert [report.status for report in one.reports] == ["ok", "timed_out", "ok"]
    assert one.answer(Call("f", ())).value == 1
    assert "left out" in templates(one)[-1]
    assert one.plan.cells == {1: How("left_out")}


def test_a_later_child_follows_the_plan(student):
    source = "import time\ndef f(): return 1\nx = 3\ny = time.sleep(0.6)\ntime.sleep(0.6)\nz = 4\n"
    first = student(source)
    assert first.reports[0].status == "timed_out"
    again = student(source, plan=first.plan)
    assert again.reports[0].status == "ok"
    assert again.answer(Call("f", ())).value == 1


def test_a_slow_cell_runs_for_its_definitions_only_in_later_children():
    source = "import time, os\ndef f(): return x, y\nx = 1\ny = None\ny = time.sleep(1.1)\nx += 1\n"
    with Sandbox(cell_seconds=5.0) as box:
        first = box.open([Cell(0, source)], modules={}, prelude="")
        assert first.answer(Call("f", ())).value == (2, None)
        assert first.plan.cells == {0: How("definitions", (4,), slow=True)}
        later = box.open([Cell(0, source)], modules={}, prelude="", plan=first.plan)
        assert later.answer(Call("f", ())).value == (1, None)
        assert "slow" in templates(later)[0]


def test_the_given_modules_win_over_the_students_files(student):
    one = student("import sys\nsys.path.insert(0, '/tmp')\nimport given\ndef f(x): return given.double(double(x))")
    assert one.answer(Call("f", (1,))).value == 4


def test_a_prelude_that_fails_is_our_fault(student):
    with pytest.raises(ZygoteLost, match="NameError"):
        student("", prelude="nothing")


def test_prints_of_100_mb_are_cut(student):
    one = student("for _ in range(1000):\n    print('x' * 100_000)\ndef f(): return 1")
    assert one.answer(Call("f", ())).value == 1
    assert 65_000 < len(one.reports[0].output) < 66_000
    assert one.reports[0].output.endswith("[...]")


def test_what_c_code_prints_is_swallowed(student):
    one = student("import os, ctypes\nos.write(1, b'loud')\nos.write(2, b'loud')\nprint('kept')")
    assert one.reports[0].output == "kept\n"


# --- what a child can reach ---------------------------------------------------------------------------------------

def test_nothing_of_the_judges_can_be_imported(student):
    one = student("import importlib\ndef f(name):\n    importlib.import_module(name)")
    for name in ("autograder.records", "autograder.lesson", "autograder.sandbox.student", "solutions.multihead",
                 "autograder.lessons.multihead.checks"):
        assert one.answer(Call("f", (name,))).error == "ModuleNotFoundError"


def test_the_environment_is_clean(student, monkeypatch):
    monkeypatch.setenv("SECRET", "x")
    value = student("import os\ndef f(): return dict(os.environ)").answer(Call("f", ())).value
    assert value["OPENBLAS_NUM_THREADS"] == value["OMP_NUM_THREADS"] == "1"
    assert not {"SECRET", "HOME", "PATH", "PYTHONPATH"} & set(value)


def test_only_the_channel_is_open(student):
    one = student("import os\ndef f(): return [fd for fd in range(64) if os.path.exists(f'/dev/fd/{fd}')]\n"
                  "def g():\n    open_fds = []\n    for fd in range(64):\n        try:\n            os.fstat(fd)\n"
                  "            open_fds.append(fd)\n        except OSError: pass\n    return open_fds")
    assert one.answer(Call("g", ())).value == (0, 1, 2, 3)


def test_random_numbers_are_the_same_in_every_child(student):
    source = "import random\ndef f(): return random.random(), float(np.random.random())"
    assert student(source).answer(Call("f", ())).value == student(source).answer(Call("f", ())).value


# --- processes ----------------------------------------------------------------------------------------------------

def running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except FileNotFoundError:
        return False


def gone(pid: int, seconds: float = 5.0) -> bool:
    deadline = time.monotonic() + seconds
    while running(pid) and time.monotonic() < deadline:
        time.sleep(0.01)
    return not running(pid)


def pid_of(student) -> int:
    return student.answer(Call("pid", ())).value


PID = "import os\ndef pid(): return os.getpid()\ndef parent(): return os.getppid()\n"


def test_nothing_runs_after_close(student):
    one = student(PID + "import atexit\natexit.register(print)")
    pid = pid_of(one)
    assert running(pid)
    one.close()
    assert gone(pid)


def test_what_a_child_started_goes_with_it(student):
    one = student(PID + "def fork():\n    pid = os.fork()\n    if pid == 0:\n        import time; time.sleep(60)\n"
                  "    return pid")
    started = one.answer(Call("fork", ())).value
    assert running(started)
    one.close()
    assert gone(started)


def test_closing_the_sandbox_ends_everything():
    with Sandbox() as box:
        one = box.open([Cell(0, PID)], modules={}, prelude="")
        pids = [pid_of(one), one.answer(Call("parent", ())).value]
        assert all(running(pid) for pid in pids)
    assert all(gone(pid) for pid in pids)


def test_a_lost_zygote_is_replaced():
    with Sandbox() as box:
        one = box.open([Cell(0, PID)], modules={}, prelude="")
        pid = pid_of(one)
        os.kill(one.answer(Call("parent", ())).value, signal.SIGKILL)
        assert gone(pid)
        again = Call("pid", ())
        with pytest.raises(ZygoteLost):
            one.answer(again)
        assert one.answer(again).status == "answered"
        other = box.open([Cell(0, PID)], modules={}, prelude="")
        assert pid_of(other) != pid


def test_two_students_of_one_sandbox_do_not_meet(student):
    first, second = student("x = 1\ndef f(): return x"), student("x = 2\ndef f(): return x\nimport os\n"
                                                                 "def leave(): os._exit(0)")
    assert (first.answer(Call("f", ())).value, second.answer(Call("f", ())).value) == (1, 2)
    assert second.answer(Call("leave", ())).status == "quit"
    assert first.answer(Call("f", ())).value == 1


def test_no_descriptor_is_left_open(student, sandbox):
    student("def f(): return 1").answer(Call("f", ()))
    gc.collect()
    before = len(os.listdir("/proc/self/fd"))
    for _ in range(5):
        one = student("import os\ndef f(): os._exit(0)")
        one.answer(Call("f", ()))
        one.close()
    assert len(os.listdir("/proc/self/fd")) == before


def test_an_unavailable_isolation_is_never_replaced_silently():
    for isolation in ("namespaces", "process", "nonsense"):
        with pytest.raises(ValueError, match="not available"):
            Sandbox(isolation=isolation)
    assert Sandbox(isolation="auto").isolation == "none"


def test_other_systems_are_told_what_to_do(monkeypatch):
    monkeypatch.setattr("sys.platform", "darwin")
    with pytest.raises(RuntimeError, match="container"):
        Sandbox()


def test_a_memory_limit_without_room_for_numpy_is_refused():
    with pytest.raises(ValueError, match="256"):
        Sandbox(memory_mb=100)
