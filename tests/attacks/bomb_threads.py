"""Start threads, and only once the first was denied, many."""
import threading
from concurrent.futures import ThreadPoolExecutor

denied(lambda: threading.Thread(target=print).start(), lambda: ThreadPoolExecutor(2).submit(print),
       lambda: sys.modules["_thread"].start_new_thread(print, ()))
for _ in range(200):
    try:
        sys.modules["_thread"].start_new_thread(print, ())
        broke_in("a thread")
        break
    except RuntimeError:
        continue
