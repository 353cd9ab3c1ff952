"""Make a 32-bit call from a 64-bit process: the numbers mean something else there.

cell: tampering
machine: x86_64
"""
import mmap

code = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
code.write(b"\xb8\x14\0\0\0\xcd\x80\xc3")                       # mov eax, 20 (getpid); int 0x80; ret
address = ctypes.addressof(ctypes.c_char.from_buffer(code))
print(ctypes.CFUNCTYPE(ctypes.c_int)(address)())
broke_in("nothing happened")
