"""The inner wall: what a child gives up before it sees anything of a student's. Prepared once, in the zygote."""

import ctypes
import os
import struct
from collections.abc import Iterable

from autograder.sandbox.inside import landlock, seccomp

_CAPABILITIES_VERSION = 0x20080522
_libc = ctypes.CDLL(None, use_errno=True)


class InnerWall:
    """Landlock's rules and the filter on system calls, ready to be put up.

    On a kernel without Landlock only the filter goes up: `tiers` ensures that the outer wall exists then.
    """

    def __init__(self, read: Iterable[str], list_only: Iterable[str], write: Iterable[str]):
        self._rules = landlock.ruleset(read, list_only, write) if landlock.abi() else None
        self._filter = seccomp.program()

    def put_up(self) -> None:
        """Put it up, irrevocably for this process; OSError if any part fails."""
        drop_capabilities()
        seccomp.gain_no_privileges()
        if self._rules is not None:
            landlock.restrict_self(self._rules)
        if self._filter is None:
            raise OSError("there is no system call filter for this processor")
        seccomp.load(self._filter)


def drop_capabilities() -> None:
    """Become as powerless as an ordinary user, even if the judge is root."""
    nothing = bytes(24)                   # two sets each of effective, permitted and inheritable capabilities
    if _libc.capset(struct.pack("=Ii", _CAPABILITIES_VERSION, 0), nothing) != 0:
        raise OSError(ctypes.get_errno(), f"capset: {os.strerror(ctypes.get_errno())}")
