"""Say what is wrong in a settings file, where msgspec says it to programmers: which key, what was seen and expected."""

import json
import re
from collections.abc import Mapping
from typing import Any, Literal

import msgspec

from autograder.course.times import EXPECTED
from autograder.faults import nearest

_UNKNOWN = re.compile(r"Object contains unknown field `(?P<key>.*?)`(?: - at `\$\.?(?P<at>.*)`)?")
_INVALID = re.compile(r"(?P<what>.*) - at `\$\.?(?P<at>.*)`")
_TYPES = {"float": "a number", "int": "a whole number", "str": "a text", "object": "a table", "array": "a list",
          "bool": "true or false", "null": ""}
Tables = Mapping[str, type[msgspec.Struct]]                # by their names in the file


def in_words(error: str, said: dict[str, Any], tables: Tables, entries: Mapping[str, Any]) -> str:
    """The error in one line. `said` is what the file says; `entries` are the kinds of what is called by any name."""
    unknown = _UNKNOWN.fullmatch(error)
    if unknown:
        at = unknown["at"] or ""
        known = tables.get(at, entries["lessons"]).__struct_fields__
        where = _lesson_at(at, said, known) if at not in tables else at
        name = ".".join(filter(None, (where, unknown["key"])))
        return f"there is no setting {name!r}{nearest(unknown['key'], known)}"
    invalid = _INVALID.fullmatch(error)
    if not invalid:
        return error
    at, seen = _found(invalid["at"], invalid["what"], said, entries)
    return f"{at} is {shown(seen)}, expected {_expected(invalid['what'], at, tables)}"


def _expected(what: str, at: str, tables: Tables) -> str:
    """msgspec's words, rephrased for the author of the file."""
    if what.startswith("Invalid enum value"):
        table, _, key = at.rpartition(".")
        hint = next(field.type for field in msgspec.structs.fields(tables[table]) if field.name == key)
        values = next((part.__args__ for part in (hint, *getattr(hint, "__args__", ()))
                       if getattr(part, "__origin__", None) is Literal), ())
        return " or ".join(map(shown, values))
    if at.endswith(".other_ways"):
        return f"{EXPECTED.removeprefix('expected ')}, in quotes"
    wanted = what.removeprefix("Expected ").partition(", got")[0]
    kinds, _, bound = wanted.strip("`").partition("` ")
    names = [_TYPES.get(kind.strip(), kind.strip()) for kind in kinds.split("|")]
    return " ".join(filter(None, (" or ".join(filter(None, names)), bound)))


def _found(at: str, what: str, said: dict[str, Any], entries: Mapping[str, Any]) -> tuple[str, Any]:
    """The key that msgspec means, and its value. msgspec writes [...] for "some key of this table"."""
    from_here: Any = said
    path: list[str] = []
    for step in re.findall(r"\[\.\.\.\]|\[\d+\]|[^.\[\]]+", at):
        if step == "[...]":
            kind = entries["lessons" if path == ["lessons"] else "points"]
            keys = [key for key, value in from_here.items() if _is_bad(what, kind, value)] or list(from_here)
            step = keys[0]
        path.append(step.strip("[]"))
        from_here = from_here[int(path[-1])] if isinstance(from_here, list) else from_here[path[-1]]
    return ".".join(path), from_here


def _is_bad(what: str, kind: Any, value: Any) -> bool:
    """Whether this value could be the invalid one: tried alone, it gives the same complaint."""
    try:
        msgspec.convert(value, kind)
    except msgspec.ValidationError as error:
        return str(error).partition(" - at")[0] == what
    return False


def _lesson_at(at: str, said: dict[str, Any], known: tuple[str, ...]) -> str:
    bad = (name for name, own in said.get("lessons", {}).items()
           if isinstance(own, dict) and not own.keys() <= set(known))
    return f"lessons.{next(bad, '?')}"


def shown(value: Any) -> str:
    """A value as it is in the file."""
    if isinstance(value, dict):
        return "a table"
    try:
        return json.dumps(value, ensure_ascii=False)
    except TypeError:                       # TOML also has dates and times
        return str(value)
