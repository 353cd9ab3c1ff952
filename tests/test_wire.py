"""The wire: what goes in comes out, exactly; anything else is a WireError."""
from __future__ import annotations

import socket
import struct
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from autograder.sandbox.wire import wire
from autograder.sandbox.wire.messages import (
    Answer,
    Ask,
    CallBack,
    Ran,
    Run,
    decode_from_judge,
    decode_from_worker,
    encode,
    encode_value,
)
from autograder.sandbox.wire.wire import ClosedError, DeadlineError, Handle, Proxy, Unplain, WireError

DTYPES = ["bool", "int8", "int64", "uint64", "float16", "float32", "float64", "complex128"]


def over_the_wire(value):
    return decode_from_worker(encode(Answer(1, "answered", value))).value


def answer_with(value: bytes) -> bytes:
    """The frame of an Answer in which these bytes stand for the value."""
    return encode(Answer(1, "answered", msgspec.Raw(value)))


def array_frame(code: int, shape: tuple[int, ...], body: bytes, ndim: int | None = None) -> bytes:
    head = struct.pack(f">BB{len(shape)}Q", code, len(shape) if ndim is None else ndim, *shape)
    return answer_with(msgspec.msgpack.encode(msgspec.msgpack.Ext(1, head + body)))


@settings(deadline=None)
@given(st.sampled_from(DTYPES).flatmap(lambda dtype: arrays.arrays(dtype, arrays.array_shapes(min_dims=0, min_side=0))))
def test_arrays_keep_dtype_shape_and_bytes(array):
    back = over_the_wire(array)
    assert type(back) is np.ndarray
    assert (back.dtype, back.shape, back.tobytes()) == (array.dtype, array.shape, array.tobytes())


def test_arrays_come_out_read_only():
    back = over_the_wire(np.zeros(3))
    with pytest.raises(ValueError, match="read-only"):
        back[0] = 1


def test_memory_order_does_not_matter():
    array = np.arange(24).reshape(2, 3, 4).transpose(2, 0, 1)[:, ::-1]
    assert np.array_equal(over_the_wire(array), array)


PLAIN = st.recursive(st.none() | st.booleans() | st.integers(-2**63, 2**64 - 1) | st.floats(allow_nan=False)
                     | st.text(st.characters(exclude_categories=["Cs"])),
                     lambda parts: st.lists(parts).map(tuple)
                     | st.dictionaries(st.text(st.characters(exclude_categories=["Cs"])), parts), max_leaves=20)


@settings(deadline=None)
@given(PLAIN)
def test_plain_values_come_out_as_they_went_in(value):
    assert over_the_wire(value) == value


def test_marks_come_out_as_they_went_in():
    marks = (Handle(3, 1), Handle(4), Unplain("Cache"), Proxy("multihead"))
    assert over_the_wire(marks) == marks


def test_the_name_of_a_type_is_cut():
    assert len(over_the_wire(Unplain("x" * 10_000)).type) == 200


@pytest.mark.parametrize("value", [object(), 1j, 2**64, "\ud800", np.array([None]), np.array(["a"]),
                                   np.zeros((1,) * 9), b"bytes on their own stay bytes"])
def test_what_is_not_plain_does_not_come_through(value):
    with pytest.raises(WireError):
        over_the_wire(value)


def random_bytes(body):
    for decode in (decode_from_worker, decode_from_judge):
        with suppress(WireError):
            decode(body)


def random_bytes_as_a_value(body):
    with suppress(WireError):
        decode_from_worker(answer_with(body))


def random_arrays(code, shape, body, ndim):
    with suppress(WireError):
        decode_from_worker(array_frame(code, tuple(shape), body, ndim))


@pytest.mark.parametrize("examples", [200, pytest.param(1000, marks=pytest.mark.slow)])
@pytest.mark.parametrize(("decoded", "made"), [
    (random_bytes, [st.binary(max_size=200)]), (random_bytes_as_a_value, [st.binary(max_size=100)]),
    (random_arrays, [st.integers(0, 255), st.lists(st.integers(0, 2**64 - 1), max_size=9), st.binary(max_size=64),
                     st.integers(0, 255)])])
def test_random_input_raises_nothing_but_wire_errors(decoded, made, examples):
    settings(max_examples=examples, deadline=None)(given(*made)(decoded))()


@pytest.mark.parametrize(("code", "shape", "body"), [
    (99, (1,), b"12345678"), (11, (3,), b"12345678"), (11, (2**63, 2), b""), (11, (0, 2**63), b""),
    (11, (2**32, 2**32), b""), (0, (2,), b"\1\2")],
    ids=["unknown dtype", "too few bytes", "no bytes", "an absurd empty shape", "a shape whose product overflows",
         "truth values that are neither"])
def test_lying_arrays_are_refused(code, shape, body):
    with pytest.raises(WireError):
        decode_from_worker(array_frame(code, shape, body))


def test_a_time_stamp_is_not_plain_data():
    with pytest.raises(WireError):
        decode_from_worker(answer_with(b"\xd6\xff\0\0\0\1"))


def test_keys_other_than_names_are_refused():
    with pytest.raises(WireError):
        decode_from_worker(answer_with(b"\x81\x01\x02"))


def test_deep_nesting_is_refused():
    for depth in (1_000, 1_000_000):
        with pytest.raises(WireError):
            decode_from_worker(answer_with(b"\x91" * depth + b"\xc0"))


def test_a_crowd_of_empty_dicts_is_refused_before_it_is_decoded():
    with pytest.raises(WireError, match="more than"):
        decode_from_worker(answer_with(b"\xdd\x00\x0f\x42\x40" + b"\x80" * 1_000_000))


def test_a_large_array_is_no_crowd():
    value = {"x": np.zeros(2**20), "text": "y" * 2**18, "more": [1, 2.0, -3, 2**40, "z"]}
    back = over_the_wire(value)
    assert back["x"].shape == (2**20,)
    assert back["more"] == (1, 2.0, -3, 2**40, "z")


def test_a_message_of_the_other_side_is_refused():
    with pytest.raises(WireError):
        decode_from_worker(encode(Run(1, 0, "pass")))
    with pytest.raises(WireError):
        decode_from_judge(encode(Ran(1, "ok", "", "", [], [])))


def test_an_unknown_status_is_refused():
    with pytest.raises(WireError):
        decode_from_worker(encode(Answer(1, "tampering")))


def test_a_raw_value_can_be_sent_again_and_again():
    raw = msgspec.Raw(encode_value(np.arange(3)))
    for _ in range(2):
        ask = decode_from_judge(encode(Ask(1, 1, "f", [raw, Handle(2)])))
        assert np.array_equal(ask.args[0], [0, 1, 2])
        assert ask.args[1] == Handle(2)


def test_arguments_of_a_call_back_are_plain():
    assert decode_from_worker(encode(CallBack(1, "f", [[1, [2]]]))).args == ((1, (2,)),)


def test_a_body_over_the_cap_is_not_encoded():
    with pytest.raises(WireError, match="over the cap"):
        encode(Answer(1, "answered", np.zeros(wire.FRAME_CAP, dtype=np.uint8)))


# --- frames -------------------------------------------------------------------------------------------------------

@pytest.fixture
def pair():
    ours, theirs = socket.socketpair()
    with ours, theirs:
        yield ours, theirs


def soon() -> Callable[[], float]:
    """Patience for a twentieth of a second."""
    until = time.monotonic() + 0.05

    def patience() -> float:
        if time.monotonic() >= until:
            raise DeadlineError
        return until - time.monotonic()
    return patience


@pytest.fixture(params=["one frame", "what comes"])
def receive(request):
    """Both ways to receive: exactly one frame, or whatever is there."""
    return partial(wire.receive, early=None if request.param == "one frame" else bytearray())


def test_frames_keep_their_borders(pair, receive):
    for body in (b"one", b"", b"three"):
        wire.send(pair[0], body)
    assert [receive(pair[1]) for _ in range(3)] == [b"one", b"", b"three"]


def test_a_frame_larger_than_the_buffer_comes_through(pair, receive):
    body = bytes(4 * 2**20)
    sender = threading.Thread(target=wire.send, args=(pair[0], body))
    sender.start()
    assert receive(pair[1]) == body
    sender.join()


def test_the_cap_is_checked_before_the_body_is_read(pair, receive):
    pair[0].send(b"\xff\xff\xff\xff")
    with pytest.raises(WireError, match="over the cap"):
        receive(pair[1])


def test_the_deadline_covers_receiving(pair, receive):
    with pytest.raises(DeadlineError):
        receive(pair[1], soon())


def test_the_deadline_covers_a_reply_that_drips(pair, receive):
    pair[0].send(b"\0\0\0\x05ab")
    with pytest.raises(DeadlineError):
        receive(pair[1], soon())


def test_what_is_read_with_an_earlier_frame_is_not_lost(pair):
    early, large = bytearray(), bytes(range(256)) * 1000
    sender = threading.Thread(target=lambda: [wire.send(pair[0], body) for body in (b"one", large, b"", b"two")])
    sender.start()
    assert [wire.receive(pair[1], early=early) for _ in range(4)] == [b"one", large, b"", b"two"]
    sender.join()
    assert not early


def test_the_deadline_covers_sending(pair):
    with pytest.raises(DeadlineError):
        wire.send(pair[0], bytes(8 * 2**20), soon())


def test_a_closed_channel_is_told_apart(pair, receive):
    pair[0].send(b"\0\0\0\x05ab")
    pair[0].close()
    with pytest.raises(ClosedError):
        receive(pair[1])
    with pytest.raises(ClosedError):
        wire.send(pair[1], b"x")
