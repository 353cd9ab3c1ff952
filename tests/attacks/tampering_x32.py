"""Make a call by the numbers of another ABI, x32, that a filter may forget.

cell: tampering
machine: x86_64
"""
call(0x40000000 + 2, ctypes.c_char_p(b"/etc/passwd"), 0)
broke_in("nothing happened")
