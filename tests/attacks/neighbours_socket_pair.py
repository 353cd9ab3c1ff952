"""Bend a pair of sockets that asyncio may have into one that reaches others."""
import array
import socket

left, right = socket.socketpair()
denied(lambda: left.connect("\0autograder"), lambda: left.bind("\0autograder"), lambda: left.bind("/socket"),
       lambda: left.listen(), lambda: left.sendto(b"x", "\0autograder"),
       lambda: left.sendmsg([b"x"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [3]))]),
       lambda: right.recvmsg(1, 100), lambda: left.send(b"x", socket.MSG_OOB),
       lambda: left.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1))
