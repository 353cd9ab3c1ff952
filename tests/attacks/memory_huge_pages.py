"""Ask for memory in ways that a limit could overlook: huge pages, grown stacks, advice, moved maps."""
import mmap

denied(lambda: mmap.mmap(-1, 2**31, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x40000),
       lambda: mmap.mmap(-1, 2**31, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | mmap.MAP_STACK),
       lambda: mmap.mmap(-1, 2**31, flags=mmap.MAP_SHARED | mmap.MAP_ANONYMOUS | 0x4000),
       lambda: mmap.mmap(-1, 2**20).resize(2**31), lambda: call("memfd_create", ctypes.c_char_p(b"x"), 4),
       lambda: bytearray(2**31), lambda: b"x" * 2**31)
spare = mmap.mmap(-1, 2**20)
for advice in range(26):
    try:
        spare.madvise(advice)
    except (OSError, ValueError):
        continue
