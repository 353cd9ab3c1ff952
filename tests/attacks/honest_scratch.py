"""Two hundred megabytes of scratch space, several times."""
import gc

import numpy as np

for _ in range(3):
    scratch = np.ones(25 * 2**20)
    print(scratch.sum())
    del scratch
    gc.collect()
parts = [np.full((100, 1000), number) for number in range(120)]
print(np.concatenate(parts).nbytes)
