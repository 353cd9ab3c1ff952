"""Write machine code and run it: a filter on system calls holds for that as well.

machine: x86_64
"""
import mmap

#: mov eax, 41 (socket); mov edi, 2; mov esi, 1; xor edx, edx; syscall; ret
CODE = bytes.fromhex("b829000000bf02000000be0100000031d20f05c3")
page = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
page.write(CODE)
got = ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(page)))()
if got >= 0:
    broke_in(got)
print("the kernel said", got)
