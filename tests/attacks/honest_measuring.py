"""Measure one's own code: memory, profiles, traces, sizes, bytecode, the garbage collector."""
import cProfile
import dis
import gc
import io
import pstats
import sys
import timeit
import trace
import tracemalloc

import numpy as np

tracemalloc.start()
x = np.ones(10**6)
print(tracemalloc.get_traced_memory()[1] > 8 * 10**6, sys.getsizeof(x), x.nbytes, gc.get_count(), gc.collect() >= 0)
print(len(tracemalloc.take_snapshot().statistics("lineno")) > 0)
tracemalloc.stop()
profile = cProfile.Profile()
profile.runcall(np.linalg.inv, np.eye(30))
pstats.Stats(profile, stream=io.StringIO()).sort_stats("cumulative").print_stats(5)
print(timeit.timeit("x + 1", globals={"x": x}, number=3) > 0, timeit.repeat("1", number=1, repeat=2)[0] >= 0)
trace.Trace(count=1, trace=0).runfunc(lambda: sum(range(5)))
dis.dis(lambda: 1, file=io.StringIO())
steps = []
sys.setprofile(lambda *what: steps.append(what[1]))
np.zeros(3).sum()
sys.setprofile(None)
sys.settrace(lambda *_: None)
sys.settrace(None)
print(len(steps) > 0)
