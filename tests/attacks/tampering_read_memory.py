"""Read the memory of another process.

cell: tampering
"""
call("process_vm_readv", os.getppid(), bytes(16), 1, bytes(16), 1, 0)
broke_in("nothing happened")
