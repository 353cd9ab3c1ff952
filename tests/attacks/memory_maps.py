"""Map more memory than the limit, past Python's allocator, and raise the limit first."""
import mmap
import resource

hoard = []


def maps():
    for _ in range(100):
        hoard.append(mmap.mmap(-1, 2**28, flags=mmap.MAP_SHARED | mmap.MAP_ANONYMOUS))
    return len(hoard)


denied(maps, lambda: mmap.mmap(-1, 2**40), lambda: resource.setrlimit(resource.RLIMIT_AS, (-1, -1)),
       lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (10**6, 10**6)),
       lambda: resource.prlimit(0, resource.RLIMIT_AS, (2**40, 2**40)),
       lambda: resource.setrlimit(resource.RLIMIT_NPROC, (100, 100)))
hoard.clear()
