"""Questions that are sent before their turn get the answers that they would get in their turn."""
from __future__ import annotations

import numpy as np
import pytest
from waiting import eventually

from autograder.records import Call, Result

COUNTS = """
calls = []
def f(x):
    calls.append(x)
    return len(calls)
def pair(x):
    if x is None:
        raise ValueError("nothing")
    return x, [x]
def back(cache):
    return calls.append("back") or cache[0]
def size(x):
    return x.size
"""


def of(name: str, *args: object) -> Call:
    return Call(name, args)


def test_each_gets_its_own_answer_in_the_order_that_was_told(unwalled) -> None:
    one, order = unwalled(COUNTS), [of("f", number) for number in range(40)]
    one.expect(order)
    assert [one.answer(call).value for call in order] == [*range(1, 41)]


def test_what_is_asked_otherwise_comes_after_what_was_sent(unwalled) -> None:
    one, order, other = unwalled(COUNTS), [of("f", number) for number in range(4)], of("f", "other")
    one.expect(order)
    assert [one.answer(call).value for call in (order[0], order[2], other, order[1], order[3])] == [1, 3, 5, 2, 4]


def test_nothing_goes_ahead_of_a_second_look(unwalled) -> None:
    one = unwalled("kept = [0]\ndef f(x):\n    kept[0] = x\n    return kept")
    order = [of("f", 1), None, of("f", 2), None, of("f", 3)]
    one.expect(order)
    same = []
    for call in order:
        if call is None:
            same.append(one.unchanged(order[0]))
        else:
            one.answer(call)
    assert same == [True, False]


def test_a_second_look_may_also_come_where_it_was_not_expected(unwalled) -> None:
    one, order = unwalled(COUNTS), [of("pair", number) for number in range(5)]
    one.expect(order)
    one.answer(order[0])
    assert one.unchanged(order[0])
    assert one.insides(Result(order[1], 1)) == [1]
    assert [one.answer(call).value[0] for call in order] == [0, 1, 2, 3, 4]


def test_one_that_needs_an_answer_waits_for_it_and_is_not_asked_without(unwalled) -> None:
    one, right, wrong = unwalled(COUNTS), of("pair", 7), of("pair", None)
    order = [wrong, of("back", Result(wrong, 1)), right, of("back", Result(right, 1)), of("f", 0)]
    one.expect(order)
    outcomes = [one.answer(call) for call in order]
    assert [outcome.status for outcome in outcomes] == ["raised", "raised", "answered", "answered", "answered"]
    assert outcomes[3].value == 7
    assert outcomes[4].value == 2                           # `back` was called once


def test_large_ones_are_sent_in_their_turn(unwalled) -> None:
    one = unwalled(COUNTS)
    order = [of("size", np.ones(size)) for size in (1, 10, 300_000, 2, 200_000, 100_000, 3)]
    one.expect(order)
    assert [one.answer(call).value for call in order] == [1, 10, 300_000, 2, 200_000, 100_000, 3]


@pytest.mark.parametrize(("ends", "status"), [("import os; os._exit(3)", "quit"), ("while True: pass", "timed_out")])
def test_only_the_one_that_ends_the_process_is_to_blame(hurried, ends: str, status: str) -> None:
    one, order = hurried(f"def f(x):\n    if x == 2:\n        {ends}\n    return x"), [of("f", x) for x in range(5)]
    one.expect(order)
    assert [one.answer(call).status for call in order] == ["answered", "answered", status, "answered", "answered"]

#: answers each question as soon as it is there, and takes none of them out of the socket
PEEKS = """
import os, socket, sys
def f(x):
    messages, frame, at = sys.modules["autograder.sandbox.wire.messages"], sys._getframe(), 0
    while "ask" not in frame.f_locals:
        frame = frame.f_back
    channel, nonce = socket.socket(fileno=os.dup(3)), frame.f_locals["ask"].nonce
    while True:
        body = messages.encode(messages.Answer(nonce, "answered", 1.0))
        os.write(3, len(body).to_bytes(4) + body)
        while True:
            seen = channel.recv(2**24, socket.MSG_PEEK)
            end = at + 4 + int.from_bytes(seen[at:at + 4])
            if at + 4 < end <= len(seen):
                break
        nonce, at = messages.decode_from_judge(seen[at + 4:end]).nonce, end
"""


def test_the_judge_does_not_wait_for_room_where_nothing_is_taken_out(hurried) -> None:
    one, order = hurried(PEEKS), [of("f", np.ones(4000)) for _ in range(16)]
    one.expect(order)
    statuses = []
    for call in order:
        statuses.append(one.answer(call).status)
        if statuses[-1] == "timed_out":                     # the socket was full, and that is on its account
            break
    assert statuses[0] == "answered"
    assert statuses[-1] == "timed_out"
    assert set(statuses[:-1]) == {"answered"}


BURNS = "import time\ndef burn(n):\n    end = time.process_time() + n\n    while time.process_time() < end: pass\n"


def test_what_is_computed_ahead_is_not_the_time_of_a_later_question(unwalled) -> None:
    one, order = unwalled(BURNS), [of("burn", 0.01 * number) for number in (0, 10, 11, 12)]
    before = one._child._clock.computed()
    one.expect(order)
    one.answer(order[0])
    eventually(lambda: one._child._clock.computed() >= before + 0.33)   # the judge is elsewhere, and all are answered
    assert max(one.answer(call).seconds for call in (*order[1:], of("burn", 0.02))) < 0.3
