"""Warnings and logs, shown and turned into errors."""
import logging
import warnings

import numpy as np

warnings.warn("be careful"), logging.warning("careful"), logging.basicConfig(level=logging.INFO), logging.info("here")
warnings.simplefilter("always")
print(np.array([1.0]) / 0, np.log(np.array([-1.0])), np.int8(100) * np.array([2], dtype=np.int8))
with warnings.catch_warnings(record=True) as caught:
    warnings.warn("old", DeprecationWarning, stacklevel=1)
print(len(caught))
with np.errstate(all="raise"):
    try:
        np.array([1.0]) / 0
    except FloatingPointError as error:
        print(error)
