"""Open a file by its handle, past all folders.

cell: tampering
"""
call("open_by_handle_at", -100, bytes(100), 0)
broke_in("nothing happened")
