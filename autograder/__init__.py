"""An autograder for the multi-head attention lesson: the student's code behind a wall, verdicts formed outside."""

__version__ = "0.1.0"
