"""Ask NumPy's libraries for threads, as lessons on speed do."""
import threading

import numpy as np

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = "8"
a = np.ones((500, 500))
print((a @ a)[0, 0], os.cpu_count() >= 1, threading.active_count(), threading.current_thread().name, len(os.sched_getaffinity(0)) > 0)
lock, event, local = threading.RLock(), threading.Event(), threading.local()
with lock:
    print(event.wait(0.01), threading.Condition(lock).wait(0.01))
