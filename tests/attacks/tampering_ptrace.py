"""Trace another process.

cell: tampering
"""
call("ptrace", 16, os.getppid(), 0, 0)
broke_in("nothing happened")
