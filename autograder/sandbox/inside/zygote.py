"""The zygote: a Python with NumPy and the lesson loaded that forks the submissions' children and never sees one itself.

Run as `python -m autograder.sandbox.inside.zygote CONTROL_FD MEMORY_MB SECONDS RULES PLOTS VERSION` (see `wall`). Over
the control socket the judge sends an id with one end of a channel; the zygote forks a child that serves that channel
and replies with the child's pidfd. When a child ends, its wait status follows under the same id. The socket keeps
messages apart (SOCK_SEQPACKET). The lesson's own code comes over it too, before the first child that needs it.
"""

import ctypes
import errno
import gc
import json
import logging
import os
import random
import select
import signal
import site
import socket
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path

import numpy as np

from autograder.sandbox.inside import worker
from autograder.sandbox.inside.child import settle
from autograder.sandbox.inside.finder import offer_only
from autograder.sandbox.inside.inner import InnerWall
from autograder.sandbox.inside.lesson import Prepared
from autograder.sandbox.inside.plots import have_matplotlib
from autograder.sandbox.wire.protocol import ENDED, FAILED, OPENED, PREPARE, REPORT, REQUEST
from autograder.sandbox.wire.watching import listen

ROOMS = ("inside", "wire", "forgetful")     # of the autograder, all that there is in here
_CLONE_THREAD = 0x10000


def main() -> None:
    """Warm up, then fork until the judge closes the control socket. Never returns."""
    control, memory_mb, seconds = socket.socket(fileno=int(sys.argv[1])), int(sys.argv[2]), int(sys.argv[3])
    rules, plots, version = json.loads(sys.argv[4]), bool(sys.argv[5]), sys.argv[6]
    if version != sys.version:            # the loader found another libpython
        raise RuntimeError(f"this is Python {sys.version}, expected {version}")
    wall = None
    if rules is not None:
        offer_only(rules.pop("packages"), rules.pop("site"))
        wall = InnerWall(**rules)
    warm_up(plots)
    parent = os.getpid()
    forks = Forks(control)
    channel = forks.until_in_a_child()
    control.detach()                      # its number will be another descriptor's
    random.seed(0)                        # reseeded after every fork
    worker.serve(settle(channel.detach(), memory_mb, seconds, parent, wall), forks.lessons)


def warm_up(plots: bool) -> None:
    """Load everything that a child will need, in one thread, and nothing of ours that could be imported.

    Without a large product before the memory limit is set, OpenBLAS can exit instead of raising MemoryError.
    """
    big = np.eye(300) + np.ones((300, 300))
    np.linalg.solve(big @ big, big)
    np.random.seed(0)                     # a submission gets the same random numbers every time
    if plots:
        have_matplotlib()
    site.sethelper()                      # what a Python that skipped `site` lacks
    site.setquit()
    site.setcopyright()
    refuse_threads()
    listen()
    ours = str(Path(worker.__file__).parents[3])
    if ours != str(Path(np.__file__).parents[1]):
        sys.path[:] = [folder for folder in sys.path if folder != ours]
    os.environ.pop("PYTHONPATH", None)
    for package in ("autograder", "autograder.sandbox", *(f"autograder.sandbox.{room}" for room in ROOMS)):
        sys.modules[package].__path__ = []
    sys.argv[:] = [""]
    logging.getLogger("matplotlib.font_manager").setLevel(logging.ERROR)    # its cache cannot be saved: harmless
    gc.collect()
    gc.freeze()


def refuse_threads() -> None:
    """Raise RuntimeError unless this is the only thread: forking while others run can hang."""
    for thread in threading.enumerate():
        if thread is not threading.current_thread():
            thread.join(1.0)
    libc = ctypes.CDLL(None, use_errno=True)
    alone = libc.unshare(_CLONE_THREAD) == 0                  # allowed, and without effect, for a single thread
    if not alone and ctypes.get_errno() != errno.EINVAL:  # a container may forbid the question itself, but has /proc
        alone = len(os.listdir("/proc/self/task")) == 1
    if not alone:
        raise RuntimeError("the zygote must have only one thread")


class Forks:
    """The living children, by pidfd, and the lessons whose code has run, by their number."""

    def __init__(self, control: socket.socket):
        self._control = control
        self.lessons: dict[int, Prepared] = {}
        self._children: dict[int, tuple[int, int]] = {}                   # pidfd -> (id, pid)
        self._poll = select.poll()
        self._poll.register(control, select.POLLIN)

    def until_in_a_child(self) -> socket.socket:
        """Serve the judge; returns only in a child, with the channel that it must serve."""
        while True:
            for ready, _ in self._poll.poll():
                if ready in self._children:
                    self._reap(ready)
                else:
                    channel = self._asked()
                    if channel is not None:
                        return channel

    def _asked(self) -> socket.socket | None:
        request, descriptors, _, _ = socket.recv_fds(self._control, REQUEST.size, 1)
        if not request:                   # the judge is gone
            os._exit(0)
        kind, number = REQUEST.unpack(request)
        if kind == PREPARE:
            self._prepare(number, descriptors[0])
            return None
        return self._fork(number, descriptors[0])

    def _prepare(self, number: int, file: int) -> None:
        """Run a lesson's code here, before any student's: no child is forked meanwhile."""
        with open(file, "rb") as content:
            self.lessons[number] = Prepared(content.read())
        refuse_threads()                  # the lesson's code may have started one
        gc.collect()
        gc.freeze()

    def _fork(self, number: int, descriptor: int) -> socket.socket | None:
        began = time.process_time()
        with socket.socket(fileno=descriptor) as channel:
            try:
                pid = os.fork()
            except OSError as error:
                self._control.send(REPORT.pack(FAILED, number, error.errno, 0.0))
                return None
            if pid == 0:
                return channel.dup()
        pidfd = os.pidfd_open(pid)
        self._children[pidfd] = number, pid
        self._poll.register(pidfd, select.POLLIN)
        took = time.process_time() - began
        socket.send_fds(self._control, [REPORT.pack(OPENED, number, pid, took)], [pidfd])
        return None

    def _reap(self, pidfd: int) -> None:
        began = time.process_time()
        number, pid = self._children.pop(pidfd)
        self._poll.unregister(pidfd)
        os.close(pidfd)
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(pid, signal.SIGKILL)            # and whatever it started: its group lasts until it is reaped
        _, status, used = os.wait4(pid, 0)
        took = used.ru_utime + used.ru_stime + time.process_time() - began
        self._control.send(REPORT.pack(ENDED, number, status, took))


if __name__ == "__main__":
    main()
