"""Read from an ELF file which shared libraries it needs (64-bit, little-endian)."""

import mmap
import os
import platform
import struct
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import chain
from typing import NamedTuple

_LOAD, _DYNAMIC, _INTERPRETER = 1, 2, 3                                   # kinds of segment
_NEEDED, _STRINGS, _RPATH, _RUNPATH = 1, 5, 15, 29                        # kinds of dynamic entry
_TRIPLET = f"{platform.machine()}-linux-gnu"
#: where the dynamic loader looks by default
BUILT_IN_FOLDERS = (f"/lib/{_TRIPLET}", f"/usr/lib/{_TRIPLET}", "/lib64", "/usr/lib64", "/lib", "/usr/lib")


class Needs(NamedTuple):
    """What one file asks of the dynamic loader."""

    libraries: tuple[str, ...] = ()       # sonames
    folders: tuple[str, ...] = ()         # where to look first ($ORIGIN resolved)
    loader: str = ""                      # of a program: the path of the dynamic loader


def needs(path: str) -> Needs:
    """What this file needs; empty if it is not such an ELF file. Raises OSError if it cannot be read."""
    with open(path, "rb") as file:
        if file.read(6) != b"\x7fELF\2\1":
            return Needs()
        with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as image:
            try:
                return _needs(image, os.path.dirname(os.path.realpath(path)))
            except (struct.error, ValueError):
                return Needs()


def _needs(image: mmap.mmap, origin: str) -> Needs:
    (table,), (size, count) = struct.unpack_from("<Q", image, 32), struct.unpack_from("<HH", image, 54)
    #           kind, flags, offset, address, physical address, size in the file, ...
    segments = [struct.unpack_from("<IIQQQQ", image, table + size * number) for number in range(count)]
    loader = b"".join(image[at:at + length - 1] for kind, _, at, _, _, length in segments if kind == _INTERPRETER)
    entries = [entry for kind, _, at, _, _, length in segments if kind == _DYNAMIC
               for entry in struct.iter_unpack("<QQ", image[at:at + length - length % 16])]
    addresses = [value for tag, value in entries if tag == _STRINGS]
    strings = next((at + address - start for address in addresses
                    for kind, _, at, start, _, length in segments
                    if kind == _LOAD and start <= address < start + length), None)
    if strings is None:
        return Needs(loader=loader.decode())

    def texts(*tags: int) -> Iterator[str]:
        for tag, value in entries:
            if tag in tags:
                yield image[strings + value:image.find(b"\0", strings + value)].decode()
    folders = tuple(folder.replace("${ORIGIN}", origin).replace("$ORIGIN", origin)
                    for paths in texts(_RPATH, _RUNPATH) for folder in paths.split(":"))
    return Needs(tuple(texts(_NEEDED)), folders, loader.decode())


def closure(paths: Iterable[str]) -> dict[str, str]:
    """The paths of the libraries that these files need, directly or not: soname -> path, as the loader finds it.

    A library that is not found is left out: whatever needs it cannot be loaded here either.
    """
    found: dict[str, str] = {}
    waiting = list(paths)
    while waiting:
        needed = needs(waiting.pop())
        for name in needed.libraries:
            if name in found:
                continue
            path = _found(name, needed.folders)
            if path:
                found[name] = path
                waiting.append(path)
    return found


def _found(name: str, folders: Iterable[str]) -> str | None:
    return next((path for folder in chain(folders, _usual_folders())
                 if folder and os.path.exists(path := os.path.join(folder, name))), None)


@cache
def _usual_folders() -> tuple[str, ...]:
    """The folders of libraries for every program; last, those where the loader found this process's own."""
    with open("/proc/self/maps", encoding="utf-8") as maps:
        loaded = {os.path.dirname(line.split(maxsplit=5)[5].rstrip()) for line in maps if ".so" in line}
    return (*os.environ.get("LD_LIBRARY_PATH", "").split(":"), *BUILT_IN_FOLDERS, "/usr/local/lib", *sorted(loaded))
