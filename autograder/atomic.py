"""Replace a file as a whole: a reader sees either the old content or all of the new."""

import os
import secrets
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path
from typing import BinaryIO


def replace_file(path: Path, content: bytes, mode: int | None = None) -> None:
    """Write a file, with these permissions if given, and remove what a killed process left of it."""
    replace_files(path.parent, {path.name: content}, mode)


def replace_files(folder: Path, files: Mapping[str, bytes], mode: int | None = None) -> None:
    """As replace_file, these files in their order, by their paths below the folder. Each folder is listed once."""
    parts: dict[str, list[str]] = {}            # in each folder, what may be left of a file
    for below, content in files.items():
        path = os.path.join(folder, below)
        where, name = os.path.split(path)
        if where not in parts:
            parts[where] = [part for part in _names(where) if part.startswith(".")]
        for part in parts[where]:
            process, dash, _ = part.removeprefix(f".{name}-").partition("-")
            if dash and part.startswith(f".{name}-") and not _runs(process):
                with suppress(FileNotFoundError):
                    os.unlink(os.path.join(where, part))
        with replacing(path, mode) as file:
            file.write(content)


def _names(folder: str) -> list[str]:
    """What lies in this folder, which is made if it is not there."""
    try:
        return os.listdir(folder)
    except PermissionError:
        return []
    except OSError:
        os.makedirs(folder, exist_ok=True)
        return []


@contextmanager
def replacing(path: Path | str, mode: int | None = None) -> Iterator[BinaryIO]:
    """A file that takes its name, and the place of what was there, only when it is complete."""
    folder, name = os.path.split(path)
    part = os.path.join(folder, f".{name}-{os.getpid()}-{secrets.token_hex(4)}")
    try:
        with open(part, "xb") as file:
            yield file
        if mode is not None:
            os.chmod(part, mode)
        os.replace(part, path)
    except BaseException:
        with suppress(FileNotFoundError, NotADirectoryError):
            os.unlink(part)
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
