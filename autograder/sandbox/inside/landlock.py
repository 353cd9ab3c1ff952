"""Landlock: a process permanently gives up every file that it was not promised, TCP, and signals to others.

What is handled depends on the kernel's Landlock version (ABI): 1 files, 3 truncation, 4 TCP, 5 devices, 6 signals and
abstract sockets, 7 control over logging. What a kernel cannot handle is left out: the filter denies it as well.
"""

import ctypes
import os
import stat
import struct
import sys
from collections.abc import Iterable
from typing import Any

_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446                # the same on every architecture
_VERSION = 1                              # flag: only report the ABI
_PATH_BENEATH = 1                         # type of rule
_UNLOGGED = 1                             # flag: denials do not fill the system's log
_WRITE_FILE, _READ_FILE, _READ_DIR = 1 << 1, 1 << 2, 1 << 3
_FILES = {1: (1 << 13) - 1, 2: (1 << 14) - 1, 3: (1 << 15) - 1, 5: (1 << 16) - 1}    # ABI -> all rights, till the next
_TCP = 0b11                               # bind, connect
_SCOPES = 0b11                            # abstract sockets, signals
_libc: Any = ctypes.CDLL(None, use_errno=True) if sys.platform == "linux" else None


def abi() -> int:
    """The kernel's version of Landlock; 0 if there is none."""
    return max(0, _libc.syscall(_CREATE_RULESET, None, ctypes.c_size_t(0), _VERSION))


def ruleset(read: Iterable[str], list_only: Iterable[str] = (), write: Iterable[str] = ()) -> int:
    """The descriptor of a new ruleset: what may be read (folders with everything in them), listed, or written.

    Paths that do not exist are left out. OSError if the kernel refuses.
    """
    version = abi()
    files = _FILES[max(first for first in _FILES if first <= version)]
    parts = [files, _TCP if version >= 4 else 0, _SCOPES if version >= 6 else 0]
    attributes = struct.pack("=3Q", *parts)[:8 if version < 4 else 16 if version < 6 else 24]
    rules = _called(_CREATE_RULESET, attributes, ctypes.c_size_t(len(attributes)), 0)
    for paths, rights in ((read, _READ_FILE | _READ_DIR), (list_only, _READ_DIR), (write, _READ_FILE | _WRITE_FILE)):
        for path in paths:
            _allow(rules, path, rights)
    return rules


def restrict_self(rules: int) -> None:
    """Restrict this process to what these rules allow, for good. OSError if the kernel refuses."""
    _called(_RESTRICT_SELF, rules, _UNLOGGED if abi() >= 7 else 0)


def _allow(rules: int, path: str, rights: int) -> None:
    try:
        descriptor = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except (FileNotFoundError, NotADirectoryError, PermissionError):
        return
    try:
        if not stat.S_ISDIR(os.fstat(descriptor).st_mode):
            rights &= _READ_FILE | _WRITE_FILE
        _called(_ADD_RULE, rules, _PATH_BENEATH, struct.pack("=Qi", rights, descriptor), 0)
    finally:
        os.close(descriptor)


def _called(number: int, *arguments: object) -> int:
    result = _libc.syscall(number, *arguments)
    if result < 0:
        raise OSError(ctypes.get_errno(), f"Landlock: {os.strerror(ctypes.get_errno())}")
    return result
