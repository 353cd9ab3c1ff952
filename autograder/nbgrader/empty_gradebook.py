"""Make a new gradebook by copying an empty one: nbgrader starts alembic to make one, which takes seconds.

The empty one is kept in the user's cache under a name with nbgrader's version and the digest of its content: another
version makes another one, a damaged file is never used, and two processes can make one at the same time. If anything
fails here, nbgrader makes the gradebook itself when it opens it.
"""
from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from hashlib import blake2b
from importlib.metadata import version
from pathlib import Path

from autograder.atomic import replace_file
from autograder.judge.cache import folder


def put_empty_gradebook(url: str, mode: int = 0o644) -> None:
    """Put an empty gradebook where this URL names a SQLite file in an existing folder, if nothing is there yet.

    It has at most the permissions of this mode, as the umask allows.
    """
    from sqlalchemy import make_url
    parsed = make_url(url)
    if parsed.get_backend_name() != "sqlite" or not parsed.database or parsed.database.startswith("file:"):
        return
    path = Path(parsed.database)
    if path.name == ":memory:" or os.path.lexists(path) or not path.parent.is_dir():
        return
    new = path.with_name(f".{path.name}.new")
    with suppress(Exception):
        try:
            replace_file(new, _kept() or _made())
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


def _kept() -> bytes | None:
    """The empty gradebook of this version of nbgrader, unchanged since it was made; None if there is none."""
    for path in folder().glob(f"gradebook-{version('nbgrader')}-*.db"):
        content = path.read_bytes()
        if path.name == _name(content):
            return content
        path.unlink()
    return None


def _made() -> bytes:
    from nbgrader.api import Gradebook
    with tempfile.TemporaryDirectory(prefix="autograder-") as temporary:
        path = Path(temporary, "gradebook.db")
        with commands_on_path(), Gradebook(f"sqlite:///{path}", ""):
            pass                                # "" is a course without a name, which has no row
        content = path.read_bytes()
    with suppress(OSError):
        replace_file(folder() / _name(content), content, 0o644)
    return content


def _name(content: bytes) -> str:
    return f"gradebook-{version('nbgrader')}-{blake2b(content, digest_size=16).hexdigest()}.db"

