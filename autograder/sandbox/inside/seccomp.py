"""Put the kernel's filter on system calls in front of the running process, for good.

`syscalls` decides which calls it lets through; here its compiled program is read and handed to the kernel.
"""

import base64
import ctypes
import json
import os
import platform
import sys
from pathlib import Path
from typing import Any

FILTERS = Path(__file__).with_name("filters.json")
_PR_SET_SECCOMP, _PR_SET_NO_NEW_PRIVS, _MODE_FILTER = 22, 38, 2
_INSTRUCTION = 8                          # bytes
_libc: Any = ctypes.CDLL(None, use_errno=True) if sys.platform == "linux" else None


class _Program(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("instructions", ctypes.c_char_p)]


def program() -> bytes | None:
    """The filter for this machine's processor, or None if there is none."""
    encoded = json.loads(FILTERS.read_text(encoding="utf-8")).get(platform.machine())
    return None if encoded is None else base64.b64decode(encoded)


def supported() -> str:
    """Why no filter can be loaded; empty if it can."""
    if program() is None:
        return f"there is no system call filter for {platform.machine()} processors"
    if _libc.prctl(_PR_SET_SECCOMP, _MODE_FILTER, None, 0, 0) == -1 and ctypes.get_errno() != 14:       # EFAULT
        return f"the kernel takes no system call filter ({os.strerror(ctypes.get_errno())})"
    return ""


def gain_no_privileges() -> None:
    """From here on nothing, not even a program it runs, gives this process a right that it lacks."""
    _checked(_libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), "no_new_privs")


def load(filter_program: bytes) -> None:
    """Filter this process's system calls until it ends, after `gain_no_privileges`. OSError if that fails."""
    loaded = _Program(len(filter_program) // _INSTRUCTION, filter_program)
    _checked(_libc.prctl(_PR_SET_SECCOMP, _MODE_FILTER, ctypes.byref(loaded), 0, 0), "the system call filter")


def _checked(result: int, what: str) -> None:
    if result != 0:
        raise OSError(ctypes.get_errno(), f"{what}: {os.strerror(ctypes.get_errno())}")
