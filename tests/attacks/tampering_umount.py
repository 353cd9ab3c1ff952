"""Take off what hides something.

cell: tampering
"""
call("umount2", b"/", 2)
broke_in("nothing happened")
