"""Find what a student's process may see of this machine: Python, NumPy and their dependencies, package by package.

Nothing else that is installed beside them is included, least of all the autograder.
"""

import os
import sys
import sysconfig
from collections.abc import Iterable, Iterator
from functools import cache
from importlib.machinery import EXTENSION_SUFFIXES
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from autograder.sandbox import elf

#: what the worker imports, and IPython for the syntax of its magics; all but NumPy and msgspec are optional
PACKAGES = ("numpy", "msgspec", "IPython")
#: what plots need, if it is installed
PLOT_PACKAGES = ("matplotlib", "mpl_toolkits", "pylab", "contourpy", "cycler", "dateutil", "fontTools", "kiwisolver",
                 "packaging", "PIL", "pyparsing", "six")
_BUNDLED = {"PIL": "pillow.libs"}         # shared libraries of a wheel; for all others <package>.libs
_OTHER_PACKAGES = ("site-packages", "dist-packages")                      # folders inside the standard library
_NEVER_LOADED = ("_tkinter.", "nis.")     # there is no screen and no network; they would bring in half a desktop


class Libraries(NamedTuple):
    """Paths on this machine. A folder includes everything below it, except what is in `covered`."""

    program: str                          # the interpreter, not a link to it
    standard: tuple[str, ...]             # folders of the standard library
    covered: tuple[str, ...]              # folders inside those that hold other packages
    packages: tuple[str, ...]             # folders and single files
    site: tuple[str, ...]                 # the folders that contain the packages
    shared: tuple[str, ...]               # shared libraries, each as the loader finds it
    loader: str                           # the dynamic loader, as the interpreter names it; may be empty

    @property
    def readable(self) -> list[str]:
        """What may be read, without the folders that may only be listed."""
        entries = [entry for folder in self.standard for entry in _entries(folder) if entry not in self.covered]
        return [self.program, *entries, *self.packages, *self.shared, *filter(None, [self.loader])]

    @property
    def shared_folders(self) -> list[str]:
        """Where the loader must be told to look, the interpreter's own folder first.

        The folders that it searches anyway must not be named: another libpython there would silently be loaded.
        """
        folders = dict.fromkeys(os.path.dirname(path) for path in self.shared if not self.in_a_package(path))
        python = [os.path.dirname(path) for path in self.shared if os.path.basename(path).startswith("libpython")]
        return [folder for folder in dict.fromkeys((*python, *folders)) if folder not in elf.BUILT_IN_FOLDERS]

    def in_a_package(self, path: str) -> bool:
        """Whether a shared library came with one of the packages."""
        return os.path.realpath(path).startswith(_inside(self.packages))


@cache
def _inside(folders: tuple[str, ...]) -> tuple[str, ...]:
    """How the paths of what is in these folders begin."""
    return tuple(f"{os.path.realpath(folder)}/" for folder in folders)


@cache
def libraries() -> Libraries:
    """What is installed here; RuntimeError if NumPy or msgspec is missing."""
    program = os.path.realpath(getattr(sys, "_base_executable", None) or sys.executable)
    standard = _standard_library()
    covered = [os.path.join(folder, name) for folder in standard for name in _OTHER_PACKAGES]
    packages = list(_packages((*PACKAGES, *PLOT_PACKAGES)))
    loadable = [program, *_loadable(standard[-1:]), *_loadable(packages)]
    return Libraries(program, standard, tuple(filter(os.path.isdir, covered)), tuple(packages),
                     tuple(dict.fromkeys(os.path.dirname(package) for package in packages)),
                     tuple(elf.closure(loadable).values()), elf.needs(program).loader)


def _standard_library() -> tuple[str, ...]:
    """Its folder, and last the folder of its extension modules, which may be inside it."""
    pure = os.path.dirname(os.__file__)
    extensions = sysconfig.get_config_var("DESTSHARED") or os.path.join(pure, "lib-dynload")
    return tuple(dict.fromkeys(folder for folder in (pure, extensions) if os.path.isdir(folder)))


def _packages(names: Iterable[str]) -> Iterator[str]:
    for name in names:
        spec = find_spec(name)
        if spec is None:
            if name in ("numpy", "msgspec"):
                raise RuntimeError(f"{name} is not installed")
            continue
        places = list(spec.submodule_search_locations or [str(spec.origin)])
        yield from places
        bundle = os.path.join(os.path.dirname(places[0]), _BUNDLED.get(name, f"{name}.libs"))
        if os.path.isdir(bundle):
            yield bundle


def _loadable(places: Iterable[str]) -> Iterator[str]:
    """The extension modules and shared libraries below these folders."""
    suffixes = (*EXTENSION_SUFFIXES, ".so")
    for place in places:
        for folder, _, names in os.walk(place):
            yield from (os.path.join(folder, name) for name in names
                        if (name.endswith(suffixes) or ".so." in name) and not name.startswith(_NEVER_LOADED))


def _entries(folder: str) -> list[str]:
    return [str(path) for path in Path(folder).iterdir()]
