"""Ask for the session's keyring.

cell: tampering
"""
call("keyctl", 0, -3, 1)
broke_in("nothing happened")
