"""An autograder for the multi-head attention lesson: the student's code behind a wall, verdicts formed outside."""
import os as _os
import sys as _sys
from typing import TYPE_CHECKING as _TYPE_CHECKING

if _TYPE_CHECKING:
    from autograder.api import check, grade_course, verify

__all__ = ["check", "grade_course", "verify"]

__version__ = "0.2.0"

if not (3, 11) <= _sys.version_info[:2] <= (3, 13):
    raise ImportError("the autograder works with Python 3.11, 3.12 and 3.13, and this is Python {}.{}; make a virtual "
                      "environment with one of those".format(*_sys.version_info))

# The matrices of a lesson are small: in every process of a pool, BLAS threads would wait for each other longer than
# they compute. Set the variable to use more.
_os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


def __getattr__(name: str) -> object:
    """The functions of `autograder.api`, loaded when the first of them is used."""
    if name not in __all__:
        raise AttributeError(f"module 'autograder' has no attribute {name!r}")
    from importlib import import_module
    return getattr(import_module("autograder.api"), name)
