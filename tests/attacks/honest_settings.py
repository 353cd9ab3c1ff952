"""Settings of a notebook's first cell: how numbers print, what NumPy warns of, what counts as an error."""
import decimal
import sys
import warnings

import numpy as np

np.set_printoptions(precision=2, suppress=True, linewidth=200, threshold=10**6)
np.seterr(all="raise", under="ignore")
np.random.seed(42)
warnings.filterwarnings("error")
decimal.getcontext().prec = 50
sys.setrecursionlimit(10**5)
with np.errstate(divide="ignore", invalid="ignore"):
    print(np.zeros(2) / 0, np.array2string(np.pi * np.ones(2)), decimal.Decimal(2).sqrt())
with np.printoptions(precision=1):
    print(np.arange(3) / 7)
