"""Talk to anyone: TCP, UDP, raw, netlink, vsock, packets, named and abstract Unix sockets."""
import socket

FAMILIES = [(socket.AF_INET, socket.SOCK_STREAM), (socket.AF_INET, socket.SOCK_DGRAM), (socket.AF_INET6, 1),
            (socket.AF_INET, socket.SOCK_RAW), (socket.AF_NETLINK, socket.SOCK_RAW), (socket.AF_VSOCK, 1),
            (socket.AF_PACKET, socket.SOCK_RAW), (socket.AF_UNIX, socket.SOCK_STREAM), (socket.AF_UNIX, socket.SOCK_DGRAM),
            (38, socket.SOCK_SEQPACKET)]
denied(*[lambda pair=pair: socket.socket(*pair) for pair in FAMILIES],
       lambda: socket.create_connection(("127.0.0.1", 80), 1), lambda: socket.getaddrinfo("example.org", 80),
       lambda: socket.socketpair(type=socket.SOCK_DGRAM), lambda: socket.socketpair(type=socket.SOCK_SEQPACKET),
       lambda: __import__("urllib.request").request.urlopen("http://127.0.0.1/", timeout=1))
