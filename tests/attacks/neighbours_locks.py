"""Leave words for others in locks on files that all can see."""
import fcntl

library = open(os.__file__)
denied(lambda: fcntl.flock(library, fcntl.LOCK_EX | fcntl.LOCK_NB), lambda: fcntl.lockf(library, fcntl.LOCK_SH),
       lambda: call("flock", library.fileno(), 2), lambda: fcntl.flock(0, fcntl.LOCK_EX),
       lambda: os.lockf(library.fileno(), os.F_TLOCK, 0))
