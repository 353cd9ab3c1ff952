"""Send out-of-band bytes to the judge's end of the channel."""
import socket

channel = socket.socket(fileno=os.dup(3))
denied(lambda: channel.send(b"x", socket.MSG_OOB), lambda: channel.send(b"x", socket.MSG_MORE),
       lambda: channel.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 10**8),
       lambda: channel.sendmsg([b"x"]), lambda: channel.recv(1, socket.MSG_OOB))
