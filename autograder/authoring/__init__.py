"""Make lessons: release, pictures, solution regions, synthetic classes, new parts."""
import autograder.nbgrader as _nbgrader  # noqa: F401 - before nbformat is imported, which it makes quick
