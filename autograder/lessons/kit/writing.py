"""Compose a right solution from the ways in which each step can be written, and dress it up.

`pick(a, b, ...)` chooses one of its arguments: by a seeded generator, or by a property-based test that can shrink.
"""

from collections.abc import Callable
from textwrap import indent
from typing import Any

Pick = Callable[..., Any]                       # pick(a, b, c) is one of a, b and c

#: what a dress may need, besides `import functools, warnings`
COUNTED = '''\
def counted(function):
    @functools.wraps(function)
    def wrapped(*args, **named):
        wrapped.calls += 1
        return function(*args, **named)
    wrapped.calls = 0
    return wrapped'''


def function(header: str, *parts: str) -> str:
    """A function with this header; each part is one or more lines, empty parts are left out."""
    return "\n".join([header, *(indent(part, "    ") for part in parts if part)])


def order(pick: Pick, value: str) -> str:
    """The same array: a view or a copy, in either memory order."""
    return pick(value, value, value, f"({value}).copy()", f"np.ascontiguousarray({value})",
                f"np.asfortranarray({value})")


def dressed(pick: Pick, functions: list[str]) -> list[str]:
    """The functions, each in its own dress; what the dresses need comes first."""
    return [COUNTED, *(_dressed(pick, function) for function in functions),
            pick("", "", 'print("all defined")', 'warnings.warn("only a warning")')]


def _dressed(pick: Pick, function: str) -> str:
    name = function.removeprefix("def ").partition("(")[0]
    inner = function.replace(f"def {name}(", f"def _{name}(", 1)
    return pick(function, function, function, f"@counted\n{function}",
                f"{inner}\n\n\n{name} = lambda *args, **named: _{name}(*args, **named)",
                f"{inner}\n\n\n{name} = functools.partial(_{name})",
                f"class {name.title().replace('_', '')}:\n    @staticmethod\n" + _indented(function)
                + f"\n\n\n{name} = {name.title().replace('_', '')}.{name}",
                f"class {name.title().replace('_', '')}:\n    def __call__(self, *args, **named):\n"
                f"        return _{name}(*args, **named)\n\n\n{inner}\n\n\n{name} = {name.title().replace('_', '')}()")


def _indented(text: str) -> str:
    return "\n".join(f"    {line}" if line else line for line in text.splitlines())
