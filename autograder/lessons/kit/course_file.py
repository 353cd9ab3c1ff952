"""Find the course's files: beside the package in a checkout, inside it in an installed wheel."""

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parents[2]
#: where files such as "solutions/multihead.py" are looked for
ROOTS = (_PACKAGE / "_course", _PACKAGE.parent)


def course_file(relative: str) -> Path:
    """The path of a file that comes with the autograder, such as "nbgrader_config.py".

    Raises FileNotFoundError, with the remedy, if the installation is incomplete.
    """
    for root in ROOTS:
        if (root / relative).exists():
            return root / relative
    raise FileNotFoundError(f"{relative} is missing from this installation; install multihead-autograder again")
