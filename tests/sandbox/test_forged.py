"""A student may forge any reply: it is a candidate answer at best."""
from __future__ import annotations

import pytest

from autograder.records import Call


@pytest.mark.parametrize("offset", [2, -2, 2**40])
def test_a_reply_with_another_nonce_is_refused(student, forger, offset):
    one = student(forger, f"def f(): forge({offset}, status='answered', value=42)")
    assert one.answer(Call("f", ())).status == "refused"


def test_a_reply_of_another_kind_is_refused(student, forger):
    one = student(forger, "def f(): forge(kind='Same', same=True)")
    assert one.answer(Call("f", ())).status == "refused"


def test_a_forged_answer_says_no_more_than_an_honest_one_could(student, forger):
    one = student(forger, "def f(): forge(status='raised', error='e' * 9999, message='m' * 9999,"
                          " kinds=['hidden inputs', 'ValueError'], changed=['c'] * 9999)")
    outcome = one.answer(Call("f", ()))
    assert (len(outcome.error), len(outcome.message), outcome.kinds) == (300, 2000, ("ValueError",))
    assert len(outcome.changed) == 100


def test_a_forged_answer_cannot_refer_to_other_answers(student, forger):
    one = student(forger, "def f(): forge(status='answered', "
                          "value=sys.modules['autograder.sandbox.wire.wire'].Handle(1))\ndef g(): return 1")
    assert one.answer(Call("f", ())).status == "refused"
    assert one.answer(Call("g", ())).value == 1
