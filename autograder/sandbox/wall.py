"""The wall between a student's code and everything else.

Theory of operation
-------------------
The judge (this side) knows the checks, the expected values and the reference. A student's code is never loaded here; it
runs in a child of the zygote, and all that crosses are frames of plain data over one socket (`wire`).

    judge (trusted: checks, expected values, reference, clock)
     |- control socket -- bubblewrap -- zygote (NumPy warm; never sees a submission)
     `- one socketpair a submission ----`- fork -> child: inner wall, then the student's cells

The outer wall is put up once, around the zygote, by bubblewrap: separate namespaces of every kind that Linux has, so no
network, no other process, no host name; a root folder that is empty except for Python, NumPy and what the worker needs,
all read-only; no /proc, /etc, /tmp, home or shell; an unprivileged user without capabilities. What is visible is bound
package by package (`libraries`): the autograder may be in the same folder as NumPy.

The inner wall goes up in every child before it sees a line of a student's (`inner`): limits, no privileges, Landlock
and a filter on system calls. It is the wall between submissions, and a second one around all of them: the filter
denies what the namespaces make harmless, and Landlock denies reading and writing where the root folder would not.

Which parts a machine can have is decided once, by trial (`tiers`), and recorded in every grade:
    namespaces   both walls
    process      the inner wall alone: names and sizes of files can be found out, contents cannot
    none         limits only; the student's code can do whatever the grading user can do

No wall holds against a bug in the kernel.
"""

import json
import os
import sys
from pathlib import Path
from typing import NamedTuple

from autograder.sandbox.libraries import Libraries, libraries

_PACKAGE = Path(__file__).resolve().parents[1]
_HERE = _PACKAGE / "sandbox"
#: the only files of the autograder that are visible inside the outer wall
INSIDE = (_PACKAGE / "__init__.py", _HERE / "__init__.py",
          *sorted(path for room in ("inside", "wire", "forgetful") for path in (_HERE / room).iterdir()
                  if path.suffix in (".py", ".json")))
_INSIDE_FOLDER = "/worker"                # where these files are seen from inside the outer wall
_NOBODY = "65534"
_ENVIRONMENT = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1",
                "VECLIB_MAXIMUM_THREADS": "1", "NUMEXPR_NUM_THREADS": "1", "PYTHONHASHSEED": "0",
                "MPLBACKEND": "Agg", "LANG": "C.UTF-8", "HOME": "/", "MPLCONFIGDIR": "/dev/null/matplotlib"}


class Wall(NamedTuple):
    """The wall around the zygote and its children."""

    tier: str                             # "namespaces", "process" or "none"
    bubblewrap: str = ""                  # the program that puts up the outer wall

    def command(self, control: int, memory_mb: int, seconds: int, plots: bool = False) -> list[str]:
        """The zygote's command: no site-packages except ours and NumPy's, no current folder, no bytecode."""
        zygote = ["-S", "-s", "-P", "-B", "-m", "autograder.sandbox.inside.zygote", str(control), str(memory_mb),
                  str(seconds), json.dumps(self._rules()), "plots" if plots else "", sys.version]
        return [*self.outer(), libraries().program, *zygote]

    def environment(self) -> dict[str, str]:
        """The zygote's whole environment."""
        ours = _INSIDE_FOLDER if self.tier == "namespaces" else str(_PACKAGE.parent)
        found = libraries()
        environment = {**_ENVIRONMENT, "PYTHONPATH": os.pathsep.join([ours, *found.site])}
        if self.tier != "none":           # the loader's own configuration cannot be read behind a wall
            environment["LD_LIBRARY_PATH"] = ":".join(found.shared_folders)
        return environment

    def _rules(self) -> dict[str, list[str]] | None:
        """What the inner wall lets through."""
        if self.tier == "none":
            return None
        found = libraries()
        return {"read": found.readable, "list_only": [*found.standard, *found.site], "write": ["/dev/null"],
                "packages": [Path(package).stem for package in found.packages], "site": list(found.site)}

    def outer(self) -> list[str]:
        """The bubblewrap command that goes before the zygote's; empty if there is no outer wall."""
        if self.tier != "namespaces":
            return []
        return [self.bubblewrap, *_CONFINED, *_seen(libraries()), *_worker(), *_SEALED]


_CONFINED = ("--unshare-user", "--unshare-all", "--die-with-parent", "--cap-drop", "ALL", "--uid", _NOBODY,
             "--gid", _NOBODY, "--hostname", "student", "--chdir", "/")
_SEALED = ("--dev-bind", "/dev/null", "/dev/null", "--remount-ro", "/", "--")


def _seen(found: Libraries) -> list[str]:
    """Bind what may be seen, read-only, and empty folders over the places of other packages."""
    shared = [path for path in found.shared if not found.in_a_package(path)]
    arguments = []
    for path in (found.program, *found.standard):
        arguments += ["--ro-bind", path, path]
    for folder in found.covered:
        arguments += ["--tmpfs", folder]
    for path in dict.fromkeys((*found.packages, *shared, *filter(None, [found.loader]))):
        arguments += ["--ro-bind", os.path.realpath(path), path]
    for folder in found.covered:
        arguments += ["--remount-ro", folder]
    return arguments


def _worker() -> list[str]:
    """Bind the worker's files one by one."""
    seen = {file: f"{_INSIDE_FOLDER}/{file.relative_to(_PACKAGE.parent).as_posix()}" for file in INSIDE}
    return [argument for file, place in seen.items() for argument in ("--ro-bind", str(file), place)]
