"""Import what the judge knows, after putting back what was taken from the packages."""
import importlib
import runpy

sys.path.insert(0, REPOSITORY)
for package in ("autograder", "autograder.sandbox"):
    sys.modules[package].__path__ = [f"{REPOSITORY}/{package.replace('.', '/')}"]
importlib.invalidate_caches()
NAMES = ["autograder.lessons.kit.lesson", "autograder.judge.worlds", "autograder.lessons.multihead.lesson", "autograder.sandbox.student",
         "solutions.multihead"]
denied(*[lambda name=name: importlib.import_module(name) for name in NAMES],
       lambda: runpy.run_path(f"{REPOSITORY}/solutions/multihead.py"))
del sys.modules["autograder"], sys.modules["autograder.sandbox"]
denied(lambda: importlib.import_module("autograder.lessons.kit.lesson"), lambda: importlib.import_module("autograder"))
