"""Handle IPython's syntax in a cell without IPython: magics never cost a cell its definitions.

`%%time`, `%timeit` and the like run their body as ordinary code; every other magic, shell command or `f?` does nothing.
IPython's transformer is loaded without the rest of IPython (6 ms), and only for a cell that is not Python.
"""

import builtins
import importlib
import importlib.util
import re
import sys
import types
from collections.abc import Callable
from importlib.machinery import ModuleSpec
from typing import Any

_RUNNING = {"time", "timeit", "capture", "prun", "memit", "mprun", "lprun"}
_SILENT = {"matplotlib", "config", "load_ext", "reload_ext", "autoreload", "pinfo", "pinfo2", "psource", "precision",
           "who", "whos", "xmode", "pdb", "pprint"}
_OPTIONS = re.compile(r"\s*(-[a-zA-Z]+(\s*\d+)?\s+)*")
_CELL_MAGIC = re.compile(r"((?:\s*#[^\n]*\n|\s*\n)*)[ \t]*%%(\w+)([^\n]*)(?:\n|$)")


def without_cell_magic(source: str, note: Callable[[str], None]) -> str:
    """The cell with its `%%` lines blank; empty if the magic is not one that runs its body."""
    while magic := _CELL_MAGIC.match(source):
        if magic[2] not in _RUNNING:
            if magic[2] not in _SILENT:
                note(f"%%{magic[2]}")
            return ""
        source = "\n" * magic[0].count("\n") + source[magic.end():]
    return source


def as_python(source: str) -> str:
    """The cell with its magics written as calls of get_ipython(); unchanged if IPython is not installed."""
    transformer = _transformer()
    return source if transformer is None else transformer.transform_cell(source)


def _transformer() -> Any:
    """IPython's TransformerManager, imported with stand-ins for its parent packages, which take 70 ms to load."""
    spec = importlib.util.find_spec("IPython")
    if spec is None or not spec.submodule_search_locations:
        return None
    before = {name: module for name, module in sys.modules.items() if name.partition(".")[0] == "IPython"}
    root = spec.submodule_search_locations[0]
    for name in ("IPython", "IPython.core", "IPython.utils"):
        sys.modules[name] = types.ModuleType(name)
        sys.modules[name].__path__ = [root + name.removeprefix("IPython").replace(".", "/")]
    try:
        return importlib.import_module("IPython.core.inputtransformer2").TransformerManager()
    except Exception:                     # an IPython with another structure
        return None
    finally:
        for name in [name for name in sys.modules if name.partition(".")[0] == "IPython"]:
            del sys.modules[name]
        sys.modules.update(before)


class _Events:
    """Where Matplotlib asks to be called after each cell: nobody ever is."""

    def register(self, event: str, function: Callable[..., Any]) -> None:
        """Does nothing."""

    unregister = register


class Shell:
    """What get_ipython() returns. `note` is told everything that was left out."""

    events = _Events()

    def __init__(self, namespace: dict[str, Any], note: Callable[[str], None]):
        self.user_ns = namespace
        self._note = note

    def run_line_magic(self, name: str, line: str, *_: Any, **__: Any) -> Any:
        """Run what the magic would run; None for a magic that runs nothing."""
        if name in _RUNNING:
            return self._run(_OPTIONS.sub("", line, count=1))
        if name not in _SILENT:
            self._note(f"%{name}")
        return None

    def run_cell_magic(self, name: str, line: str, cell: str) -> Any:
        """Run the body if the magic would; None otherwise."""
        if name in _RUNNING:
            return self._run(cell)
        self._note(f"%%{name}")
        return None

    def _run(self, code: str) -> Any:
        try:
            compiled = compile(code.strip(), "<magic>", "eval")
        except SyntaxError:
            compiled = compile(code, "<magic>", "exec")
        return eval(compiled, self.user_ns)

    def magic(self, line: str) -> Any:
        """The old way to call a line magic."""
        name, _, rest = line.lstrip("%").partition(" ")
        return self.run_line_magic(name, rest)

    def enable_gui(self, *_: Any) -> None:
        """Opens no window."""

    def system(self, command: str) -> None:
        """Runs nothing."""
        self._note(f"!{command}")

    def getoutput(self, command: str, *_: Any, **__: Any) -> list[str]:
        """Runs nothing, so there is no output."""
        self._note(f"!{command}")
        return []


def display(*values: Any, **_: Any) -> None:
    """Print the values, as a notebook without pictures would."""
    for value in values:
        print(repr(value))


class _Shown:
    """What IPython.display offers: anything may be made of it, and nothing is shown."""

    def __init__(self, *_: Any, **__: Any):
        pass

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return lambda *_, **__: None

    def __repr__(self) -> str:
        return "<something to show>"


def show_nothing() -> None:
    """Let `IPython.display` be imported, whether IPython is installed or not: its pictures would be seen by nobody."""
    spec = importlib.util.find_spec("IPython") or ModuleSpec("IPython", None, is_package=True)
    package, shown = types.ModuleType("IPython"), types.ModuleType("IPython.display")
    package.__spec__, package.__path__ = spec, list(spec.submodule_search_locations or ())
    vars(package).update(version_info=(8, 24, 0), display=shown, get_ipython=lambda: vars(builtins)["get_ipython"]())
    vars(shown).update(display=display, __getattr__=_part_of_display)
    sys.modules |= {"IPython": package, "IPython.display": shown}


def _part_of_display(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    return _Shown if name[:1].isupper() else lambda *_, **__: None
