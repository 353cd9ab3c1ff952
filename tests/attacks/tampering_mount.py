"""Mount /proc.

cell: tampering
"""
call("mount", b"proc", b"/", b"proc", 0, 0)
broke_in("nothing happened")
