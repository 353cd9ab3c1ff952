"""Cache arrays that take a second to compute and never change for one version of the checks, in the user's cache.

Nothing of a student's is stored here. A cache that cannot be read or written only costs time.
"""

import os
import zipfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

import numpy as np

from autograder.atomic import replacing

VERSIONS_KEPT = 12                              # of all lessons together, half a megabyte each
PATIENCE = 120.0                                # seconds to wait for another process that computes the same
Arrays = Mapping[str, np.ndarray]


def folder() -> Path:
    """$XDG_CACHE_HOME/multihead-autograder, or ~/.cache/multihead-autograder."""
    home = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return Path(home, "multihead-autograder")


def computed(version: str, name: str, fits: Callable[[Arrays], bool], compute: Callable[[], Arrays]
             ) -> dict[str, np.ndarray]:
    """The arrays cached under this name if they fit, else what `compute` returns.

    One process computes; the others that need the same wait for it.
    """
    found = load(version, name)
    if found is None or not fits(found):
        with _alone(version, name):
            found = load(version, name)
            if found is None or not fits(found):
                found = dict(compute())
                save(version, name, found)
    return found


@contextmanager
def _alone(version: str, name: str) -> Iterator[None]:
    """Nobody else computes this meanwhile. Where nothing can be locked, or it takes too long, everybody does."""
    from filelock import FileLock, Timeout  # imported by those alone that have to compute
    lock = FileLock(folder() / version / f"{name}.lock")
    try:
        Path(lock.lock_file).parent.mkdir(parents=True, exist_ok=True)
        lock.acquire(timeout=PATIENCE)
    except (OSError, NotImplementedError, Timeout):
        pass
    try:
        yield
    finally:
        lock.release()


def load(version: str, name: str) -> dict[str, np.ndarray] | None:
    """The arrays cached under this name by the same version of the checks, or None."""
    try:
        with np.load(folder() / version / f"{name}.npz", allow_pickle=False) as kept:
            found = dict(kept)
    except (OSError, ValueError, EOFError, KeyError, zipfile.BadZipFile):
        return None
    with suppress(OSError):
        os.utime(folder() / version)            # used now: forgotten last
    return found


def save(version: str, name: str, arrays: Arrays) -> None:
    """Cache these arrays, all or nothing."""
    place = folder() / version
    try:
        place.mkdir(parents=True, exist_ok=True)
        with replacing(place / f"{name}.npz") as file:
            np.savez(file, **arrays)  # pyright: ignore[reportArgumentType] -- as if one were called allow_pickle
        _forget_old_versions()
    except OSError:
        return


def _forget_old_versions() -> None:
    """Keep those that were used last, so that lessons which are graded by turns keep theirs."""
    versions = sorted((path for path in folder().iterdir() if path.is_dir()), key=lambda path: path.stat().st_mtime)
    for old in versions[:-VERSIONS_KEPT]:
        for file in old.iterdir():
            file.unlink()
        old.rmdir()
