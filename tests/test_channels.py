"""Two processes of students run beside one another and try every way to pass a word that SECURITY.md calls closed."""
from __future__ import annotations

import os
import platform
import re
import threading
from collections.abc import Iterator
from contextlib import ExitStack
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from autograder.records import Call, Cell
from autograder.sandbox.student import Sandbox, Student
from autograder.sandbox.tiers import NoIsolation, wall

HERE = Path(__file__).parent
KIT = (HERE / "attacks" / "kit.py").read_text(encoding="utf-8")
pytestmark = pytest.mark.skipif(platform.machine() != "x86_64", reason="the numbers of the calls are x86_64's")

COMMON = """
import fcntl, mmap, numpy as np, socket, time
library = np._core._multiarray_umath.__file__
near = [pid for pid in range(max(1, os.getpid() - 30), os.getpid() + 30) if pid != os.getpid()] + [os.getppid()]
_libc.mmap.restype = ctypes.c_void_p
_libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]

def works(*attempts):
    heard = []
    for number, attempt in enumerate(attempts):
        try:
            heard.append(f"{number}: {attempt()!r}"[:80])
        except (OSError, ImportError, ValueError, OverflowError, AttributeError):
            pass
    return tuple(heard)

def speak():
    pass
"""
#: a row of the table in SECURITY.md -> what both have, `speak()` of the one and `hear()` of the other, which gives all
#: that it heard, or all that it could do although it is said to be closed
CHANNELS = {
    "futexes": """
page = _libc.mmap(None, 1 << 20, 1, 1, os.open(library, os.O_RDONLY), 0) + 4096
def speak():
    until = time.monotonic() + 1.5
    while time.monotonic() < until and call(202, page, 1, 1, 0, 0, 0) == 0:
        time.sleep(0.001)
def hear():
    timeout = (ctypes.c_long * 2)(1, 0)
    value = ctypes.c_uint.from_address(page).value
    return works(lambda: call(202, page, 0, value, ctypes.byref(timeout), 0, 0),
                 lambda: call(449, 0, 0, 0, 0, 0), lambda: call(454, page, 1, 1, 2))
""",
    "processor time of others": """
def hear():
    return works(*[lambda pid=pid, read=read: read((~pid << 3) | 2) for pid in near
                   for read in (time.clock_gettime, time.clock_getres)])
""",
    "what the kernel tells of other processes": """
def hear():
    get = [os.getsid, os.getpgid, os.sched_getaffinity, os.sched_getscheduler, os.sched_getparam,
           os.sched_rr_get_interval, lambda pid: os.getpriority(os.PRIO_PROCESS, pid), lambda pid: os.kill(pid, 0),
           os.pidfd_open, lambda pid: call(252, 1, pid), lambda pid: call(274, pid, 0, 0),
           lambda pid: call(312, pid, pid, 0),
           lambda pid: open(f"/proc/{pid}/stat").read(), lambda pid: os.listdir(f"/proc/{pid}/fd")]
    return works(*[lambda pid=pid, one=one: one(pid) for pid in near for one in get])
""",
    "pseudo-terminals": """
def hear():
    return works(os.openpty, lambda: os.posix_openpt(os.O_RDWR), lambda: os.open("/dev/ptmx", os.O_RDWR),
                 lambda: os.open("/dev/tty", os.O_RDWR), lambda: os.listdir("/dev/pts"))
""",
    "locks and leases on files": """
file = open(library)
def speak():
    for lock in (fcntl.flock, fcntl.lockf):
        try: lock(file, fcntl.LOCK_SH)
        except OSError: pass
    time.sleep(0.3)
def hear():
    return works(lambda: fcntl.flock(file, fcntl.LOCK_SH), lambda: fcntl.lockf(file, fcntl.LOCK_SH),
                 lambda: fcntl.fcntl(file, 5, bytes(32)), lambda: fcntl.fcntl(file, 37, bytes(32)),
                 lambda: fcntl.fcntl(file, 1024, 0), lambda: fcntl.fcntl(file, 1025))
""",
    "news of files": """
def hear():
    return works(lambda: call(253), lambda: call(294, 0), lambda: call(300, 0, 0),
                 lambda: fcntl.fcntl(os.open(os.path.dirname(library), os.O_RDONLY), 1026, 1))
""",
    "times, modes and attributes of files": """
def hear():
    return works(lambda: os.utime(library), lambda: os.chmod(library, 0o755), lambda: os.chmod(os.devnull, 0o666),
                 lambda: os.setxattr(library, "user.word", b"x"), lambda: os.getxattr(library, "user.word"),
                 lambda: os.utime(os.devnull), lambda: os.open(library, os.O_WRONLY), lambda: os.link(library, "/x"))
""",
    "shared memory and queues": """
def hear():
    return works(lambda: call("memfd_create", b"x", 0), lambda: call("memfd_secret", 0),
                 lambda: call("shmget", 7, 4096, 0o1666), lambda: call("semget", 7, 1, 0o1666),
                 lambda: call("msgget", 7, 0o1666), lambda: call("mq_open", b"x", 66, 0o666, 0),
                 lambda: os.open("/dev/shm/x", os.O_RDWR | os.O_CREAT), lambda: os.mkfifo("/tmp/x"))
""",
    "sockets": """
def hear():
    return works(*[lambda kind=kind: socket.socket(*kind) for kind in
                   ((socket.AF_UNIX,), (socket.AF_INET,), (socket.AF_NETLINK, socket.SOCK_RAW), (40,))],
                 lambda: call(49, 3, b"\\1\\0\\0word", 7), lambda: call(42, 3, b"\\1\\0\\0word", 7),
                 lambda: call("sendmsg", 3, 0, 0))
""",
    "cookies and peers of sockets": """
pair = socket.socketpair()
def hear():
    return works(*[lambda one=one, option=option: one.getsockopt(socket.SOL_SOCKET, option, 8)
                   for one in (*pair, socket.socket(fileno=os.dup(3)))
                   for option in range(100) if option not in (3, 4, 38, 39)],
                 *[lambda level=level: pair[0].getsockopt(level, 1, 8) for level in (0, 6, 41, 270)])
""",
    "capacities of pipes": """
def hear():
    return works(os.pipe, lambda: fcntl.fcntl(3, 1031, 4096), lambda: fcntl.fcntl(3, 1032),
                 lambda: call("vmsplice", 3, 0, 0, 0))
""",
    "residency of pages": """
page = _libc.mmap(None, 1 << 16, 1, 1, os.open(library, os.O_RDONLY), 0)
def hear():
    held, there = mmap.mmap(-1, 1 << 16), ctypes.create_string_buffer(16)
    return works(lambda: call(27, page, 1 << 16, there), lambda: call(451, 3, 0, 0, 0),
                 lambda: call(327, os.open(library, os.O_RDONLY), 0, 0, 0, 0, 8), lambda: call(221, 3, 0, 0, 4),
                 *[lambda advice=advice: held.madvise(advice) for advice in (3, 9, 12, 20, 21, 22, 25)])
""",
    "robust lists": """
def hear():
    return works(lambda: call(274, 0, 0, 0), lambda: call(273, 0, 24))
""",
    "counters of the machine": """
def hear():
    return works(lambda: call(99, ctypes.create_string_buffer(200)), os.getloadavg,
                 lambda: open("/proc/meminfo").read(),
                 lambda: open("/proc/loadavg").read(), lambda: open("/proc/uptime").read(), lambda: os.statvfs("/"))
""",
    "the pool of huge pages": """
def hear():
    return works(lambda: mmap.mmap(-1, 2 << 20, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x40000))
""",
    "signals": """
def hear():
    return works(*[lambda pid=pid: os.kill(pid, 0) for pid in near], lambda: os.killpg(os.getppid(), 0),
                 lambda: call("tgkill", near[0], near[0], 0), lambda: fcntl.fcntl(3, 8, near[0]))
""",
}


@pytest.fixture(scope="module")
def boxes() -> Iterator[Any]:
    with ExitStack() as running:
        yield cache(lambda tier: running.enter_context(
            Sandbox(isolation=tier, seconds=20.0, cell_seconds=20.0, memory_mb=512)))


@pytest.fixture(params=["namespaces", "process"])
def tier(request: pytest.FixtureRequest) -> str:
    try:
        return wall(request.param)[0].tier
    except NoIsolation as missing:
        if os.environ.get("CI"):
            raise
        pytest.skip(str(missing))


def heard(box: Sandbox, source: str) -> Any:
    """What one process hears while another speaks."""
    with ExitStack() as opened:
        def student() -> Student:
            cells = [Cell(index, part) for index, part in enumerate((KIT, COMMON, source))]
            return opened.enter_context(box.open(cells, modules={}, prelude=""))
        speaker, hearer = student(), student()
        speaking = threading.Thread(target=speaker.answer, args=(Call("speak", ()),))
        speaking.start()
        try:
            outcome = hearer.answer(Call("hear", ()))
        finally:
            speaking.join()
        assert [report.status for report in hearer.reports] == ["ok"] * 3, hearer.reports
    assert outcome.status == "answered", outcome
    return outcome.value


@pytest.mark.parametrize("name", CHANNELS)
def test_nothing_is_heard(boxes: Any, tier: str, name: str) -> None:
    assert heard(boxes(tier), CHANNELS[name]) == ()


def test_without_a_wall_a_word_would_be_heard(boxes: Any) -> None:
    assert heard(boxes("none"), CHANNELS["futexes"]) != ()


def test_the_table_of_channels_names_what_was_tried() -> None:
    page = (HERE.parent / "SECURITY.md").read_text(encoding="utf-8")
    table = page.partition("### Between two processes")[2].partition("\n## ")[0]
    closed = re.findall(r"^\| ([^|]+?) \| closed", table, re.MULTILINE)
    assert sorted(closed) == sorted(CHANNELS)
