"""List the versions that this installation grades with, for an image that is built elsewhere.

nbgrader and its dependencies (JupyterLab, a database) keep a course but grade nothing, so they are left out.
"""

import re
from importlib.metadata import PackageNotFoundError, distribution

from autograder.integrations.wheel import NAME

AT_HOME = frozenset({"nbgrader", "nbformat", "pytest", "setuptools"})
_NAME = re.compile(r"[A-Za-z0-9._-]+")


def requirements() -> list[str]:
    """"name==version" for everything that grading a submission needs, sorted."""
    found: dict[str, str] = {}
    waiting = [NAME]
    while waiting:
        for name in _needs(waiting.pop()):
            if name not in found and name not in AT_HOME:
                try:
                    found[name] = distribution(name).version
                except PackageNotFoundError:    # for another system than this one
                    continue
                waiting.append(name)
    return [f"{name}=={version}" for name, version in sorted(found.items())]


def _needs(name: str) -> list[str]:
    """The direct dependencies of this package, by normalised names."""
    lines = [line for line in distribution(name).requires or () if "extra ==" not in line]
    names = [found[0] for found in map(_NAME.match, lines) if found is not None]
    return [re.sub(r"[-_.]+", "-", name).lower() for name in names]
