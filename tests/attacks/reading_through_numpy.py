"""Read and write files by NumPy's own ways, past `open`."""
import numpy as np

denied(lambda: np.fromfile("/etc/passwd", np.uint8), lambda: np.memmap("/etc/passwd", np.uint8, "r"),
       lambda: np.loadtxt("/etc/passwd", str), lambda: np.genfromtxt("/etc/hosts", str), lambda: np.load("/etc/shadow"),
       lambda: np.zeros(3).tofile("/tmp/autograder-attack-numpy"), lambda: np.save("/tmp/autograder-attack-numpy", 1),
       lambda: np.memmap("/tmp/autograder-attack-numpy", np.uint8, "w+", shape=8),
       lambda: np.ctypeslib.load_library("libc", "/etc"), lambda: np.fromregex("/etc/passwd", "(.*)", [("a", "U9")]),
       lambda: np.fromfile("/proc/self/mem", np.uint8, 8), lambda: np.memmap(np.__file__, np.uint8, "r+"))
