"""Give up what a fresh child does not need, before it sees anything of a student's.

The limits apply on every Linux; the inner wall (Landlock, seccomp), if there is one, goes up in between. A failure here
is written to the zygote's standard error.
"""

import ctypes
import math
import os
import resource
import signal
import socket

from autograder.sandbox.inside.inner import InnerWall

CHANNEL = 3                               # the only descriptor that stays open, besides three on /dev/null
DESCRIPTORS = 64
_DESCRIPTORS = os.sysconf("SC_OPEN_MAX")  # read before the limit is lowered
_PR_SET_PDEATHSIG, _PR_SET_DUMPABLE = 1, 4
_libc = ctypes.CDLL(None, use_errno=True)


def settle(channel: int, memory_mb: int, seconds: int, parent: int, wall: InnerWall | None) -> socket.socket:
    """Become a separate process that holds only the channel, is limited, and dies with its parent."""
    os.setsid()
    _have_its_own_standard_streams()
    _libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent:            # the parent died before the line above
        os._exit(1)
    _libc.prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)
    for limit, soft, hard in _limits(memory_mb, seconds):
        resource.setrlimit(limit, (soft, hard))
    if wall is not None:
        resource.setrlimit(resource.RLIMIT_NPROC, (0, 0))
        wall.put_up()
    os.dup2(channel, CHANNEL)
    os.closerange(CHANNEL + 1, _DESCRIPTORS)
    os.dup2(0, 2)                         # the last message to the zygote's standard error
    return socket.socket(fileno=CHANNEL)


def _have_its_own_standard_streams() -> None:
    """Reopen /dev/null: the flags of the one shared with the zygote would carry messages between children."""
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, 0)
    os.dup2(null, 1)


def _limits(memory_mb: int, seconds: int) -> list[tuple[int, int, int]]:
    """The limits, each as (limit, soft, hard). Past the soft CPU limit SIGXCPU ends the process, which reads as a
    time-out; it is a backstop, since the judge's clock decides before.

    If the judge itself has fewer descriptors or less time, a child has no more; for memory the judge has ensured that.
    """
    memory = math.ceil(memory_mb) * 2**20
    descriptors = _at_most(resource.RLIMIT_NOFILE, DESCRIPTORS)
    hard = _at_most(resource.RLIMIT_CPU, seconds + 5)
    return [(resource.RLIMIT_AS, memory, memory), (resource.RLIMIT_CPU, min(seconds, hard), hard),
            (resource.RLIMIT_FSIZE, 0, 0), (resource.RLIMIT_NOFILE, descriptors, descriptors),
            (resource.RLIMIT_CORE, 0, 0), (resource.RLIMIT_MEMLOCK, 0, 0)]


def _at_most(limit: int, wanted: int) -> int:
    hard = resource.getrlimit(limit)[1]
    return wanted if hard == resource.RLIM_INFINITY else min(hard, wanted)
