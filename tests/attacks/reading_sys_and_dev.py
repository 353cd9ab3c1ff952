"""Read the kernel's own folders and devices."""
denied(*[lambda path=path: open(path, "rb").read(10) for path in (
    "/sys/kernel/notes", "/sys/class/net/lo/address", "/dev/mem", "/dev/kmsg", "/dev/tty", "/dev/zero", "/dev/fuse",
    "/dev/sda", "/dev/vda", "/dev/ptmx", "/dev/userfaultfd")],
       lambda: os.listdir("/sys"), lambda: os.listdir("/dev"), lambda: call("syslog", 3, ctypes.create_string_buffer(99), 99))
