"""The corners of the language: unicode names, match, walrus, unpacking, async, generics, metaclasses, descriptors."""
from __future__ import annotations

import dataclasses
import enum
import typing

import numpy as np

α, Δx, größe = 0.5, np.float64(1e-3), (n := 4)


class Maat(enum.Enum):
    KLEIN = 1


class Meta(type):
    def __getattr__(cls, name):
        return f"{cls.__name__}.{name}"


class Thing(metaclass=Meta):
    def __init_subclass__(cls, **more):
        super().__init_subclass__()

    def __class_getitem__(cls, key):
        return key


@dataclasses.dataclass(slots=True, frozen=True)
class Vorm:
    B: int
    T: int = 5
    rest: tuple[int, ...] = ()


class Kan(typing.Protocol):
    def call(self) -> int: ...


def soort(waarde):
    match waarde:
        case Vorm(B=b, rest=(eerste, *_)) if b:
            return eerste
        case {"x": [a, *_], **rest}:
            return a, rest
        case np.ndarray() | None:
            return "array"
        case str() as tekst:
            return tekst


async def tellen():
    for getal in range(3):
        yield getal


print(α, Δx, größe, n, Maat(1), Thing.anything, Thing[3], soort(Vorm(1, rest=(7, 8))), soort({"x": [1], "y": 2}), soort(None))
print([getal async for getal in tellen()])
first, *middle, last = *range(5), *{"a": 1}
print(first, middle, last, f"{α!r:>{10}}", 1_000_000, 0x_ff, b"\x00", r"\n", ..., NotImplemented, __name__, *() or (1,))
try:
    raise ExceptionGroup("groep", [ValueError(1), TypeError(2)])
except* ValueError as fouten:
    print(fouten.exceptions)
except* TypeError:
    pass
