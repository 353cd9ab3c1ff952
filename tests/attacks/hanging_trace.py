"""Make everything slow by a trace, a profile and a collector that is called all the time.

points: 7
split_heads: timed_out
"""
import gc
import threading

right = split_heads                                                       # noqa: F821


def watch(*_):
    for _ in range(10_000):
        pass
    return watch


def split_heads(x, heads):
    gc.callbacks.append(watch)
    gc.set_threshold(1)
    threading.setprofile(watch)
    sys.setprofile(watch)
    sys.settrace(watch)
    while True:
        right(x, heads)
