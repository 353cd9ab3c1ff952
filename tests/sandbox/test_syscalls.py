"""The compiled filters say what the policy says, on both kinds of processor; they are run here as the kernel would."""
from __future__ import annotations

import base64
import json
import os
import struct
from functools import cache
from types import ModuleType

import pytest

from autograder.sandbox import syscalls
from autograder.sandbox.inside import seccomp

FILTERS = json.loads(syscalls.FILTERS.read_text(encoding="utf-8"))
ALLOW, KILL, DENY, UNKNOWN = 0x7FFF0000, 0x80000000, 0x00050001, 0x00050026
ARCHITECTURES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
OTHERS = {"i386": 0x40000003, "arm": 0x40000028, "riscv64": 0xC00000F3}
X32 = 0x40000000


@pytest.fixture(scope="module")
def pyseccomp() -> ModuleType:
    """The library that knows the numbers of system calls; it needs libseccomp."""
    try:
        import pyseccomp
    except (ImportError, RuntimeError) as error:
        if os.environ.get("CI"):
            raise
        pytest.skip(str(error))
    return pyseccomp


@pytest.fixture(params=["kept", "made anew"], autouse=True)
def program(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """The filter that is kept, and the one that this machine's libseccomp makes: their bytes may differ."""
    if request.param == "made anew":
        request.getfixturevalue("pyseccomp")
        for processor in syscalls.PROCESSORS:
            monkeypatch.setitem(FILTERS, processor, made_anew(processor))


@cache
def made_anew(processor: str) -> str:
    return base64.b64encode(syscalls.compiled(processor)).decode()


def verdict(processor: str, number: int, *args: int, architecture: int | None = None) -> int:
    """What the filter returns for this call: classic BPF over `struct seccomp_data`."""
    data = struct.pack("<iIQ6Q", number - 2**32 if number >= 2**31 else number,
                       architecture or ARCHITECTURES[processor], 0, *args, *[0] * (6 - len(args)))
    program = list(struct.iter_unpack("<HBBI", base64.b64decode(FILTERS[processor])))
    at = accumulator = 0
    while True:
        code, true, false, k = program[at]
        at += 1
        if code == 0x20:                  # load a word
            (accumulator,) = struct.unpack_from("<I", data, k)
        elif code == 0x54:                # and
            accumulator &= k
        elif code == 0x05:                # jump
            at += k
        elif code in (0x15, 0x25, 0x35):  # jump if equal, greater, greater or equal
            holds = accumulator == k if code == 0x15 else accumulator > k if code == 0x25 else accumulator >= k
            at += true if holds else false
        elif code == 0x06:                # return
            return k
        else:
            raise AssertionError(f"instruction {code:#x} is not known here")


@pytest.fixture(params=syscalls.PROCESSORS)
def processor(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture
def numbers(pyseccomp: ModuleType, processor: str) -> dict[str, int]:
    """The number of every call in the tables that this kind of processor has."""
    names = [*" ".join(syscalls.ALLOWED.values()).split(), *syscalls.UNKNOWN.split(), *syscalls.KILLED.split(),
             *syscalls.ALLOWED_WITH]
    found = {name: syscalls.number_of(name, getattr(pyseccomp.Arch, processor.upper())) for name in names}
    return {name: number for name, number in found.items() if number >= 0}


def test_the_filters_were_made_of_these_tables() -> None:
    assert FILTERS["policy"] == syscalls.policy_digest(), "run `autograder dev syscalls`"


def test_a_call_is_in_one_table_only() -> None:
    names = [*" ".join(syscalls.ALLOWED.values()).split(), *syscalls.UNKNOWN.split(), *syscalls.KILLED.split(),
             *syscalls.ALLOWED_WITH]
    assert len(names) == len(set(names))


def test_every_call_has_the_verdict_of_its_table(processor: str, numbers: dict[str, int]) -> None:
    for names, expected in ((" ".join(syscalls.ALLOWED.values()), ALLOW), (syscalls.UNKNOWN, UNKNOWN),
                            (syscalls.KILLED, KILL)):
        known = [name for name in names.split() if name in numbers]
        assert len(known) > 1
        for name in known:
            assert verdict(processor, numbers[name], 7, 7, 7, 7, 7, 7) == expected, name


def test_whatever_stands_in_no_table_is_denied(processor: str, numbers: dict[str, int]) -> None:
    for number in {*range(700), 2**29} - set(numbers.values()):
        assert verdict(processor, number, 1, 2, 3) == DENY, number


def test_calls_of_other_abis_are_killed(processor: str, numbers: dict[str, int]) -> None:
    for architecture in {*OTHERS.values(), *ARCHITECTURES.values()} - {ARCHITECTURES[processor]}:
        assert verdict(processor, numbers["read"], architecture=architecture) == KILL
    if processor == "x86_64":
        assert verdict(processor, X32 + numbers["read"]) == KILL
        assert verdict(processor, X32) == KILL


ARGUMENTS = [
    ("fcntl", (3, 1), ALLOW), ("fcntl", (3, 4, 2048), ALLOW), ("fcntl", (3, 1030), ALLOW),
    ("fcntl", (3, 8, 1), DENY), ("fcntl", (3, 10, 9), DENY), ("fcntl", (3, 1024, 1), DENY), ("fcntl", (3, 6), DENY),
    ("fcntl", (3, 2**32 + 8, 1), DENY), ("fcntl", (3, 2**32 + 1), ALLOW),
    ("ioctl", (0, 0x5401), ALLOW), ("ioctl", (0, 0x5412), DENY), ("ioctl", (0, 2**32 + 0x5412), DENY),
    ("ioctl", (3, 0x8901), DENY), ("ioctl", (3, 0x5452), DENY),
    ("prlimit64", (0, 7, 0, 4096), ALLOW), ("prlimit64", (0, 7, 4096, 0), DENY), ("prlimit64", (1, 7, 0, 4096), DENY),
    ("prlimit64", (0, 7, 2**32, 0), DENY),
    ("sendto", (3, 1, 1, 0x4040, 0, 0), ALLOW), ("sendto", (3, 1, 1, 1, 0, 0), DENY),
    ("sendto", (3, 1, 1, 0, 2**40, 16), DENY), ("sendto", (3, 1, 1, 0x8000, 0, 0), DENY),
    ("recvfrom", (3, 1, 1, 0x40), ALLOW), ("recvfrom", (3, 1, 1, 1), DENY), ("recvfrom", (3, 1, 1, 0x2000), DENY),
    ("socketpair", (1, 1, 0), ALLOW), ("socketpair", (1, 0x80801, 0), ALLOW), ("socketpair", (1, 2, 0), DENY),
    ("socketpair", (1, 5, 0), DENY), ("socketpair", (2, 1, 0), DENY),
    ("futex", (4096, 0x80), ALLOW), ("futex", (4096, 0x189), ALLOW), ("futex", (4096, 6), DENY),
    ("futex", (4096, 0), DENY), ("futex", (4096, 1), DENY), ("futex", (4096, 0x109), DENY),
    ("clock_gettime", (0,), ALLOW), ("clock_gettime", (11,), ALLOW), ("clock_gettime", (2**32 - 6,), DENY),
    ("clock_getres", (3,), ALLOW), ("clock_getres", (2**32 - 78,), DENY), ("clock_nanosleep", (1,), ALLOW),
    ("clock_nanosleep", (2**64 - 78,), DENY), ("getpgid", (0,), ALLOW), ("getpgid", (1,), DENY),
    ("getsid", (0,), ALLOW), ("getsid", (7,), DENY), ("sched_getaffinity", (0, 8), ALLOW),
    ("sched_getaffinity", (1, 8), DENY), ("mmap", (0, 1, 3, 0x22), ALLOW), ("mmap", (0, 1, 3, 0x40022), DENY),
    ("madvise", (0, 1, 4), ALLOW), ("madvise", (0, 1, 14), ALLOW), ("madvise", (0, 1, 3), DENY),
    ("madvise", (0, 1, 12), DENY), ("madvise", (0, 1, 21), DENY),
    ("futex", (4096, 0x8c), DENY), ("futex", (4096, 11), DENY), ("futex", (4096, 0x400), DENY),
]


def test_arguments_decide(processor: str, numbers: dict[str, int]) -> None:
    found = [(name, args, verdict(processor, numbers[name], *args)) for name, args, _ in ARGUMENTS]
    assert found == ARGUMENTS


def test_an_unknown_processor_has_no_filter(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(seccomp.platform, "machine", lambda: "pdp11")
    assert seccomp.program() is None
    assert "pdp11" in seccomp.supported()
