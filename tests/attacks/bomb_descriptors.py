"""Open descriptors of every kind until something gives."""
import select
import socket

opened = []


def until_refused(make):
    for _ in range(10_000):
        opened.append(make())
    return len(opened)


denied(lambda: until_refused(lambda: os.open("/dev/null", os.O_RDONLY)), lambda: until_refused(lambda: os.dup(0)))
while opened:
    os.close(opened.pop())
denied(lambda: until_refused(select.epoll), lambda: until_refused(socket.socketpair))
opened.clear()
denied(os.pipe, lambda: call("pipe2", (ctypes.c_int * 2)(), 0), lambda: os.memfd_create("x"), lambda: os.eventfd(0),
       lambda: call("memfd_secret", 0), lambda: call("memfd_create", b"x", 0))
