"""Change the root folder.

cell: tampering
"""
call("pivot_root", b"/", b"/")
broke_in("nothing happened")
