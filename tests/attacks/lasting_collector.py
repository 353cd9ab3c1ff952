"""Fail in every collection of garbage, and have one after every object."""
import gc

gc.callbacks.append(lambda *a: 1 / 0)
gc.set_threshold(1)
