"""Take the worker's standard streams away, and what Python shows errors with."""
sys.excepthook = sys.unraisablehook = lambda *a: 1 / 0
sys.displayhook = None
sys.stdout = sys.__stdout__ = sys.__stderr__ = None
