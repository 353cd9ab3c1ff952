"""Have the kernel start a program that finds a key.

cell: tampering
"""
call("request_key", b"user", b"x", b"y", -3)
broke_in("nothing happened")
