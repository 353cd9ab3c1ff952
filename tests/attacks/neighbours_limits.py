"""Change what others may use, and when they run."""
import resource

denied(lambda: resource.prlimit(os.getppid(), resource.RLIMIT_CPU), lambda: resource.prlimit(JUDGE, resource.RLIMIT_AS),
       lambda: resource.prlimit(os.getppid(), resource.RLIMIT_CPU, (1, 1)), lambda: os.nice(-5), lambda: os.nice(5),
       lambda: os.setpriority(os.PRIO_PROCESS, os.getppid(), 19), lambda: os.sched_setaffinity(os.getppid(), {0}),
       lambda: os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1)), lambda: os.setsid(), lambda: os.setpgid(0, 0))
