"""Replace a file as a whole: a reader sees either the old content or all of the new."""
from __future__ import annotations

import os
import secrets
from glob import escape
from pathlib import Path


def replace_file(path: Path, content: bytes, mode: int | None = None) -> None:
    """Write a file, with these permissions if given, and remove what a killed process left of it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    for left in path.parent.glob(f".{escape(path.name)}-*-*"):
        if not _runs(left.name.removeprefix(f".{path.name}-").partition("-")[0]):
            left.unlink(missing_ok=True)
    part = path.with_name(f".{path.name}-{os.getpid()}-{secrets.token_hex(4)}")
    try:
        with part.open("xb") as file:
            file.write(content)
        if mode is not None:
            part.chmod(mode)
        part.replace(path)
    except BaseException:
        part.unlink(missing_ok=True)
        raise


def _runs(pid: str) -> bool:
    """Whether there is a process with this number; True if the words are not a number."""
    try:
        os.kill(int(pid), 0)
    except ProcessLookupError:
        return False
    except (ValueError, OverflowError, PermissionError):
        return True
    return True
