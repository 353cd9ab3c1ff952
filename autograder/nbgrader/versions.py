"""Check the version of nbgrader, which does not promise stable internals."""

import re
from importlib.metadata import PackageNotFoundError, version

from autograder.course.folder import CourseError

FIRST, BEFORE = (0, 9, 5), (0, 10)


def check_nbgrader() -> None:
    """Raise CourseError, with the remedy, if nbgrader is missing or is a version that was never tried."""
    remedy = "run `pip install 'nbgrader>=0.9.5,<0.10'` in the environment of the autograder"
    try:
        found = version("nbgrader")
    except PackageNotFoundError:
        raise CourseError(f"nbgrader is not installed; {remedy}") from None
    if not FIRST <= tuple(map(int, re.findall(r"\d+", found)[:3])) < BEFORE:
        raise CourseError(f"this is nbgrader {found}, and the autograder works with 0.9.5 and 0.9.6; {remedy}")
