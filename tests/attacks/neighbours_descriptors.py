"""Pass descriptors to others, and take theirs: SCM_RIGHTS, splices, tees, event and signal descriptors."""
import array
import signal
import socket

ours, theirs = socket.socketpair()
rights = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [0]))]
credentials = [(socket.SOL_SOCKET, 2, b"\1\0\0\0" + bytes(8))]
denied(lambda: ours.sendmsg([b"x"], rights), lambda: ours.sendmsg([b"x"], credentials), lambda: ours.recvmsg(1, 64),
       lambda: socket.send_fds(socket.socket(fileno=os.dup(3)), [b"x"], [0]), lambda: call("vmsplice", 1, 0, 0, 0),
       lambda: os.eventfd(0), lambda: signal.set_wakeup_fd(3) == 0 or (_ for _ in ()).throw(OSError("harmless")),
       lambda: os.splice(3, 1, 10), lambda: os.sendfile(1, 3, 0, 10), lambda: os.pipe(), lambda: os.openpty(),
       lambda: os.posix_openpt if hasattr(os, "posix_openpt") else open("/dev/ptmx"))
