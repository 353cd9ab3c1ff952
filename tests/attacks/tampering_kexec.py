"""Start another kernel.

cell: tampering
"""
call("kexec_load", 0, 0, 0, 0)
broke_in("nothing happened")
