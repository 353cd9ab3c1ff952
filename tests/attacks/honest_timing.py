"""Clocks, short waits, profiles and limits of one's own."""
import cProfile
import datetime
import io
import pstats
import signal
import time
import timeit
import tracemalloc

print(time.time() > 0, time.perf_counter() > 0, time.process_time() > 0, time.monotonic_ns() > 0, time.strftime("%Y")[:2])
print(timeit.timeit("1 + 1", number=10) >= 0, datetime.datetime.now().year > 2000, datetime.date.today() is None)
time.sleep(0.01), time.localtime(), time.get_clock_info("monotonic"), time.thread_time()
with cProfile.Profile() as profile:
    sum(range(100))
pstats.Stats(profile, stream=io.StringIO()).print_stats(3)
tracemalloc.start(), bytearray(1000), tracemalloc.take_snapshot(), tracemalloc.stop()
signal.signal(signal.SIGALRM, lambda *_: print("time is up")), signal.setitimer(signal.ITIMER_REAL, 0.01), time.sleep(0.05)
signal.alarm(0)
