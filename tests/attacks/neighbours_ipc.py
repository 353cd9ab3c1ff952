"""Leave words for others in shared memory, semaphores and message queues."""
from multiprocessing import shared_memory

denied(lambda: call("shmget", 4242, 4096, 0o1666), lambda: call("semget", 4242, 1, 0o1666),
       lambda: call("msgget", 4242, 0o1666), lambda: call("mq_open", ctypes.c_char_p(b"q"), 0o102, 0o666, 0),
       lambda: shared_memory.SharedMemory("autograder", create=True, size=10))
