"""Handle standard streams that were closed, filled up or abandoned by the caller."""
from __future__ import annotations

import os
import sys


def open_what_is_closed() -> None:
    """Open all three standard streams: output to a closed one is lost, and no file gets its descriptor."""
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)                           # gets the lowest free number
        if getattr(sys, name) is None:
            setattr(sys, name, os.fdopen(number, "w" if number else "r", encoding="utf-8", closefd=False))


def silence_output() -> None:
    """Discard what standard output still buffers, so that the last flush stays silent."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
