"""Look for others' numbers and sources in memory that is handed out as it is."""
import numpy as np

word = OTHER[::-1].encode()
hoard = [np.empty(2**16, np.uint8) for _ in range(400)] + [np.empty(64, np.uint8) for _ in range(20_000)]
for array in hoard:
    if word in array.tobytes():
        broke_in("a word of the student before")
