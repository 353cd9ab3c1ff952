"""Know which courses this user trusts: only their lessons are loaded, since checks run with the user's own rights.

The list is in the user's own configuration folder, so nothing that is unpacked or handed in can add to it.
"""

import json
import os
from collections.abc import Callable
from pathlib import Path

from autograder.atomic import replace_file
from autograder.faults import Refused


class CannotTrust(Refused):
    """The list cannot be read or written: what is wrong and what to do, in one line."""


def trusted_file() -> Path:
    """$XDG_CONFIG_HOME/multihead-autograder/courses.json, or below ~/.config: the folders of the trusted courses."""
    home = os.environ.get("XDG_CONFIG_HOME") or os.path.join(os.path.expanduser("~"), ".config")
    return Path(home, "multihead-autograder", "courses.json")


def trusted_courses() -> list[str]:
    """The real paths of the trusted courses; CannotTrust if the list is damaged."""
    path = trusted_file()
    try:
        found = json.loads(path.read_bytes())
    except FileNotFoundError:
        return []
    except (OSError, ValueError) as error:
        raise CannotTrust(f"{path} cannot be read ({type(error).__name__}); repair it, or remove it and trust your "
                          "courses again") from None
    if not isinstance(found, list) or not all(isinstance(each, str) for each in found):
        raise CannotTrust(f"{path} is not a list of folders; repair it, or remove it and trust your courses again")
    return found


def is_trusted(course: Path) -> bool:
    """Whether this user trusts the lessons of the course in this folder."""
    return os.path.realpath(course) in trusted_courses()


def trust(course: Path) -> None:
    """Remember that the lessons of this course may be loaded."""
    _change(lambda courses: [*courses, os.path.realpath(course)])


def distrust(course: Path) -> None:
    """Forget it."""
    _change(lambda courses: [each for each in courses if each != os.path.realpath(course)])


def _change(made: Callable[[list[str]], list[str]]) -> None:
    """Write the list that this makes of it; no other process writes it meanwhile."""
    from filelock import FileLock
    path = trusted_file()
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with FileLock(path.with_suffix(".lock")):
            courses = made(trusted_courses())
            replace_file(path, (json.dumps(sorted(set(courses)), indent=1) + "\n").encode(), 0o600)
    except OSError as error:
        raise CannotTrust(f"cannot write {path}: {error.strerror or error}") from None
