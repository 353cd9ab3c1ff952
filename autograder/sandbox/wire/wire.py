"""The wire between the judge and a student's process: length-prefixed frames of msgpack, data only.

A frame is a u32 length (big-endian) and a body. Arrays travel as (dtype code, shape, bytes) and come out as exact,
read-only ndarrays; nothing is ever unpickled, compiled or looked up by a name from a frame. Anything that does not fit
(a frame over the cap, a wrong shape, an unknown code) is a WireError.
"""

import select
import socket
import struct
from collections.abc import Callable
from math import prod
from typing import Any

import msgspec
import numpy as np

FRAME_CAP = 16 * 2**20                    # bytes in one frame
MAX_NDIM = 8
MAX_DEPTH = 64                            # dicts and tuples inside each other
ARGUMENT = "argument "                    # before the name of a function that is given as an argument
_ARRAY, _HANDLE, _UNPLAIN, _PROXY, _LAID = 1, 2, 3, 4, 5                            # msgpack extension codes
_DTYPES = ("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
           "float16", "float32", "float64", "complex64", "complex128")
_DTYPE = {code: np.dtype(name) for code, name in enumerate(_DTYPES)}
_CODE = {dtype: code for code, dtype in _DTYPE.items()}
_LENGTH = struct.Struct(">I")
_HEAD = [struct.Struct(f">BB{ndim}Q") for ndim in range(MAX_NDIM + 1)]    # an array's code, number of axes, shape
_COPIED_TWICE = 4096                      # bytes of an array of which a second copy takes less than what avoids it
_NAME_CAP = 200                           # bytes in the name of a type or a stand-in


#: the body of a frame, as it is sent or as it was received
Frame = bytes | bytearray


class WireError(Exception):
    """What arrived is not a frame of ours, or what is to be sent does not fit into one."""


class ClosedError(WireError):
    """The other side closed the channel."""


class DeadlineError(WireError):
    """There was no time left while sending or receiving."""


class _Mark:
    """Represents something that does not travel in a message. (A Struct or dataclass would travel as a dict.)"""

    __slots__ = ()

    def _parts(self) -> tuple[Any, ...]:
        return tuple(getattr(self, name) for name in self.__slots__)

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and other._parts() == self._parts()

    def __hash__(self) -> int:
        return hash(self._parts())

    def __repr__(self) -> str:
        return f"{type(self).__name__}{self._parts()}"


class Handle(_Mark):
    """Names an answer that stays in the student's process: the number of its call, and a part of it (-1: all)."""

    __slots__ = ("call", "part")

    def __init__(self, call: int, part: int = -1):
        self.call, self.part = call, part


class Unplain(_Mark):
    """Represents a value that is not plain data; only the name of its type travels."""

    __slots__ = ("type",)

    def __init__(self, type: str):
        self.type = type


class Proxy(_Mark):
    """Represents a function of the judge's: in the student's process, calling it calls back by this name."""

    __slots__ = ("name",)

    def __init__(self, name: str):
        self.name = name


class Laid(_Mark):
    """An array that keeps its layout on the way to the student's process: Fortran order, the steps of a slice."""

    __slots__ = ("array",)

    def __init__(self, array: np.ndarray):
        self.array = array


# --- values -------------------------------------------------------------------------------------------------------

def travels(dtype: np.dtype, ndim: int) -> bool:
    """Whether an array of this kind fits the wire."""
    return dtype in _CODE and ndim <= MAX_NDIM


def enc_hook(value: Any) -> msgspec.msgpack.Ext:
    """Encode for msgspec what msgpack does not know; WireError for anything that is not plain data."""
    if type(value) is np.ndarray:
        if not travels(value.dtype, value.ndim):
            raise WireError(f"an array of {value.dtype} with {value.ndim} axes cannot travel")
        if value.nbytes > FRAME_CAP:          # before anything is copied
            raise WireError(f"an array of {value.nbytes} bytes is over the cap of {FRAME_CAP}")
        head = _HEAD[value.ndim].pack(_CODE[value.dtype], value.ndim, *value.shape)
        copied_once = value.nbytes > _COPIED_TWICE and value.flags.c_contiguous
        return msgspec.msgpack.Ext(_ARRAY, b"".join((head, value.data)) if copied_once else head + value.tobytes())
    if type(value) is Laid:
        steps = struct.pack(f">B{value.array.ndim}q", value.array.ndim, *value.array.strides)
        return msgspec.msgpack.Ext(_LAID, steps + enc_hook(value.array).data)
    if type(value) is Handle:
        return msgspec.msgpack.Ext(_HANDLE, struct.pack(">Ii", value.call, value.part))
    if type(value) is Unplain:
        return msgspec.msgpack.Ext(_UNPLAIN, _name(value.type))
    if type(value) is Proxy:
        return msgspec.msgpack.Ext(_PROXY, _name(value.name))
    raise WireError(f"a {type(value).__name__} cannot travel")


def _name(text: str) -> bytes:
    return text.encode("utf-8", "replace")[:_NAME_CAP]


def ext_hook(code: int, data: memoryview) -> Any:
    """Decode what `enc_hook` wrote."""
    if code == _ARRAY:
        return _array(data)
    if code == _HANDLE and len(data) == 8:
        return Handle(*struct.unpack(">Ii", data))
    if code in (_UNPLAIN, _PROXY) and len(data) <= _NAME_CAP:
        name = bytes(data).decode("utf-8", "replace")
        return Unplain(name) if code == _UNPLAIN else Proxy(name)
    raise WireError(f"unknown extension {code}")


def ext_hook_of_judge(code: int, data: memoryview) -> Any:
    """The same for what the judge wrote, whose arrays may be laid out in any way."""
    if code != _LAID:
        return ext_hook(code, data)
    ndim = data[0]
    return laid_out(_array(data[1 + 8 * ndim:]), struct.unpack_from(f">{ndim}q", data, 1))


def laid_out(array: np.ndarray, strides: tuple[int, ...]) -> np.ndarray:
    """A copy of the array with these steps in memory from one number to the next, along each axis."""
    reach = [(length - 1) * step for length, step in zip(array.shape, strides, strict=True)]
    first = -sum(step for step in reach if step < 0)
    memory = np.zeros(first + sum(step for step in reach if step > 0) + array.itemsize, dtype=np.uint8)
    made = np.ndarray(array.shape, array.dtype, memory, first, strides)
    made[...] = array
    return made


def _array(data: memoryview) -> np.ndarray:
    """An exact ndarray over its own bytes, read-only; WireError unless code, shape and length agree."""
    if len(data) < 2 or data[0] not in _DTYPE or data[1] > MAX_NDIM or len(data) < 2 + 8 * data[1]:
        raise WireError("an array without a valid head")
    dtype, ndim = _DTYPE[data[0]], data[1]
    shape = _HEAD[ndim].unpack_from(data)[2:]
    body = bytes(data[2 + 8 * ndim:])
    if prod(shape) * dtype.itemsize != len(body):
        raise WireError(f"an array of shape {shape} does not have {len(body)} bytes")
    if dtype.kind == "b" and body.strip(b"\0\1"):
        raise WireError("an array of truth values with something else in it")
    return np.ndarray(shape, dtype, body)


def plain_value(value: Any, depth: int = 0) -> Any:
    """A decoded value with lists as tuples; WireError if it holds anything but plain data and our own marks."""
    if type(value) in _LEAVES:
        return value
    if depth == MAX_DEPTH:
        raise WireError("too many dicts and tuples inside each other")
    if type(value) is list:
        return tuple([part if type(part) in _LEAVES else plain_value(part, depth + 1) for part in value])
    if type(value) is dict:
        if not all(type(key) is str for key in value):
            raise WireError("a dict whose keys are not names")
        return {key: part if type(part) in _LEAVES else plain_value(part, depth + 1) for key, part in value.items()}
    raise WireError(f"a {type(value).__name__} is not plain data")


_LEAVES = {type(None), bool, int, float, str, np.ndarray, Handle, Unplain, Proxy}


# --- frames -------------------------------------------------------------------------------------------------------

_AT_ONCE = int(socket.MSG_DONTWAIT)
_EARLY = 2**16                            # bytes that are read at once, where later frames may come with them
#: says how many seconds to wait before it is asked again, and raises DeadlineError where there are none left
Patience = Callable[[], float]


def send(channel: socket.socket, body: bytes | memoryview, patience: Patience | None = None) -> None:
    """Send one frame, or the rest of one, while there is patience; DeadlineError or ClosedError otherwise."""
    if patience is not None:
        patience()
    while body := send_what_fits(channel, body):
        _wait(channel, select.POLLOUT, patience)


def send_what_fits(channel: socket.socket, body: bytes | memoryview) -> memoryview:
    """Send as much of a frame, or of the rest of one, as needs no waiting; returns the rest."""
    rest = body if isinstance(body, memoryview) else memoryview(_LENGTH.pack(len(body)) + body)
    try:
        while rest:                       # adding flags raises where a student spoiled isinstance: that must end here
            rest = rest[channel.send(rest, socket.MSG_DONTWAIT | socket.MSG_NOSIGNAL):]
    except BlockingIOError:
        pass
    except (BrokenPipeError, ConnectionResetError):
        raise ClosedError("the channel is closed") from None
    return rest


def receive(channel: socket.socket, patience: Patience | None = None, cap: int = FRAME_CAP,
            early: bytearray | None = None) -> Frame:
    """The body of one frame; the cap is checked before anything is allocated for it.

    With `early`, which must be the same each time, more may be read at once: it holds what belongs to later frames.
    """
    if early is None:
        return _receive_exactly(channel, _size(_receive_exactly(channel, _LENGTH.size, patience), cap), patience)
    while len(early) < _LENGTH.size:
        early += _some(channel, _EARLY, patience)
        if patience is not None and len(early) < _LENGTH.size:
            patience()                    # what drips may always be there already
    end = _LENGTH.size + _size(early, cap)
    body = bytes(early[_LENGTH.size:end])
    if end <= len(early):
        del early[:end]
        return body
    rest = _receive_exactly(channel, end - len(early), patience)
    early.clear()
    return body + rest


def _size(header: Frame, cap: int) -> int:
    (length,) = _LENGTH.unpack_from(header)
    if length > cap:
        raise WireError(f"a frame of {length} bytes is over the cap of {cap}")
    return length


def _receive_exactly(channel: socket.socket, size: int, patience: Patience | None) -> Frame:
    if not size:
        return b""
    part = _some(channel, min(size, 2**20), patience)
    if len(part) == size:
        return part                       # the usual case
    received = bytearray(part)
    while len(received) < size:
        if patience is not None:
            patience()                    # what drips may always be there already
        received += _some(channel, min(size - len(received), 2**20), patience)
    return received


def _some(channel: socket.socket, most: int, patience: Patience | None) -> bytes:
    """What there is, once there is anything."""
    while True:
        try:
            part = channel.recv(most, 0 if patience is None else _AT_ONCE)
        except BlockingIOError:
            _wait(channel, select.POLLIN, patience)
            continue
        except ConnectionResetError:
            part = b""
        if not part:
            raise ClosedError("the channel is closed")
        return part


def _wait(channel: socket.socket, event: int, patience: Patience | None) -> None:
    poll = select.poll()
    poll.register(channel, event)
    try:
        while not poll.poll(None if patience is None else max(1.0, patience() * 1000)):
            pass
    except DeadlineError:                     # what is there by now was in time
        if not poll.poll(0):
            raise
