"""Join another namespace.

cell: tampering
"""
call("setns", 3, 0)
broke_in("nothing happened")
