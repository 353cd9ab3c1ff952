"""Load a program into the kernel.

cell: tampering
"""
call("bpf", 0, bytes(64), 64)
broke_in("nothing happened")
