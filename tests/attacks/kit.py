"""What attacks have at hand: this stands in a cell before theirs. REPOSITORY, JUDGE and OTHER are known to them too."""
import ctypes
import os
import platform
import sys

_NUMBERS = {                              # x86_64, aarch64 (-1: there is no such call)
    "add_key": (248, 217), "bpf": (321, 280), "chroot": (161, 51), "clone": (56, 220), "clone3": (435, 435),
    "finit_module": (313, 273), "flock": (73, 32), "fsopen": (430, 430), "io_uring_setup": (425, 425),
    "ioperm": (173, -1), "kcmp": (312, 272), "kexec_load": (246, 104), "keyctl": (250, 219),
    "landlock_create_ruleset": (444, 444), "memfd_create": (319, 279), "memfd_secret": (447, 447),
    "mount": (165, 40), "mq_open": (240, 180), "msgget": (68, 186), "name_to_handle_at": (303, 264),
    "open_by_handle_at": (304, 265), "openat2": (437, 437), "perf_event_open": (298, 241), "personality": (135, 92),
    "pidfd_getfd": (438, 438), "pidfd_open": (434, 434), "pidfd_send_signal": (424, 424), "pipe2": (293, 59),
    "pivot_root": (155, 41), "prctl": (157, 167), "prlimit64": (302, 261), "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271), "ptrace": (101, 117), "request_key": (249, 218), "seccomp": (317, 277),
    "semget": (64, 190), "sendmsg": (46, 211), "setns": (308, 268), "shmget": (29, 194), "syslog": (103, 116),
    "tgkill": (234, 131), "umount2": (166, 39), "unshare": (272, 97), "userfaultfd": (323, 282),
    "vmsplice": (278, 75),
}
_libc = ctypes.CDLL(None, use_errno=True)


def call(name, *arguments):
    """Make a system call; OSError where the kernel refuses."""
    number = _NUMBERS[name][platform.machine() == "aarch64"] if isinstance(name, str) else name
    result = _libc.syscall(ctypes.c_long(number), *[ctypes.c_long(a) if isinstance(a, int) else a for a in arguments])
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result


def denied(*attempts):
    """Each attempt must fail as a program's own fault would; whatever succeeds is said aloud."""
    for number, attempt in enumerate(attempts, start=1):
        try:
            got = attempt()
        except (OSError, ImportError, RuntimeError, KeyError, MemoryError, ValueError) as error:
            print("denied:", type(error).__name__, error)
        else:
            print(f"BROKE IN ({number}):", repr(got)[:300])


def broke_in(what):
    print("BROKE IN:", repr(what)[:300])
