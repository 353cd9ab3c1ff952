"""Every end of a call has its word, and the next call is answered all the same."""
from __future__ import annotations

import sys
from select import select

import numpy as np
import pytest
from waiting import HANGS

from autograder.records import Call

X = np.arange(6.0).reshape(2, 3)


ENDS = {
    "answered": "return x + 1",
    "raised": "raise ValueError('no')",
    "timed_out": "while True: pass",
    "out_of_memory": "return np.zeros(10**12)",
    "crashed": "import ctypes; ctypes.string_at(0)",
    "quit": "import os; os._exit(0)",
    "refused": "import os; os.write(3, b'garbage'); return x",
}


def opener(request, status, body=""):
    """Only what is meant to hang gets little time, so that a busy machine changes nothing."""
    if "os.kill" in body:                 # stands for what the kernel does; behind a wall it is denied
        return request.getfixturevalue("unwalled")
    return request.getfixturevalue("hurried" if status == "timed_out" else "student")


@pytest.mark.parametrize("status", ENDS)
def test_every_end_of_a_call_has_its_word_and_the_next_call_is_answered(request, status):
    one = opener(request, status)(f"def f(x):\n    {ENDS[status]}\ndef g(x):\n    return x")
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
    "an answer over the cap": ("return np.zeros(2**23)", "refused"),
    "a closed channel": ("import os; os.close(3)", "quit"),
    "a large frame that never comes": ("import os; os.write(3, b'\\xff\\xff\\xff\\xff')", "refused"),
    "a pickle": ("import os, pickle; p = pickle.dumps(X); os.write(3, len(p).to_bytes(4) + p)", "refused"),
    "killed": ("import os; os.kill(os.getpid(), 9)", "crashed"),
    "abort": ("import os; os.abort()", "crashed"),
    "a system call that the kernel kills for": ("import os, signal; os.kill(os.getpid(), signal.SIGSYS)", "tampering"),
    "the CPU limit": ("import os, signal; os.kill(os.getpid(), signal.SIGXCPU)", "timed_out"),
    "input": ("input()", "raised"),
    "writing a file": ("import tempfile; tempfile.TemporaryFile().write(b'x' * 10**6)", "raised"),
    "many files": ("return [open('/dev/null') for _ in range(100)]", "raised"),
}


@pytest.mark.parametrize("case", MORE_ENDS)
def test_odd_ends_have_their_word(request, case):
    body, status = MORE_ENDS[case]
    one = opener(request, status, body)(f"X = 1\ndef f(x):\n    if True:\n        {body.strip()}")
    assert one.answer(Call("f", (X,))).status == status


def test_recursion_in_c_without_a_limit_costs_its_own_call_alone(student):
    """Python 3.11 runs into the end of the stack; later ones count calls in C too, and raise before it."""
    one = student("import sys\ndef f(x):\n    sys.setrecursionlimit(10**9)\n    return list(map(f, [x]))\n"
                  "def g(x):\n    return x")
    assert one.answer(Call("f", (X,))).status == ("crashed" if sys.version_info < (3, 12) else "raised")
    assert one.answer(Call("g", (X,))).status == "answered"


def test_a_missing_function_is_missing(student):
    one = student("g = 3")
    assert one.answer(Call("f", ())).status == "missing"
    assert one.answer(Call("g", ())).status == "missing"


def test_the_evidence_of_a_crash_is_kept(unwalled):
    one = unwalled("import os\ndef f(): os.abort()\ndef g(): os._exit(3)")
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


def test_a_function_that_timed_out_twice_is_not_asked_again(hurried):
    one = hurried("def f(x):\n    while True: pass\ndef g(): return 1")
    first = [one.answer(Call("f", (number,))) for number in range(2)]
    third = one.answer(Call("f", (2,)))
    assert [outcome.status for outcome in (*first, third)] == ["timed_out"] * 3
    assert (first[1].seconds > 0, third.seconds) == (True, 0.0)
    assert one.answer(Call("g", ())).value == 1


def test_bytes_that_nobody_asked_for_spoil_the_next_question(student):
    one = student("import os, signal\ndef f(): return 1\ndef late(*_):\n    os.write(3, b'\\0\\0\\0\\1x')\n"
                  "signal.signal(signal.SIGALRM, late)\n"
                  "def g():\n    signal.setitimer(signal.ITIMER_REAL, 0.2)\n    return 2")
    assert one.answer(Call("g", ())).value == 2
    select([one._child._child.channel], [], [], HANGS)           # until they are there
    assert one.answer(Call("f", ())).status == "refused"
