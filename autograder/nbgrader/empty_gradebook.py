"""Make a new gradebook by copying one: nbgrader starts alembic to make an empty one, which takes seconds, and takes
another to be imported and to register an assignment.

Gradebooks are kept in the user's cache, under names with nbgrader's version, what they were made from and the digest of
their content: another version makes another one, a damaged file is never used, and two processes can make one at the
same time. If anything fails here, nbgrader makes the gradebook itself when it opens it.
"""

import os
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from hashlib import blake2b
from importlib.metadata import version
from pathlib import Path

from autograder.atomic import replace_file
from autograder.judge.cache import folder
from autograder.nbgrader.database import file_of

EMPTY, REGISTERED = "gradebook", "registered"
KEPT = 8                                        # gradebooks with an assignment in them


def put_empty_gradebook(url: str, mode: int = 0o644) -> None:
    """Put an empty gradebook where this URL names a SQLite file in an existing folder, if nothing is there yet.

    It has at most the permissions of this mode, as the umask allows.
    """
    path = file_of(url)
    if path is not None:
        with suppress(Exception):
            put_gradebook(path, lambda: kept() or _made(), mode)


def put_gradebook(path: Path, content: Callable[[], bytes], mode: int) -> None:
    """Put this content there, whole or not at all, if nothing is there yet and the folder exists."""
    if not os.path.lexists(path) and path.parent.is_dir():
        new = path.with_name(f".{path.name}.new")
        try:
            replace_file(new, content())
            new.chmod(new.stat().st_mode & mode)
            os.link(new, path)                  # never replaces one that was made meanwhile
        finally:
            new.unlink(missing_ok=True)


@contextmanager
def commands_on_path() -> Iterator[None]:
    """Let nbgrader, which calls `alembic` by its bare name to make a gradebook, find the one beside our Python."""
    before = os.environ.get("PATH", "")
    os.environ["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), before])
    try:
        yield
    finally:
        os.environ["PATH"] = before


def kept(what: str = EMPTY) -> bytes | None:
    """The gradebook of this kind and this version of nbgrader, unchanged since it was made; None if there is none."""
    for path in folder().glob(f"{what}-{version('nbgrader')}-*.db"):
        content = path.read_bytes()
        if path.name == _name(what, content):
            return content
        path.unlink()
    return None


def keep(content: bytes, what: str, mode: int) -> None:
    """Keep this gradebook for the next course, and of those with an assignment the latest alone."""
    with suppress(OSError):
        replace_file(folder() / _name(what, content), content, mode)
        others = sorted(folder().glob(f"{REGISTERED}-*.db"), key=lambda path: path.stat().st_mtime)
        for path in others[:-KEPT]:
            path.unlink(missing_ok=True)


def _made() -> bytes:
    from nbgrader.api import Gradebook
    with tempfile.TemporaryDirectory(prefix="autograder-") as temporary:
        path = Path(temporary, "gradebook.db")
        with commands_on_path(), Gradebook(f"sqlite:///{path}", ""):
            pass                                # "" is a course without a name, which has no row
        content = path.read_bytes()
    keep(content, EMPTY, 0o644)
    return content


def _name(what: str, content: bytes) -> str:
    return f"{what}-{version('nbgrader')}-{blake2b(content, digest_size=16).hexdigest()}.db"

