"""Hold the kernel up in the middle of a copy.

cell: tampering
"""
call("userfaultfd", 0)
broke_in("nothing happened")
