"""Restrict imports to some of the packages in a folder.

Behind the inner wall the other packages can be seen but not read: importing one must say that there is no such module,
as if it were not installed.
"""

import sys
from collections.abc import Collection, Iterable
from importlib.machinery import ModuleSpec
from typing import Any


class OnlyThese:
    """A path entry finder that knows only the packages with these names."""

    def __init__(self, finder: Any, names: Collection[str]):
        self._finder, self._names = finder, frozenset(names)

    def find_spec(self, name: str, target: Any = None) -> ModuleSpec | None:
        """The spec of this module, if it is one of these packages or in one."""
        return self._finder.find_spec(name, target) if name.partition(".")[0] in self._names else None

    def invalidate_caches(self) -> None:
        self._finder.invalidate_caches()


def offer_only(names: Collection[str], folders: Iterable[str]) -> None:
    """Let only these packages be imported from these folders."""
    for folder in folders:
        hooks = (hook for hook in sys.path_hooks)
        sys.path_importer_cache[folder] = OnlyThese(_finder(hooks, folder), names)


def _finder(hooks: Iterable[Any], folder: str) -> Any:
    for hook in hooks:
        try:
            return hook(folder)
        except ImportError:
            continue
    raise ImportError(f"nothing can be imported from {folder}")
