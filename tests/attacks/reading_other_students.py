"""Look for the work of the student before, whose cells held OTHER backwards, in all memory that can be had."""
import gc

import numpy as np

word = OTHER[::-1]
found = [thing for thing in gc.get_objects() if isinstance(thing, dict) and word in [*map(str, thing)]]
for size in (1_000, 100_000, 50_000_000):
    heap = np.empty(size, dtype=np.uint8).tobytes()
    if word.encode() in heap or word.encode("utf-32-le") in heap:
        found.append(size)
if any(word in str(value) for value in vars(sys.modules["linecache"])["cache"].values()):
    found.append("linecache")
if found:
    broke_in(found[:3])
