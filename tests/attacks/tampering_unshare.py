"""Become root in a user namespace of one's own.

cell: tampering
"""
call("unshare", 0x10000000)
broke_in("nothing happened")
