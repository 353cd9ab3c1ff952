"""The policy: which system calls a student's process may make.

Any call that is in no table fails with EPERM, as if the process lacked the right. The filter made from these tables is
stored beside this file as the kernel's own program (BPF), one per kind of processor, so that no library is needed where
students' work is graded. After a change `autograder dev syscalls` remakes it, which needs pyseccomp and libseccomp.
"""

import base64
import hashlib
import json
import tempfile
from errno import ENOSYS, EPERM
from pathlib import Path
from typing import Any

FILTERS = Path(__file__).with_name("inside") / "filters.json"
PROCESSORS = ("x86_64", "aarch64")

#: what Python and NumPy do while they compute, read their own libraries and talk to the judge
ALLOWED = {
    "descriptors": "read readv pread64 write writev pwrite64 lseek close close_range dup dup2 dup3 poll ppoll select "
                   "pselect6 epoll_create1 epoll_ctl epoll_wait epoll_pwait",
    "files": "open openat stat lstat fstat newfstatat statx access faccessat faccessat2 readlink readlinkat "
             "getdents64 getcwd chdir",
    "memory": "brk munmap mprotect mremap",
    "signals": "rt_sigaction rt_sigprocmask rt_sigreturn sigaltstack alarm setitimer getitimer restart_syscall",
    "time": "nanosleep gettimeofday time times getrusage",
    "itself": "getpid getppid gettid getpgrp getuid geteuid getgid getegid getresuid getresgid getgroups uname getcpu "
              "sched_yield getrlimit getrandom",
    "the channel": "getsockname shutdown",
    "the end": "exit exit_group",
}

#: calls that are allowed only with these arguments: for each call, alternatives of {argument: (mask, value)}. The mask
#: is the part of the argument that the kernel looks at.
_INT, _ALL = 0xffff_ffff, 0xffff_ffff_ffff_ffff
ALLOWED_WITH: dict[str, list[dict[int, tuple[int, int]]]] = {
    "fcntl": [{1: (_INT, command)} for command in (0, 1, 2, 3, 4, 1030)],    # DUPFD, GETFD, SETFD, GETFL, SETFL, dup
    "ioctl": [{1: (_INT, request)} for request in (0x5401, 0x5413, 0x541b, 0x5421, 0x5450, 0x5451)],
    #         TCGETS and TIOCGWINSZ (is it a terminal?), FIONREAD, FIONBIO, FIONCLEX, FIOCLEX
    "getsockopt": [{1: (_INT, 1), 2: (_INT, option)} for option in (3, 4, 38, 39)],
    #         SOL_SOCKET: TYPE, ERROR, PROTOCOL and DOMAIN; a COOKIE comes from a counter of the whole kernel
    "futex": [{1: (_INT & ~0x100, 0x80 | operation)} for operation in (0, 1, 9, 10)],    # WAIT and WAKE, its own only
    **{name: [{0: (_INT & ~0xf, 0)}] for name in ("clock_gettime", "clock_getres", "clock_nanosleep")},
    #         the clocks that have names: those with numbers tell how long another process has computed
    **{name: [{0: (_INT, 0)}] for name in ("getpgid", "getsid", "sched_getaffinity")},       # only its own
    "mmap": [{3: (0x4_0000, 0)}],                                            # no huge pages: all share a pool of them
    "madvise": [{2: (_INT, advice)} for advice in (0, 1, 2, 4, 8, 14, 15, 16, 17)],
    #         what concerns its own pages, not what moves those of files, or joins those of two processes
    "prlimit64": [{0: (_INT, 0), 2: (_ALL, 0)}],                             # its own limits, and only to read them
    "recvfrom": [{3: (_INT & ~0x142, 0)}],                                   # MSG_PEEK, MSG_DONTWAIT, MSG_WAITALL
    "sendto": [{3: (_INT & ~0x4040, 0), 4: (_ALL, 0)}],                      # MSG_DONTWAIT, MSG_NOSIGNAL; no address
    "socketpair": [{0: (_INT, 1), 1: (0xf, 1)}],                             # AF_UNIX, SOCK_STREAM: for asyncio
}

#: fails as on a kernel without the call, so that the C library falls back on a call that is checked
UNKNOWN = "clone3 openat2 epoll_pwait2"

#: no honest student's code makes these: the kernel kills the process with SIGSYS, and the verdict is tampering
KILLED = ("ptrace process_vm_readv process_vm_writev mount umount2 pivot_root open_tree move_mount fsopen fsconfig "
          "fsmount fspick mount_setattr unshare setns chroot bpf add_key request_key keyctl io_uring_setup "
          "io_uring_enter io_uring_register userfaultfd perf_event_open open_by_handle_at kexec_load kexec_file_load "
          "init_module finit_module delete_module")


def compiled(processor: str) -> bytes:
    """The filter for this kind of processor; calls of any other, of 32-bit x86_64 and of x32 kill the process."""
    import pyseccomp as seccomp
    rules = seccomp.SyscallFilter(seccomp.ERRNO(EPERM))
    rules.set_attr(seccomp.Attr.ACT_BADARCH, seccomp.KILL_PROCESS)
    rules.set_attr(seccomp.Attr.CTL_OPTIMIZE, 2)                  # a search tree
    own = getattr(seccomp.Arch, processor.upper())
    if own != seccomp.system_arch():
        rules.add_arch(own)
        rules.remove_arch(seccomp.system_arch())
    names = [name for group in ALLOWED.values() for name in group.split()]
    for action, calls in ((seccomp.ALLOW, names), (seccomp.ERRNO(ENOSYS), UNKNOWN.split()),
                          (seccomp.KILL_PROCESS, KILLED.split())):
        for name in calls:
            if number_of(name, own) >= 0:                         # this kind of processor has it
                rules.add_rule(action, name)
    for name, alternatives in ALLOWED_WITH.items():
        for arguments in alternatives:
            rules.add_rule(seccomp.ALLOW, name, *[seccomp.Arg(index, seccomp.MASKED_EQ, mask, value)
                                                  for index, (mask, value) in arguments.items()])
    with tempfile.TemporaryFile() as file:
        rules.export_bpf(file)
        file.seek(0)
        return file.read()


def number_of(name: str, architecture: int) -> int:
    """The number of a system call, negative where this architecture lacks it; ValueError for an unknown name."""
    import pyseccomp as seccomp
    number = seccomp.resolve_syscall(architecture, name)
    if number == -1:
        raise ValueError(f"this libseccomp does not know {name}: use a newer one")
    return number


def policy_digest() -> str:
    """A digest that changes with the tables."""
    tables: list[Any] = [ALLOWED, {name: [sorted(each.items()) for each in alternatives]
                                   for name, alternatives in ALLOWED_WITH.items()}, UNKNOWN, KILLED]
    return hashlib.blake2b(json.dumps(tables).encode(), digest_size=8).hexdigest()


def differences() -> list[str]:
    """A sentence where the filters were made of other tables; another libseccomp's bytes for these do as well."""
    made_of = json.loads(FILTERS.read_text(encoding="utf-8"))["policy"]
    return [] if made_of == policy_digest() else [f"{FILTERS} was made of other tables than those of syscalls.py"]


def write() -> list[Path]:
    """Make the filters anew where the tables have changed; the file that this changed."""
    if not differences():
        return []
    filters = {processor: base64.b64encode(compiled(processor)).decode() for processor in PROCESSORS}
    FILTERS.write_text(json.dumps({"policy": policy_digest(), **filters}, indent=1) + "\n", encoding="utf-8")
    return [FILTERS]
