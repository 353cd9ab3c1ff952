"""Import the code of a lesson from what was read of it, so that exactly what its version was computed of is run.

Nothing is written beside it, and two versions of a lesson can be loaded in one process: each has a name of its own.
"""

import re
import sys
from collections.abc import Mapping, Sequence
from hashlib import blake2b
from importlib.abc import ExecutionLoader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import spec_from_loader
from types import ModuleType

Code = Mapping[str, bytes]                      # path in the lesson's folder -> content
_known: dict[str, tuple[str, Code]] = {}        # the name of a package -> its folder, for messages, and its code


def package_of(name: str, folder: str, code: Code) -> str:
    """The package as which the code of the lesson with this name can be imported."""
    digest = blake2b(repr((folder, sorted(code.items()))).encode(), digest_size=8).hexdigest()
    package = f"lesson_{re.sub(r'[^0-9A-Za-z]', '_', name)}_{digest}"
    _known[package] = folder, code
    if not any(isinstance(finder, _Finder) for finder in sys.meta_path):
        sys.meta_path.append(_Finder())
    return package


class _Finder(MetaPathFinder):
    """Finds the modules of the packages above."""

    def find_spec(self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
                  ) -> ModuleSpec | None:
        package, _, below = fullname.partition(".")
        if package not in _known:
            return None
        folder, code = _known[package]
        inner = "".join(f"{step}/" for step in below.split(".") if step)
        module = f"{inner.rstrip('/')}.py"
        if any(each.startswith(inner) for each in code):        # a folder is a package, with an __init__.py or without
            init = f"{inner}__init__.py"
            return _spec(fullname, f"{folder}/{init}", code.get(init, b""), is_package=True)
        return _spec(fullname, f"{folder}/{module}", code[module]) if module in code else None


def _spec(name: str, path: str, source: bytes, is_package: bool = False) -> ModuleSpec | None:
    return spec_from_loader(name, _Loader(path, source, is_package), origin=path, is_package=is_package)


class _Loader(ExecutionLoader):
    """Runs one of these modules."""

    def __init__(self, path: str, source: bytes, package: bool):
        self._path, self._source, self._package = path, source, package

    def get_filename(self, fullname: str) -> str:
        return self._path

    def get_source(self, fullname: str) -> str:
        return self._source.decode("utf-8-sig")

    def is_package(self, fullname: str) -> bool:
        return self._package
