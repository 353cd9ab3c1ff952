"""Leave words for others in the kernel's keyring.

cell: tampering
"""
call("add_key", b"user", b"autograder", b"x", 1, -4)
broke_in("nothing happened")
