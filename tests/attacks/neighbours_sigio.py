"""Let the kernel send signals for us: owners of descriptors, leases, notifications."""
import fcntl

denied(lambda: fcntl.fcntl(3, fcntl.F_SETOWN, os.getppid()), lambda: fcntl.fcntl(3, fcntl.F_SETSIG, 9),
       lambda: fcntl.fcntl(0, fcntl.F_SETLEASE, fcntl.F_WRLCK), lambda: fcntl.fcntl(0, fcntl.F_NOTIFY, 1),
       lambda: fcntl.ioctl(3, 0x8901, ctypes.create_string_buffer(os.getppid().to_bytes(4, "little"))),
       lambda: fcntl.ioctl(3, 0x5452, ctypes.create_string_buffer(b"\1\0\0\0")), lambda: fcntl.fcntl(3, 15, bytes(8)))
