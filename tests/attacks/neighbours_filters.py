"""Add filters and rules of one's own, or take off those that stand."""
denied(lambda: call("seccomp", 1, 0, ctypes.create_string_buffer(16)), lambda: call("seccomp", 2, 0, bytes(4)),
       lambda: call("prctl", 22, 0, 0, 0, 0), lambda: call("prctl", 22, 1, 0, 0, 0),
       lambda: call("landlock_create_ruleset", bytes(24), 24, 0), lambda: call("prctl", 45, 0, 0, 0, 0))
