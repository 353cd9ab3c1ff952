"""One call: fresh arguments in, an Answer out, and functions of the judge's."""
from __future__ import annotations

import numpy as np
import pytest

from autograder.sandbox.wire.calling import fresh, perform, proxy
from autograder.sandbox.wire.messages import CallBackAnswer, encode
from autograder.sandbox.wire.wire import WireError

X = np.arange(6.0).reshape(2, 3)


def nothing_special(value):
    pytest.fail(f"{value!r} is plain")


def call(function, *args):
    return perform({"f": function}, "f", args, nothing_special)[1]


def test_fresh_arguments_are_writeable_disconnected_and_laid_out_as_they_were():
    frozen = np.asfortranarray(X)
    frozen.flags.writeable = False
    copy = fresh({"x": (frozen, 1)}, nothing_special)["x"][0]
    assert copy.flags.writeable
    assert copy.strides == frozen.strides
    assert not np.may_share_memory(copy, frozen)


@pytest.mark.parametrize("error", [SystemExit, KeyboardInterrupt, GeneratorExit, BaseException, RecursionError])
def test_every_exception_is_an_answer(error):
    def f():
        raise error("no")
    answer = call(f)
    assert (answer.status, answer.error, answer.message) == ("raised", error.__name__, "no")


def test_the_judges_own_process_lets_ctrl_c_through():
    def f():
        raise KeyboardInterrupt
    with pytest.raises(KeyboardInterrupt):
        perform({"f": f}, "f", (), nothing_special, caught=Exception)


def test_a_lone_surrogate_in_a_message_travels():
    def f():
        raise ValueError("\ud800")
    assert encode(call(f))


def test_an_exception_that_pretends_to_be_built_in_is_not_one():
    class ValueError(Exception):        # noqa: A001
        pass

    def f():
        raise ValueError
    assert call(f).kinds == ["Exception", "BaseException"]


def recording(calls, answer=None):
    def ask(name, args):
        calls.append((name, args))
        return answer or CallBackAnswer(0, "answered", None)
    return ask


def test_keyword_arguments_find_their_place_by_the_students_signature():
    calls = []

    def own(x, params, heads, allowed=None):
        pass
    proxy("f", recording(calls), own)(1, heads=3, params=2)
    proxy("f", recording(calls), own)(1, allowed=4, heads=3, params=2)
    proxy("f", recording(calls))(1, b=2, c=3)
    assert [args for _, args in calls] == [[1, 2, 3], [1, 2, 3, 4], [1, 2, 3]]


def test_a_wrong_keyword_is_a_type_error():
    with pytest.raises(TypeError):
        proxy("f", recording([]), lambda x: x)(y=1)


def test_numpy_numbers_travel_as_numbers():
    calls = []
    proxy("f", recording(calls))(np.int64(3), np.float64(0.5), np.bool_(True), X)
    assert [type(arg) for arg in calls[0][1]] == [int, float, bool, np.ndarray]


def test_what_is_not_plain_is_a_type_error_with_its_name():
    with pytest.raises(TypeError, match="set"):
        proxy("f", recording([]))({"a": [{1}]})


def test_a_worker_that_cannot_say_it_says_refused():
    with pytest.raises(WireError):
        encode(call(lambda: np.zeros(2**23)))


def test_objects_that_lie_about_what_they_are_do_no_harm():
    class Liar:
        __class__ = np.ndarray

    class Trap(dict):
        def __len__(self):
            raise ValueError

    def put_in(params):
        params["liar"] = Liar()
        params["trap"] = Trap(a=1)
        return [Liar(), Trap(b=2)]
    answer = call(put_in, {"w": X})
    assert (answer.status, answer.changed, answer.shares) == ("answered", ["0.w"], [])
    assert encode(answer)
