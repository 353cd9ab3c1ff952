"""A finding, and what several looks share: paths that others reach, and commands to type."""

import os
import re
import shlex
import stat
from pathlib import Path
from typing import Literal, NamedTuple


class Finding(NamedTuple):
    """One thing that was looked at: as it should be, missing, or only worth knowing; and the command that mends it."""

    about: str
    state: Literal["ok", "missing", "note"]
    says: str
    mend: str = ""


def ok(about: str, says: str) -> Finding:
    return Finding(about, "ok", says)


def missing(about: str, says: str, mend: str = "") -> Finding:
    """What has to be mended before all of it works."""
    return Finding(about, "missing", says, mend)


def note(about: str, says: str, mend: str = "") -> Finding:
    """What only some courses need."""
    return Finding(about, "note", says, mend)


def first_line(error: BaseException) -> str:
    """The error in one line."""
    return f"{type(error).__name__}: {error}".splitlines()[0].removesuffix(": ")


def named_command(sentence: str) -> str:
    """The command that one of our own sentences names; "" if it names none."""
    found = re.search(r"`(?P<quoted>[^`]+)`|(?P<system>sysctl \S+=\d+)|(?P<pip>pip install [\w-]+)", sentence)
    if found is None:
        return ""
    return found["quoted"] or found["pip"] or f"sudo {found['system']}"


def typed(*words: object) -> str:
    """These words as one types them in a shell."""
    return shlex.join(map(str, words))


def on_a_hub() -> bool:
    """Whether this is a terminal, or a process, of a server that a JupyterHub started."""
    return "JUPYTERHUB_API_URL" in os.environ or "JUPYTERHUB_USER" in os.environ


def closed_at(path: Path) -> Path | None:
    """The first folder on the way to this path, or at its end, that other users may not enter; None: they reach it."""
    real = Path(os.path.realpath(path))
    for each in (*reversed(real.parents), real):
        mode = each.stat().st_mode
        if stat.S_ISDIR(mode) and not mode & stat.S_IXOTH:
            return each
    return None
