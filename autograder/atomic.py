"""Replace a file as a whole: a reader sees either the old content or all of the new."""
from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path
from typing import BinaryIO


def replace_file(path: Path, content: bytes, mode: int | None = None) -> None:
    """Write a file, with these permissions if given, and remove what a killed process left of it."""
    begins = f".{path.name}-"
    for name in _names(path.parent):
        process, dash, _ = name.removeprefix(begins).partition("-") if name.startswith(begins) else ("", "", "")
        if dash and not _runs(process):
            path.with_name(name).unlink(missing_ok=True)
    with replacing(path, mode) as file:
        file.write(content)


def _names(folder: Path) -> list[str]:
    """What lies in this folder, which is made if it is not there."""
    try:
        return os.listdir(folder)
    except PermissionError:
        return []
    except OSError:
        folder.mkdir(parents=True, exist_ok=True)
        return []


@contextmanager
def replacing(path: Path, mode: int | None = None) -> Iterator[BinaryIO]:
    """A file that takes its name, and the place of what was there, only when it is complete."""
    part = path.with_name(f".{path.name}-{os.getpid()}-{secrets.token_hex(4)}")
    try:
        with part.open("xb") as file:
            yield file
        if mode is not None:
            part.chmod(mode)
        part.replace(path)
    except BaseException:
        with suppress(FileNotFoundError, NotADirectoryError):
            part.unlink()
        raise


def whole_file(path: Path) -> AbstractContextManager[BinaryIO]:
    """A file that a user named, replaced as a whole with the permissions it had; a pipe or a device is just written."""
    if path.exists() and not path.is_file() and not path.is_dir():
        return path.open("wb")
    if not path.exists():
        return replacing(path)
    path.open("ab").close()                     # may it be written?
    return replacing(path, path.stat().st_mode & 0o7777)


def _runs(pid: str) -> bool:
    """Whether there is a process with this number; True if the words are not a number."""
    try:
        os.kill(int(pid), 0)
    except ProcessLookupError:
        return False
    except (ValueError, OverflowError, PermissionError):
        return True
    return True
