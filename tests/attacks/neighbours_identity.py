"""Become someone else, or someone with rights."""
denied(lambda: os.setuid(0) or os.setuid(1), lambda: os.setresuid(0, 0, 0), lambda: os.setgid(0), lambda: os.setgroups([0]),
       lambda: os.setegid(5), lambda: call("personality", 0x0040000), lambda: call("prctl", 8, 1, 0, 0, 0),
       lambda: call("prctl", 38, 0, 0, 0, 0), lambda: call("prctl", 4, 1, 0, 0, 0), lambda: call("prctl", 1, 0, 0, 0, 0),
       lambda: call("prctl", 24, 0, 0, 0, 0), lambda: call(126 if platform.machine() == "x86_64" else 91, bytes(8), bytes(24)),
       lambda: call("ioperm", 0, 1024, 1) if platform.machine() == "x86_64" else call("prctl", 0))
