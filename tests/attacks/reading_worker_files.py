"""Read the files of the worker itself, and the filter that it loaded."""
worker = sys.modules["autograder.sandbox.inside.worker"].__file__
denied(lambda: open(worker).read(), lambda: open(worker.replace("worker.py", "filters.json")).read(),
       lambda: os.listdir(os.path.dirname(worker)))
