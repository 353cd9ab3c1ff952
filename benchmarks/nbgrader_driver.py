"""Run `nbgrader autograde ASSIGNMENT` in this folder and print the seconds that it takes once nbgrader is imported.

Usage: python nbgrader_driver.py ASSIGNMENT. A program of its own, so that nothing of the benchmark is in its process.
"""
from __future__ import annotations

import sys
import time
from contextlib import suppress

from nbgrader.apps import NbGrader
from nbgrader.converters import Autograde
from nbgrader.converters.base import NbGraderException
from nbgrader.coursedir import CourseDirectory


def main() -> None:
    app = NbGrader()
    app.load_config_file()
    folder = CourseDirectory(parent=app)
    folder.assignment_id = sys.argv[1]
    converter = Autograde(coursedir=folder, parent=app)
    converter.log.setLevel("CRITICAL")
    start = time.perf_counter()
    with suppress(NbGraderException):         # some of them could not be graded; how many were, the caller counts
        converter.start()
    print(time.perf_counter() - start)


if __name__ == "__main__":
    main()
