"""Cache arrays that take a second to compute and never change for one version of the checks, in the user's cache.

Nothing of a student's is stored here. A cache that cannot be read or written only costs time.
"""
from __future__ import annotations

import os
import zipfile
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from autograder.atomic import replacing

VERSIONS_KEPT = 3


def folder() -> Path:
    """$XDG_CACHE_HOME/multihead-autograder, or ~/.cache/multihead-autograder."""
    home = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return Path(home, "multihead-autograder")


def load(version: str, name: str) -> dict[str, np.ndarray] | None:
    """The arrays cached under this name by the same version of the checks, or None."""
    try:
        with np.load(folder() / version / f"{name}.npz", allow_pickle=False) as kept:
            return dict(kept)
    except (OSError, ValueError, EOFError, KeyError, zipfile.BadZipFile):
        return None


def save(version: str, name: str, arrays: Mapping[str, np.ndarray]) -> None:
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
    versions = sorted((path for path in folder().iterdir() if path.is_dir()), key=lambda path: path.stat().st_mtime)
    for old in versions[:-VERSIONS_KEPT]:
        for file in old.iterdir():
            file.unlink()
        old.rmdir()
