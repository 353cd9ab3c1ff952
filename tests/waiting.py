"""Waiting for what happens, on however busy a machine."""
from __future__ import annotations

import time
from collections.abc import Callable
from urllib.request import urlopen

#: seconds after which something hangs; nothing that only takes its time takes so long
HANGS = 600.0


def eventually(true: Callable[[], object], hopeless: Callable[[], object] = lambda: False) -> None:
    """Wait until this is true; fail at once where it cannot become true any more."""
    until = time.monotonic() + HANGS
    while not true():
        assert not hopeless()
        assert time.monotonic() < until, f"did not happen within {HANGS:.0f} seconds"
        time.sleep(0.01)


def answers(address: str) -> bool:
    """Whether a server answers there by now."""
    try:
        urlopen(address, timeout=HANGS).close()
    except OSError:
        return False
    return True
