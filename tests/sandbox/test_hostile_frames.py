"""Thousands of frames that a hostile child could send: each is refused or is an answer; the judge stays as it was."""
from __future__ import annotations

import gc
import random
import socket
import struct
import threading
import tracemalloc
from contextlib import suppress
from math import prod

import numpy as np
import pytest
from hypothesis import given, reject, settings
from hypothesis import strategies as st

from autograder.records import Outcome
from autograder.sandbox.allowance import Allowance
from autograder.sandbox.clock import Clock, Stint
from autograder.sandbox.conversation import Conversation
from autograder.sandbox.forkserver import Forked
from autograder.sandbox.questions import outcome_of
from autograder.sandbox.room import bytes_in
from autograder.sandbox.stand_ins import REACH, SMALL, Answering, reach
from autograder.sandbox.wire import wire
from autograder.sandbox.wire.messages import (
    Answer,
    Ask,
    CallBack,
    CallBackAnswer,
    Note,
    Ran,
    decode_from_worker,
    encode,
)
from autograder.sandbox.wire.wire import Handle, Proxy, Unplain, WireError

NONCE = 2**62 + 1


def patient() -> Stint:
    """A minute by the clock on the wall."""
    return Stint(Clock(-1), 20.0, Allowance())


X = np.arange(24.0).reshape(2, 3, 4)
VALID = [encode(message) for message in (
    Answer(NONCE, "answered", (X, {"x": X, "heads": 2, "cache": Unplain("Cache")}), ["0"], ["0~1"]),
    Answer(NONCE, "raised", error="ValueError", message="no", kinds=["ValueError"], where=(1, 2)),
    Answer(NONCE, "answered", Handle(1, 2)), Answer(NONCE, "answered", Proxy("f")),
    CallBack(NONCE, "f", [X, {"wq": X}, 2]), CallBack(NONCE, "f" * 5000, [Unplain("x"), (), {}, 1e300, -1, 2**64 - 1]),
    Ran(NONCE, "ok", "", "printed" * 100, [1, 2], [Note("stopped", "x")]))]
ABSURD = [b"\xcf" + b"\xff" * 8, b"\xd3\x80" + b"\0" * 7, b"\xcb\x7f\xf8" + b"\0" * 6, b"\xdd\xff\xff\xff\xff",
          b"\xdf\xff\xff\xff\xff", b"\xdb\xff\xff\xff\xff", b"\xc9\xff\xff\xff\xff\x01", b"\xc1", b"\xc0", b"\x80",
          b"\x90"]


def mutated(rng: random.Random) -> bytes:
    """A valid frame's body with something done to it."""
    body = bytearray(rng.choice(VALID))
    for _ in range(rng.randrange(1, 4)):
        at = rng.randrange(len(body) + 1)
        match rng.randrange(5):
            case 0:
                body[at:at + 1] = rng.randbytes(1)
            case 1:
                body = body[:at] or bytearray(b"\0")
            case 2:
                body[at:at + rng.randrange(9)] = rng.choice(ABSURD)
            case 3:
                body[at:at] = rng.choice(VALID)
            case 4:
                body[at:at + 8] = struct.pack(">Q", rng.choice([0, 1, 2**31, 2**63, 2**64 - 1]))
    return bytes(body)


def heard(sending: socket.socket, receiving: socket.socket, body: bytes) -> None:
    """What the judge does with one frame while a question is open."""
    sending.send(struct.pack(">I", len(body)) + body)
    stand_ins = Answering({"f": lambda *args: Outcome("answered", args)}, None)
    with suppress(WireError):
        message = decode_from_worker(wire.receive(receiving))
        if isinstance(message, Answer):
            outcome_of(message, 0.0)
        elif isinstance(message, CallBack):
            encode(stand_ins.answer(message))


@pytest.mark.slow
def test_memory_is_flat_over_ten_thousand_hostile_frames():
    rng, pair = random.Random(4), socket.socketpair()
    for _ in range(1000):
        heard(*pair, mutated(rng))
    gc.collect()
    tracemalloc.start()
    try:
        for _ in range(10_000):
            heard(*pair, mutated(rng))
        gc.collect()
        kept, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
        for end in pair:
            end.close()
    assert kept < 100_000
    assert most < 20_000_000


NUMBERS = st.integers(-2**63, 2**64 - 1) | st.floats() | st.booleans()
SHAPES = st.lists(st.integers(0, 3) | st.sampled_from([1000, 30_000]), max_size=6).filter(
    lambda shape: prod(max(length, 1) for length in shape) < 10**6)
ARRAYS = st.builds(np.zeros, SHAPES, st.sampled_from([np.int8, np.float64, np.complex128]))
ARGUMENTS = st.recursive(ARRAYS | NUMBERS | st.none() | st.text(max_size=5).filter(str.isascii),
                         lambda parts: st.lists(parts, max_size=4).map(tuple)
                         | st.dictionaries(st.sampled_from("abcd"), parts, max_size=4), max_leaves=8)


@given(st.lists(ARGUMENTS, max_size=4))
@settings(max_examples=400, deadline=None)
@pytest.mark.slow
def test_whatever_a_stand_in_is_called_with_is_sized_before_it_is_answered(args):
    """Products of what is answered here stay within bounds, whichever shapes meet."""
    try:
        frame = encode(CallBack(NONCE, "f", args))
    except WireError:                                   # more than a frame may hold never arrives
        reject()
    question = decode_from_worker(frame)
    size = reach(question.args)
    assert size >= 0
    if size > REACH or bytes_in(question.args) > SMALL:
        return
    arrays = [arg for arg in question.args if isinstance(arg, np.ndarray) and arg.ndim]
    for one in arrays:
        for other in arrays:
            with suppress(ValueError):
                shape = np.broadcast_shapes(one.shape, other.shape)
                assert np.prod(shape, dtype=float) <= size


@given(st.integers(-2**63, 2**63 - 1), st.sampled_from(VALID))
@settings(max_examples=200, deadline=None)
def test_only_the_nonce_that_was_asked_for_is_heard(nonce, body):
    ours, theirs = socket.socketpair()
    with ours, theirs:
        theirs.send(struct.pack(">I", len(body)) + body)
        conversation = object.__new__(Conversation)
        conversation._child, conversation._early = Forked(1, ours, -1), bytearray()
        if nonce == NONCE:
            return
        with pytest.raises(WireError, match="not asked"):
            conversation._exchange(encode(Ask(nonce, 1, "f", [])), nonce, patient(), None)


@pytest.mark.slow
def test_call_backs_without_end_are_refused():
    ours, theirs = socket.socketpair()
    body = encode(CallBack(NONCE, "f", []))
    frame = struct.pack(">I", len(body)) + body

    def speak():
        with suppress(OSError):
            while True:
                theirs.sendall(frame * 50)

    def listen():
        with suppress(OSError):
            while theirs.recv(2**16):
                pass
    threads = [threading.Thread(target=act) for act in (speak, listen)]
    with ours, theirs:
        for thread in threads:
            thread.start()
        conversation = object.__new__(Conversation)
        conversation._child, conversation._early = Forked(1, ours, -1), bytearray()
        with pytest.raises(WireError, match="more than 50000 call-backs"):
            conversation._exchange(encode(Ask(NONCE, 1, "f", [])), NONCE, patient(),
                                   lambda question: CallBackAnswer(question.nonce, "answered"))
        ours.shutdown(socket.SHUT_RDWR)
        for thread in threads:
            thread.join()
