"""Handle SIGSYS, so that the kernel's word does not arrive.

cell: tampering
"""
import signal

signal.signal(signal.SIGSYS, signal.SIG_IGN)
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGSYS])
call("ptrace", 16, os.getppid(), 0, 0)
broke_in("nothing happened")
