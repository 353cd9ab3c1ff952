"""List the files below a folder that may hold a submission, and load them."""

import os
import stat
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from autograder.intake.encoding import FILE_CAP, TOO_LARGE, Unreadable
from autograder.intake.names import listed
from autograder.records import Text, text

SUFFIXES = (".ipynb", ".py", ".ipynb.txt", ".ipynb.json")       # browsers add the last two
BARE = ("", ".txt", ".json")              # what is left of .ipynb where a browser or a cloud drive renamed it
ARCHIVE = ".zip"
ENTRY_CAP = 50_000                        # files and folders below the given one
_PASSED_BY = ("__pycache__", "__MACOSX", "node_modules", "site-packages", "venv")
_OF_NBGRADER = "timestamp.txt"            # a file; a folder of that name is a student's


@dataclass(frozen=True)
class File:
    """A file in a folder or archive."""

    path: PurePosixPath                   # below the folder or in the archive
    identity: str                         # equal for a file that is reached in two ways
    modified: float                       # larger is newer
    load: Callable[[], bytes]             # raises Unreadable if that fails


@dataclass
class Listing:
    """Everything that a folder or archive holds, sorted; and what was refused in it, in words."""

    files: list[File] = field(default_factory=list)
    folders: list[PurePosixPath] = field(default_factory=list)
    refused: Text | None = None
    closed: list[PurePosixPath] = field(default_factory=list)     # links, and what an archive may not hold: not opened
    tools: list[PurePosixPath] = field(default_factory=list)      # hidden, or a tool's: not looked into

    @property
    def entries(self) -> list[PurePosixPath]:
        """Each thing in it once: all but the folders, and the folders that hold nothing."""
        found = [*(file.path for file in self.files), *self.closed, *self.tools]
        full: set[PurePosixPath] = set()
        for path in (*found, *self.folders):
            while (path := path.parent) not in full:
                full.add(path)
        return found + [folder for folder in self.folders if folder not in full]


def passed_by(name: str, folder: bool = False) -> bool:
    """Whether a file or folder of this name belongs to a tool and not to the student."""
    return name.startswith(".") or name in _PASSED_BY or name == _OF_NBGRADER and not folder


def load(path: str) -> bytes:
    """The bytes of a file; Unreadable if it is missing, not permitted, larger than the cap or not a file."""
    try:
        with open(path, "rb", opener=_without_waiting) as file:
            state = os.fstat(file.fileno())
            if not stat.S_ISREG(state.st_mode):
                raise Unreadable(text("This is not a regular file, but a device or a pipe. Expected a notebook "
                                      "(.ipynb), a Python file, a folder or a zip archive."))
            if state.st_size > FILE_CAP:
                raise Unreadable(TOO_LARGE)
            return file.read(FILE_CAP + 1)
    except (OSError, ValueError) as error:
        raise Unreadable(cannot_open(error)) from None


def is_archive(path: PurePosixPath) -> bool:
    """Whether a file in a folder or archive is itself an archive, which is not opened there but not ignored either."""
    return path.name.lower().endswith(ARCHIVE)


def refuse_archive() -> bytes:
    """The loader of an archive in a folder or archive: always raises Unreadable."""
    raise Unreadable(text("A zip archive inside a folder or another archive is not opened. Unpack it, or give it by "
                          "itself."))


def cannot_open(error: Exception) -> Text:
    """Why the operating system could not open the file, for people."""
    if isinstance(error, (FileNotFoundError, NotADirectoryError)):
        return text("There is no such file or folder. Look whether the path is spelled correctly.")
    if isinstance(error, PermissionError):
        return text("There is no permission to read this. Change the permissions, or run as the user who owns it.")
    return text("The operating system cannot open this: {reason}.", reason=getattr(error, "strerror", "") or str(error))


def folder_listing(root: str, depth: int = 0, called: str = "", within: str = "") -> Listing:
    """The files below a folder, or the first levels of it; their paths begin with what it is `called`. No link is
    followed, wherever it leads; a notice names those that could be work. `within`: the real path, if it is known.
    """
    listing, links, closed, entries = Listing(), [], [], 0
    top, within = PurePosixPath(called), within or os.path.realpath(root)
    for folder, subfolders, names in os.walk(root, onerror=closed.append):
        inside = folder[len(root):].lstrip(os.sep)
        above, here, real = top / inside, os.path.join(folder, ""), os.path.join(within, inside, "")
        entries += len(subfolders) + len(names)
        listing.tools += [above / name for name in subfolders if passed_by(name, True)]
        listing.tools += [above / name for name in names if passed_by(name)]
        subfolders[:] = sorted(name for name in subfolders if not passed_by(name, True))
        inner = set(subfolders)
        if entries > ENTRY_CAP:
            raise Unreadable(text("There are more than {limit} files in it. Hand in the notebook alone.",
                                  limit=ENTRY_CAP))
        if depth and len(above.parts) - bool(called) + 1 >= depth:
            subfolders.clear()
        for name in sorted([*inner] + [name for name in names if not passed_by(name)]):
            path, below = here + name, above / name
            state = _state(path)
            if state is not None and stat.S_ISLNK(state.st_mode):
                listing.closed.append(below)
                if name in inner or name.lower().endswith((*SUFFIXES, ARCHIVE)):
                    links.append(str(below))
            elif name in inner:
                listing.folders.append(below)
            else:
                listing.files.append(_file(path, real + name, below, state))
    listing.refused = _refused(links, closed)
    return listing


def _state(path: str) -> os.stat_result | None:
    try:
        return os.lstat(path)
    except OSError:
        return None


def _file(path: str, real: str, below: PurePosixPath, state: os.stat_result | None) -> File:
    return File(below, real, 0.0 if state is None else state.st_mtime,
                refuse_archive if is_archive(below) else lambda: load(path))


def _refused(links: list[str], closed: list[OSError]) -> Text | None:
    if closed:
        return text("A folder in it cannot be read: {folder}. Change its permissions.",
                    folder=listed([closed[0].filename]))
    if links:
        return text("These are links, and were not followed: {names}. Put the files themselves there.",
                    names=listed(links))
    return None


def _without_waiting(path: str, flags: int) -> int:
    """Open a pipe without waiting for someone to write to it."""
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))
