"""The standard streams, which whoever started the program may have closed, filled up or left."""
from __future__ import annotations

import os
import sys


def open_what_is_closed() -> None:
    """Have all three standard streams: what is written to a closed one is lost, and no file gets its number."""
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)                           # gets the lowest number that is free
        if getattr(sys, name) is None:
            setattr(sys, name, os.fdopen(number, "w" if number else "r", encoding="utf-8", closefd=False))


def silence_output() -> None:
    """Lose what standard output still holds, so that the last flush stays silent."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
