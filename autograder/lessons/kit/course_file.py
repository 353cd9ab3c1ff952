"""Find the course's files: beside the package in a checkout, inside it in an installed wheel."""
from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parents[2]


def course_file(relative: str) -> Path:
    """The path of a file of the course, such as "solutions/multihead.py".

    Raises FileNotFoundError, with the remedy, if the installation is incomplete.
    """
    for root in (_PACKAGE / "_course", _PACKAGE.parent):
        if (root / relative).exists():
            return root / relative
    raise FileNotFoundError(f"{relative} is missing from this installation; install multihead-autograder again")
