"""The judge's side of the zygote: start it, let it fork children, and learn how each of them ended."""

import errno
import itertools
import os
import select
import signal
import socket
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from io import BytesIO
from queue import SimpleQueue
from typing import Any, NamedTuple

from autograder.sandbox.wall import Wall
from autograder.sandbox.wire.protocol import FAILED, FORK, OPENED, PREPARE, REPORT, REQUEST

BOOT_SECONDS = 60.0                       # until the first child; cold disks are slow
END_SECONDS = 5.0                         # for the wait status of a child that closed its channel


class ZygoteLost(Exception):
    """The zygote is gone: the autograder's fault, never the student's. Asking again starts a new one."""


class Forked(NamedTuple):
    """A new child: its id at this zygote, the judge's end of its channel, its pidfd, and what making it took."""

    number: int
    channel: socket.socket
    pidfd: int
    seconds: float = 0.0


class ForkServer:
    """One zygote. It boots in the background; the first `fork` waits for it. Threads may share it.

    Without a wall its home and working folder is a temporary one, so that anything written ends up there.
    """

    def __init__(self, memory_mb: int, seconds: int, wall: Wall, plots: bool = False):
        self._folder = None
        environment, folder = wall.environment(), "/"
        if wall.tier == "none":
            self._folder = tempfile.TemporaryDirectory(prefix="autograder-", ignore_cleanup_errors=True)
            folder = self._folder.name
            environment.update(dict.fromkeys(("HOME", "TMPDIR", "MPLCONFIGDIR"), folder))
        self._control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            self._process = _started(
                wall.command(theirs.fileno(), memory_mb, seconds, plots), pass_fds=[theirs.fileno()], env=environment,
                cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                start_new_session=True)
        self._errors = self._process.stderr or BytesIO()
        self._numbers = itertools.count(1)
        self._lock = threading.RLock()
        self._opened: dict[int, tuple[int, float]] = {}             # id -> pidfd, or minus an error number; seconds
        self._ended: dict[int, tuple[int, float] | None] = {}       # id of each child in use -> its end, once known
        self._lessons: dict[bytes, int] = {}                        # the code that it has run, and its number there
        self._bills: dict[int, Callable[[float], None]] = {}        # id of each that is not: who pays for it

    def prepared(self, lesson: bytes) -> int:
        """The number under which its children have this lesson's code, which it runs once. ZygoteLost if it is gone."""
        with self._lock:
            if lesson not in self._lessons:
                number = self._lessons[lesson] = len(self._lessons) + 1
                with open(os.memfd_create("lesson"), "w+b") as file:
                    file.write(lesson)
                    file.seek(0)
                    self._send(PREPARE, number, file.fileno())
            return self._lessons[lesson]

    def _send(self, kind: bytes, number: int, descriptor: int) -> None:
        try:
            socket.send_fds(self._control, [REQUEST.pack(kind, number)], [descriptor])
        except OSError as error:
            raise self._lost(str(error)) from None

    def fork(self, ahead: bool = False) -> Forked:
        """A fresh child; raises ZygoteLost if there is none. For one that is only wanted `ahead`, nothing else ends."""
        ours, theirs = socket.socketpair()
        with theirs, self._lock:
            number = next(self._numbers)
            self._ended[number] = None
            self._send(FORK, number, theirs.fileno())
            deadline = time.monotonic() + BOOT_SECONDS
            while number not in self._opened:
                if not self._read(deadline):
                    raise self._lost("it did not fork in time")
            pidfd, seconds = self._opened.pop(number)
        if pidfd < 0:
            why = f"it cannot provide a child: {os.strerror(-pidfd)}"
            raise ZygoteLost(why) if ahead else self._lost(why)
        return Forked(number, ours, pidfd, seconds)

    def end_of(self, number: int, seconds: float = END_SECONDS) -> int | None:
        """The wait status of a child that is ending, or None if it has not ended by then."""
        deadline = time.monotonic() + seconds
        with self._lock:
            while self._ended[number] is None and self._read(deadline):
                pass
            ended = self._ended[number]
            return ended and ended[0]

    def forget(self, number: int, pay: Callable[[float], None]) -> None:
        """Stop tracking this child's end. What it took in all is told to `pay`, as soon as that is known."""
        with self._lock:
            ended = self._ended.pop(number, None)
            if ended is not None:
                pay(ended[1])
            else:
                self._bills[number] = pay

    def _read(self, deadline: float) -> bool:
        """File one report of the zygote; False if none came in time. Raises ZygoteLost if it is gone."""
        if self.closed:                   # another thread has found it lost
            raise ZygoteLost(f"the zygote is lost {self._complaint}".strip())
        poll = select.poll()
        poll.register(self._control, select.POLLIN)
        if not poll.poll(max(0.0, deadline - time.monotonic()) * 1000):
            return False
        try:
            report, descriptors, _, _ = socket.recv_fds(self._control, REPORT.size, 1, socket.MSG_CMSG_CLOEXEC)
        except OSError as error:
            raise self._lost(str(error)) from None
        if not report:
            raise self._lost("it has gone")
        kind, number, value, seconds = REPORT.unpack(report)
        if kind == OPENED:                # without it, this process has too many open files to receive another
            self._opened[number] = descriptors[0] if descriptors else -errno.EMFILE, seconds
        elif kind == FAILED:
            self._opened[number] = -value, seconds
        elif number in self._bills:
            self._bills.pop(number)(seconds)
        elif number in self._ended:
            self._ended[number] = value, seconds
        return True

    def _lost(self, why: str) -> ZygoteLost:
        """End what is left of it; returns the reason, with what it wrote to standard error."""
        self.close()
        return ZygoteLost(f"the zygote is lost: {why} {self._complaint}".strip())

    def complaint(self) -> str:
        """The end of what the zygote, or a child that did not get far, wrote to standard error."""
        with suppress(ValueError, OSError):
            os.set_blocking(self._errors.fileno(), False)
            self._complaint += (self._errors.read() or b"").decode("utf-8", "replace")
        self._complaint = self._complaint[-2000:]
        return self._complaint

    @property
    def closed(self) -> bool:
        """Whether it was ended, or found lost."""
        return self._control.fileno() < 0

    def close(self) -> None:
        """End the zygote, and its children with it."""
        if self.closed:
            return
        self._control.close()
        with suppress(ProcessLookupError):            # the group: while it starts, bubblewrap leaves its second process
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        self.complaint()
        self._errors.close()
        if self._folder is not None:
            self._folder.cleanup()

    _complaint = ""


def _started(command: list[str], **how: Any) -> subprocess.Popen[bytes]:
    """Start a process from a thread that lives as long as it does.

    For the kernel that thread, not the whole of this process, is the parent with which bubblewrap's process dies.
    """
    started: SimpleQueue[subprocess.Popen[bytes] | OSError] = SimpleQueue()

    def start_and_wait() -> None:
        try:
            process = subprocess.Popen[bytes](command, **how)
        except OSError as error:
            started.put(error)
            return
        pidfd = os.pidfd_open(process.pid)
        started.put(process)
        select.select([pidfd], [], [])
        os.close(pidfd)
    threading.Thread(target=start_and_wait, name="zygote's parent", daemon=True).start()
    process = started.get()
    if isinstance(process, OSError):
        raise ZygoteLost(f"the zygote could not be started: {process}")
    return process
