"""What one submission may use: one account over all its processes, and nothing in it without a bound."""
from __future__ import annotations

import itertools
import time

import numpy as np
import pytest

from autograder.judge.worlds import AskIn, attempt
from autograder.lessons.kit.compare import NotPlain, as_array
from autograder.lessons.kit.lesson import Wrong, check
from autograder.lessons.kit.quoting import CHARACTERS
from autograder.records import Call, Proxy, Result, text
from autograder.sandbox.allowance import Allowance, UsedUp, for_everybody, go_on
from autograder.sandbox.plan import MORE, NOTICES_CAP, TOO_MANY_WORDS
from autograder.sandbox.room import bytes_in
from autograder.sandbox.stand_ins import REACH, reach
from autograder.sandbox.wire.insides import MOST_INSIDE
from autograder.sandbox.wire.messages import (
    CUT,
    PATH_CAP,
    TEXTS_CAP,
    Answer,
    Run,
    decode_from_judge,
    decode_from_worker,
    encode,
)
from autograder.sandbox.wire.wire import WireError


@pytest.mark.parametrize("value", ["x" * (TEXTS_CAP + 1), {"k" * (TEXTS_CAP + 1): 1},
                                   tuple("x" * 2000 for _ in range(TEXTS_CAP // 1000))], ids=["text", "key", "many"])
def test_texts_beyond_their_cap_are_refused_before_they_are_decoded(value):
    with pytest.raises(WireError, match="texts"):
        decode_from_worker(encode(Answer(1, "answered", value)))


def test_a_long_source_travels_to_the_student_all_the_same():
    source = "#" * (2 * TEXTS_CAP)
    assert decode_from_judge(encode(Run(1, 0, source))).source == source


def test_an_array_is_no_text():
    answer = decode_from_worker(encode(Answer(1, "answered", np.zeros(TEXTS_CAP))))
    assert answer.value.nbytes == 8 * TEXTS_CAP


def test_texts_and_keys_weigh_what_they_take():
    assert bytes_in("x" * 1000) > 1000
    assert bytes_in("x" * 1000 + "\U0001F600") > 4000
    assert bytes_in({"k" * 1000: None}) > 1000
    assert bytes_in(((((),),),)) > bytes_in(())
    assert bytes_in(np.zeros(1000)) > 8000
    assert bytes_in(np.zeros(1000, np.int8)) > 8000           # whoever compares it makes floats of it


@pytest.mark.parametrize("shape", [(3,), (1, 11_000), (2, 3, 4), (1, 1, 9000, 1)])
def test_nested_tuples_reach_as_far_as_the_array_that_they_become(shape):
    nested = np.zeros(shape).tolist()
    for value in (nested, eval(str(nested).replace("[", "(").replace("]", ",)"))):
        assert reach(({"wo": value}, 2)) == reach(({"wo": np.zeros(shape)}, 2))


@pytest.mark.parametrize("value", [((1, 2), (3,)), ("text",), "text", ((), ()), [np.zeros(2), np.zeros(3)]], ids=repr)
def test_what_no_array_of_numbers_can_be_made_of_is_never_small(value):
    assert reach((value,)) > REACH


def test_all_processes_of_a_submission_have_one_account(student):
    allowance = Allowance(room=20_000)
    source = "import numpy as np\ndef f(): return np.zeros(1000)\ndef g(): return 'x' * 9000\n"
    first, second = student(source, allowance=allowance), student(source, allowance=allowance)
    assert [first.answer(Call(name, ())).status for name in "fg"] == ["answered", "answered"]
    refused = second.answer(Call("f", ()))
    assert (refused.status, refused.error) == ("refused", "its answers together are too large to be kept")


@pytest.mark.parametrize("megabytes", [pytest.param(8, marks=pytest.mark.slow), 24], ids="{} MB".format)
def test_a_large_array_of_an_answer_makes_way_and_can_still_be_handed_back(student, megabytes):
    """A cache with the Jacobian of a softmax in it takes 10 MB; only the student's own backward reads that."""
    allowance = Allowance()
    one = student("import numpy as np\n"
                  f"def f(n): return n, {{'x': np.ones(3), 'jacobian': np.ones({megabytes} * 2**17)}}"
                  "\ndef g(cache): return cache['jacobian'].size", allowance=allowance)
    for n in range(3):
        answered = one.answer(Call("f", (n,)))
        assert answered.status == "answered"
        assert answered.value[1]["x"].tolist() == [1, 1, 1]
        assert one.answer(Call("g", (Result(Call("f", (n,)), 1),))).value == megabytes * 2**17
    assert allowance.room > Allowance.room - 10_000
    with pytest.raises(NotPlain) as odd:
        as_array(answered.value[1]["jacobian"], "jacobian")
    assert "more than 1 MB" in odd.value.why.template


def test_a_process_that_closes_its_channel_and_goes_on_pays_for_the_wait(student, monkeypatch):
    monkeypatch.setattr("autograder.sandbox.conversation.END_SECONDS", 0.5)
    allowance = Allowance(0.8)
    one = student("import os\ndef f():\n    os.close(3)\n    while True: pass", allowance=allowance)
    ends = [one.answer(Call("f", ())).status for _ in range(40)]    # beside other work each wait costs it less
    assert ends[0] == "quit"
    assert ends[-1] == "timed_out"


BURN = "import os, time\ndef burn(n):\n    while time.process_time() < n: pass\n"


def test_what_a_process_did_after_it_closed_its_channel_is_on_the_account(student):
    allowance = Allowance(100.0)
    one = student(BURN + "def f():\n    os.close(3)\n    burn(0.3)\n    os._exit(0)", allowance=allowance)
    assert one.answer(Call("f", ())).status == "quit"
    assert allowance.seconds < 99.7


def test_what_a_process_did_between_two_questions_is_on_the_account(student):
    """The bill comes when it has ended, whoever hears of it."""
    allowance = Allowance(100.0)
    one = student(BURN + "def f(): burn(0.3)", allowance=allowance)
    server = one._child._server
    assert one.answer(Call("f", ())).status == "answered"
    charged, one._child._charged = one._child._charged, 0.0
    before = allowance.seconds
    one.close()
    for _ in range(600):
        if before - allowance.seconds < charged:            # or the thread that makes the next process hears of it
            with server._lock:
                server._read(time.monotonic() + 0.1)
    assert before - allowance.seconds >= charged > 0.25


def test_judging_goes_on_for_a_while_when_the_account_is_used_up_and_then_ends(monkeypatch):
    monkeypatch.setattr("autograder.sandbox.allowance.REST", 0.05)
    with Allowance(0.0).judging():
        go_on()                                 # what was answered in time may still be compared
        with pytest.raises(UsedUp):
            _judge_without_end()
        with for_everybody():
            go_on()
    go_on()


def _judge_without_end():
    while True:
        go_on()


def test_what_is_done_for_everybody_is_on_nobodys_account():
    allowance = Allowance(100.0)
    until = time.thread_time() + 0.1
    with for_everybody(), for_everybody():
        while time.thread_time() < until:
            pass
        assert allowance.seconds > 99.99
    assert allowance.seconds > 99.99
    until = time.thread_time() + 0.1
    while time.thread_time() < until:
        pass
    assert allowance.seconds < 99.91


def test_a_student_whose_account_is_used_up_is_not_heard_again(student, monkeypatch):
    monkeypatch.setattr("autograder.sandbox.allowance.REST", -1.0)
    allowance = Allowance(100.0)
    one, call = student("def f(): return 1", allowance=allowance), Call("f", ())
    assert one.answer(call).status == "answered"
    allowance.charge(1000.0)
    assert one.answer(call).status == "timed_out"


def test_what_the_judge_does_to_ask_is_on_the_account(student, monkeypatch):
    allowance, ticks = Allowance(100.0), itertools.count()
    one = student("def f(): return 1", allowance=allowance)
    monkeypatch.setattr("autograder.sandbox.clock.time.thread_time", lambda: float(next(ticks)))
    before = allowance.seconds
    assert one.answer(Call("f", ())).status == "answered"
    assert before - allowance.seconds >= 1


def test_what_a_test_returns_is_not_kept(student):
    allowance = Allowance(room=20_000)
    one = student("import numpy as np\ndef own_test(f): return np.zeros(10_000)", allowance=allowance)
    outcome = one.answer(Call("own_test", (Proxy("f"),)))
    assert (outcome.status, outcome.value, allowance.room) == ("answered", None, 20_000)


def test_what_many_cells_print_together_is_cut_and_said_to_be(student):
    one = student(*["print('p' * 600)\nraise ValueError('q' * 200)"] * 20, allowance=Allowance(words=5000))
    outputs = [report.output for report in one.reports]
    assert len("".join(outputs)) < 6000
    assert outputs[0] == "p" * 600 + "\n"
    assert outputs[-1] == CUT
    assert {report.status for report in one.reports} == {"raised"}
    assert one.notices.count(TOO_MANY_WORDS) == 1


def test_notices_about_cells_have_an_end(student):
    one = student(*["raise ValueError\ndef f(): return 1"] * (NOTICES_CAP + 20))
    assert (len(one.notices), one.notices[-1]) == (NOTICES_CAP + 1, MORE)


def test_the_path_of_what_a_call_changed_is_short_whatever_its_key(student):
    one = student("def f(params): params['k' * 500_000] = 1")
    (path,) = one.answer(Call("f", ({"wq": 1},))).changed
    assert (len(path), path[:3], path[-1]) == (PATH_CAP + 1, "0.k", "…")


def test_a_message_quotes_little():
    @check(text("title"), "1")
    def long(ask):
        raise Wrong(text("{kind} in {where}", kind="k" * 10**6, where=text("at {key}", key="w" * 10**6)))
    why = attempt(long, AskIn("own", None, None)).why
    assert why.values["kind"] == "k" * CHARACTERS + "…"
    assert why.values["where"].values["key"] == "w" * CHARACTERS + "…"


def test_more_numbers_inside_an_answer_than_a_worker_tells_are_none(student, forger):
    one = student("def f(): return {1: 1.5}", forger + f"""
worker = sys.modules['autograder.sandbox.inside.worker']
def looked(self, look):
    return worker.Looked(look.nonce, list(range({MOST_INSIDE + 1})))
worker.Worker._looked = looked
""")
    assert one.insides(Result(Call("f", ()))) == []
