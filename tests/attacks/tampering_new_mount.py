"""Mount by the newer calls.

cell: tampering
"""
call("fsopen", b"proc", 0)
broke_in("nothing happened")
