"""Read what students hand in as Submissions: notebooks, Python files, folders and archives.

Nothing here runs or compiles students' code, and nothing imports nbformat or nbgrader.
"""
from autograder.intake.reading import from_sources, read, read_folder
from autograder.intake.recognise import read_any, read_everything
from autograder.intake.submission import read_bytes

__all__ = ["from_sources", "read", "read_any", "read_bytes", "read_everything", "read_folder"]
