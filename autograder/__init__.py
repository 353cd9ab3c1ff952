"""An autograder for the multi-head attention lesson: the student's code behind a wall, verdicts formed outside."""
import os as _os
import sys as _sys

__version__ = "0.1.0"

if not (3, 11) <= _sys.version_info[:2] <= (3, 13):
    raise ImportError("the autograder works with Python 3.11, 3.12 and 3.13, and this is Python {}.{}; make a virtual "
                      "environment with one of those".format(*_sys.version_info))

# The matrices of a lesson are small: BLAS threads would wait for each other longer than they compute, in every process
# of a pool. Whoever wants more sets the variable.
_os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
