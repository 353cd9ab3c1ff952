"""The wire between the judge and a student's process: length-prefixed msgspec messages, data only.

A frame is a u32 length (big-endian) and a msgpack body. Arrays travel as (dtype code, shape, bytes) and come out as
exact, read-only ndarrays; nothing is ever unpickled, compiled or looked up by a name that a frame brought along.
Whatever does not fit (a frame over the cap, a lying shape, an unknown code) is a WireError.
"""
from __future__ import annotations

import select
import socket
import struct
import time
from math import prod
from typing import Any

import msgspec
import numpy as np

FRAME_CAP = 32 * 2**20                    # bytes in one frame
MAX_NDIM = 8
_ARRAY, _HANDLE, _OPAQUE = 1, 2, 3        # msgpack extension codes
_DTYPES = ("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
           "float16", "float32", "float64", "complex64", "complex128")
_DTYPE = {code: np.dtype(name) for code, name in enumerate(_DTYPES)}
_CODE = {dtype: code for code, dtype in _DTYPE.items()}
_LENGTH = struct.Struct(">I")


class WireError(Exception):
    """What arrived is not a frame of ours."""


class ClosedError(WireError):
    """The other side has closed the channel."""


class DeadlineError(WireError):
    """The deadline passed while sending or receiving."""


class Handle(msgspec.Struct, frozen=True):
    """Names an answer that stays in the student's process: the number of its call, and a part of it (-1: all)."""

    call: int
    part: int = -1


class Unplain(msgspec.Struct, frozen=True):
    """Stands where a value is not plain data; only the name of its type travels."""

    type: str


# --- messages -----------------------------------------------------------------------------------------------------

class Run(msgspec.Struct, tag="run", array_like=True):
    """Judge -> worker: run this cell. `mode` is "all" or "definitions"; `skip` numbers statements to leave out."""

    nonce: int
    cell: int
    source: str
    mode: str = "all"
    skip: list[int] = []


class Ran(msgspec.Struct, tag="ran", array_like=True):
    """Worker -> judge: how the cell went. `slow` numbers its statements that took long; `notes` names repairs."""

    nonce: int
    status: str                           # "ok", "raised" or "out_of_memory"
    error: str
    output: str
    seconds: float
    slow: list[int]
    notes: list[str]


class Install(msgspec.Struct, tag="install", array_like=True):
    """Judge -> worker: from now on these names call back to the judge (stand-ins)."""

    nonce: int
    names: list[str]


class Installed(msgspec.Struct, tag="installed", array_like=True):
    """Worker -> judge: the stand-ins are in place."""

    nonce: int


class Ask(msgspec.Struct, tag="ask", array_like=True):
    """Judge -> worker: call this function. `call` numbers the answer, so that later calls can refer to it.

    An argument `Handle` refers to an earlier answer; `proxies` are arguments that call back to the judge by name.
    """

    nonce: int
    call: int
    function: str
    args: Any
    proxies: list[str] = []


class Answer(msgspec.Struct, tag="answer", array_like=True):
    """Worker -> judge: what the function returned, or how it failed."""

    nonce: int
    status: str                           # "answered", "raised", "missing" or "out_of_memory"
    value: Any
    changed: list[str]
    shares: list[str]
    error: str
    message: str


class CallBack(msgspec.Struct, tag="callback", array_like=True):
    """Worker -> judge, while a question is open: the student's code called a stand-in."""

    nonce: int
    name: str
    args: Any


class CallBackAnswer(msgspec.Struct, tag="callback-answer", array_like=True):
    """Judge -> worker: what the stand-in returned, or the exception it raised."""

    nonce: int
    status: str
    value: Any
    error: str
    message: str


FromJudge = Run | Install | Ask | CallBackAnswer
FromWorker = Ran | Installed | Answer | CallBack


# --- values -------------------------------------------------------------------------------------------------------

def _enc_hook(value: Any) -> msgspec.msgpack.Ext:
    if type(value) is np.ndarray:
        code = _CODE.get(value.dtype)
        if code is None or value.ndim > MAX_NDIM:
            raise WireError(f"an array of {value.dtype} with {value.ndim} axes cannot travel")
        head = struct.pack(f">BB{value.ndim}Q", code, value.ndim, *value.shape)
        return msgspec.msgpack.Ext(_ARRAY, head + np.ascontiguousarray(value).tobytes())
    if isinstance(value, Handle):
        return msgspec.msgpack.Ext(_HANDLE, struct.pack(">Ii", value.call, value.part))
    if isinstance(value, Unplain):
        return msgspec.msgpack.Ext(_OPAQUE, value.type.encode("utf-8", "replace")[:200])
    raise WireError(f"a {type(value).__name__} cannot travel")


def _ext_hook(code: int, data: memoryview) -> Any:
    if code == _ARRAY:
        return _decode_array(data)
    if code == _HANDLE and len(data) == 8:
        return Handle(*struct.unpack(">Ii", data))
    if code == _OPAQUE and len(data) <= 200:
        return Unplain(bytes(data).decode("utf-8", "replace"))
    raise WireError(f"unknown extension {code}")


def _decode_array(data: memoryview) -> np.ndarray:
    """An exact ndarray over its own bytes, read-only; WireError unless code, shape and length agree."""
    if len(data) < 2 or data[0] not in _DTYPE or data[1] > MAX_NDIM or len(data) < 2 + 8 * data[1]:
        raise WireError("an array without a valid head")
    dtype, ndim = _DTYPE[data[0]], data[1]
    shape = struct.unpack_from(f">{ndim}Q", data, 2)
    body = bytes(data[2 + 8 * ndim:])
    if prod(shape) * dtype.itemsize != len(body):
        raise WireError(f"an array of shape {shape} does not have {len(body)} bytes")
    return np.frombuffer(body, dtype=dtype).reshape(shape)


_encoder = msgspec.msgpack.Encoder(enc_hook=_enc_hook)
_from_judge = msgspec.msgpack.Decoder(FromJudge, ext_hook=_ext_hook)
_from_worker = msgspec.msgpack.Decoder(FromWorker, ext_hook=_ext_hook)


def encode(message: FromJudge | FromWorker) -> bytes:
    """The frame's body; WireError where a value is not plain data or the frame would be over the cap."""
    try:
        body = _encoder.encode(message)
    except (OverflowError, RecursionError, TypeError, UnicodeError, ValueError) as error:
        raise WireError(str(error)) from None
    if len(body) > FRAME_CAP:
        raise WireError(f"a frame of {len(body)} bytes is over the cap of {FRAME_CAP}")
    return body


def decode_from_worker(body: bytes) -> FromWorker:
    """A message of the worker's; WireError for anything else."""
    return _decode(_from_worker, body)


def decode_from_judge(body: bytes) -> FromJudge:
    """A message of the judge's; WireError for anything else."""
    return _decode(_from_judge, body)


def _decode(decoder: msgspec.msgpack.Decoder, body: bytes) -> Any:
    try:
        return decoder.decode(body)
    except (msgspec.MsgspecError, RecursionError, ValueError, OverflowError, UnicodeError) as error:
        raise WireError(str(error)) from None


# --- frames -------------------------------------------------------------------------------------------------------

def send(channel: socket.socket, body: bytes, deadline: float | None = None) -> None:
    """Send one frame before the deadline (of `time.monotonic`); DeadlineError or ClosedError otherwise."""
    view = memoryview(_LENGTH.pack(len(body)) + body)
    while view:
        _wait(channel, select.POLLOUT, deadline)
        try:
            view = view[channel.send(view, socket.MSG_DONTWAIT | socket.MSG_NOSIGNAL):]
        except BlockingIOError:
            continue
        except (BrokenPipeError, ConnectionResetError):
            raise ClosedError("the channel is closed") from None


def receive(channel: socket.socket, deadline: float | None = None, cap: int = FRAME_CAP) -> bytes:
    """The body of one frame; the cap is checked before anything is allocated for it."""
    (length,) = _LENGTH.unpack(_receive_exactly(channel, _LENGTH.size, deadline))
    if length > cap:
        raise WireError(f"a frame of {length} bytes is over the cap of {cap}")
    return _receive_exactly(channel, length, deadline)


def _receive_exactly(channel: socket.socket, size: int, deadline: float | None) -> bytes:
    parts: list[bytes] = []
    while size:
        _wait(channel, select.POLLIN, deadline)
        try:
            part = channel.recv(min(size, 2**20), socket.MSG_DONTWAIT)
        except BlockingIOError:
            continue
        except ConnectionResetError:
            part = b""
        if not part:
            raise ClosedError("the channel is closed")
        parts.append(part)
        size -= len(part)
    return b"".join(parts)


def _wait(channel: socket.socket, event: int, deadline: float | None) -> None:
    if deadline is None:
        remaining = None
    else:
        remaining = (deadline - time.monotonic()) * 1000
        if remaining <= 0:
            raise DeadlineError("the deadline passed")
    poll = select.poll()
    poll.register(channel, event)
    if not poll.poll(remaining):
        raise DeadlineError("the deadline passed")
