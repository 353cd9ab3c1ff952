"""What goes into a call and what comes out of it."""
from __future__ import annotations

import numpy as np
import pytest

from autograder.records import Call, Opaque, Result

X = np.arange(6.0).reshape(2, 3)


def test_arguments_are_fresh_writeable_copies_that_lie_in_memory_as_they_did(student):
    one = student("def f(x, params):\n"
                  "    seen = [(a.flags.writeable, a.strides, a.copy()) for a in (x, *params.values())]\n"
                  "    x[:] = 0; params.clear()\n    return seen")
    wide = np.arange(24, dtype=np.int8).reshape(2, 3, 4)
    params = {"flipped": X[::-1], "sliced": wide[..., ::-2], "fortran": np.asfortranarray(wide), "plain": wide,
              "swapped": wide.astype(np.float32).swapaxes(0, 1)}
    call = Call("f", (X.T, params))
    for asked in (call, Call("f", call.args)):
        for (writeable, strides, seen), sent in zip(one.answer(asked).value, (X.T, *params.values()), strict=True):
            assert (writeable, strides) == (True, sent.strides)
            assert np.array_equal(seen, sent)
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


def test_answers_that_together_are_too_large_are_refused(student):
    one = student("def f(): return np.zeros(2**19)")
    words = [one.answer(call).status for call in [Call("f", ()) for _ in range(6)]]
    assert words == ["answered"] * 4 + ["refused"] * 2


def test_a_line_that_the_student_did_not_write_is_no_place(student):
    """What is compiled in a call can have any name and any number of lines, and so say any number."""
    numbers = [(0, 1), (12344, 1), (0, 999), (0, 10**9)]
    one = student(*[f"def f{index}(): exec(compile(chr(10) * {line} + 'raise ValueError', 'cell {cell}', 'exec'))"
                    for index, (line, cell) in enumerate(numbers)])
    assert [one.answer(Call(f"f{index}", ())).where for index in range(4)] == [(0, 1), None, None, None]
