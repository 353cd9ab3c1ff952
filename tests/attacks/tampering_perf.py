"""Watch the processor.

cell: tampering
"""
call("perf_event_open", bytes(128), 0, -1, -1, 0)
broke_in("nothing happened")
