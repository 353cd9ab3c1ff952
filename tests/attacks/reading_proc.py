"""Read memory, environment and descriptors through /proc."""
denied(*[lambda path=path: open(path, "rb").read(10) for path in (
    "/proc/self/maps", "/proc/self/mem", "/proc/self/environ", "/proc/self/cmdline", "/proc/1/environ",
    f"/proc/{JUDGE}/environ", f"/proc/{JUDGE}/mem", f"/proc/{os.getppid()}/mem", "/proc/cpuinfo", "/proc/mounts")],
       lambda: os.listdir("/proc"), lambda: os.listdir("/proc/self/fd"), lambda: os.readlink(f"/proc/{JUDGE}/cwd"))
