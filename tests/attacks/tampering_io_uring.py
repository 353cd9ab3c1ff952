"""Go around the filter through a ring.

cell: tampering
"""
call("io_uring_setup", 8, ctypes.create_string_buffer(120))
broke_in("nothing happened")
