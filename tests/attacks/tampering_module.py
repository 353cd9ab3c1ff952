"""Load a kernel module.

cell: tampering
"""
call("finit_module", 3, b"", 0)
broke_in("nothing happened")
