"""Get hold of other processes by descriptors, and of their descriptors."""
denied(lambda: os.pidfd_open(os.getppid()), lambda: os.pidfd_open(JUDGE), lambda: call("pidfd_open", 1, 0),
       lambda: call("pidfd_send_signal", 3, 9, 0, 0), lambda: call("pidfd_getfd", 3, 0, 0),
       lambda: call("kcmp", os.getpid(), os.getppid(), 0, 0, 0))
