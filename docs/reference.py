"""The pages of the reference, made from the code while the site is built: a hook of MkDocs.

Every command with its help, arguments and options, and every key of `autograder.toml`. So neither can be out of date.
"""
from __future__ import annotations

import inspect
import json
import re
from collections.abc import Iterator
from typing import Any, Literal, get_args, get_origin

import click
import msgspec

from autograder import cli
from autograder.course import settings
from autograder.judge.engine import Limits

GENERATED = "reference/commands.md", "reference/settings.md"
_EXAMPLES = "Examples:\n"
_KINDS = {float: "a number", int: "a whole number", str: "a text"}
#: the tables of the file, as they are written there
TABLES = {"": settings.Settings, "limits": settings.LimitSettings, "late": settings.LateSettings,
          "mark": settings.MarkSettings,
          "lessons.NAME": settings.LessonSettings}


def on_files(files: Any, config: Any) -> Any:
    """MkDocs calls this when it has collected the pages."""
    from mkdocs.structure.files import File
    for path, page in zip(GENERATED, (commands_page(), settings_page()), strict=True):
        files.append(File.generated(config, path, content=page))
    return files


# --- commands -----------------------------------------------------------------------------------------------------

def commands(command: click.Command = cli.cli, words: str = "autograder") -> Iterator[tuple[str, click.Command]]:
    """Every command that teachers use by the words that they type, groups before their members."""
    yield words, command
    for name, member in shown_members(command):
        yield from commands(member, f"{words} {name}")


def shown_members(command: click.Command) -> list[tuple[str, click.Command]]:
    """The commands of a group by name, without those that only developers need."""
    members = getattr(command, "commands", {})
    return sorted((name, member) for name, member in members.items() if not member.hidden)


def commands_page() -> str:
    parts = ["# Commands", "What `--help` says, of every command of this version."]
    for words, command in commands():
        parts += [f"## {words}", *_about(words, command)]
    return "\n\n".join(parts) + "\n"


def _about(words: str, command: click.Command) -> Iterator[str]:
    context = click.Context(command, info_name=words)
    yield _paragraphs(inspect.cleandoc(command.help or ""))
    yield f"```text\n{' '.join([words, *command.collect_usage_pieces(context)])}\n```"
    if isinstance(command, click.Group):
        members = ((name, member.get_short_help_str(200)) for name, member in shown_members(command))
        yield _table(("command", "what it does"), ((_link(f"{words} {name}"), _cell(short)) for name, short in members))
    options = [_option(option, context) for option in command.params if isinstance(option, click.Option)]
    if options:
        yield _table(("option", "what it does", "default"), options)
    if _EXAMPLES in (command.epilog or ""):
        yield f"```text\n{inspect.cleandoc(command.epilog.partition(_EXAMPLES)[2])}\n```"


def _link(words: str) -> str:
    return f"[`{words}`](#{words.replace(' ', '-')})"


def _option(option: click.Option, context: click.Context) -> tuple[str, str, str]:
    value = "" if option.is_flag else f" {option.make_metavar(context)}"
    names = ", ".join(f"<code>{_cell(name + value)}</code>" for name in option.opts)     # ` would show &#124; as it is
    text, _, default = (option.help or "").partition("[default: ")
    shown = default.rstrip("]") or (str(option.default) if option.show_default and not option.is_flag else "")
    return names, _cell(text), _cell(shown)


def _paragraphs(text: str) -> str:
    r"""The help of a command as Markdown; click's \b keeps the lines of a paragraph apart."""
    kept = [part.replace("\b\n", "").replace("\n", "<br>\n") if "\b" in part else part for part in text.split("\n\n")]
    return "\n\n".join(_escaped(part) for part in kept)


def _escaped(text: str) -> str:
    return re.sub(r"<(?!br>)", "&lt;", text).replace("->", "→")


# --- settings -----------------------------------------------------------------------------------------------------

def settings_page() -> str:
    parts = ["# Settings of autograder.toml", "Every key of this version. [Settings](../settings.md) shows a whole "
             "file, and says what to do after a change."]
    for name, table in TABLES.items():
        rows = list(keys(name, table))
        about = inspect.getdoc(table).partition(": ")[2] or "keys before the first table."
        parts += [f"## {f'[{name}]' if name else 'At the top'}", about[0].upper() + about[1:],
                  _table(("key", "what it is", "value", "default"), rows)]
    return "\n\n".join(parts) + "\n"


def keys(name: str, table: type[msgspec.Struct]) -> Iterator[tuple[str, str, str, str]]:
    """Each key of a table, but not the tables in it."""
    said = dict(re.findall(r"^    (\w+): .*?# (.*)$", inspect.getsource(table), re.MULTILINE))
    hints = inspect.get_annotations(table, eval_str=True)
    for field in msgspec.structs.fields(table):
        kind = hints[field.name]
        if not _is_table(kind):
            default = Limits.__dataclass_fields__[_of_limits(field.name)].default if name == "limits" else field.default
            yield f"`{field.name}`", _cell(said.get(field.name, "")), _cell(_value(kind)), _cell(_default(default))


def _of_limits(name: str) -> str:
    return "memory_mb" if name == "memory" else name


def _is_table(kind: Any) -> bool:
    kinds = (kind, *get_args(kind))
    return any(isinstance(one, type) and issubclass(one, msgspec.Struct) for one in kinds)


def _default(value: Any) -> str:
    if value in (None, msgspec.NODEFAULT, ()):
        return ""
    return f"{value:g}" if isinstance(value, float) else json.dumps(value)


def _value(kind: Any) -> str:
    """What the value may be, in words."""
    if get_origin(kind) is Literal:
        return " or ".join(f'"{one}"' for one in get_args(kind))
    if hasattr(kind, "__metadata__"):
        return " ".join([_value(kind.__origin__), *_bounds(kind.__metadata__[0])])
    if get_origin(kind) is dict:
        return f"a table: {_value(get_args(kind)[1])} for each name"
    if get_origin(kind) is tuple:
        return "a list of texts"
    members = [one for one in get_args(kind) if one is not type(None)]
    return " or ".join(map(_value, members)) if members else _KINDS[kind]


def _bounds(meta: msgspec.Meta) -> list[str]:
    bounds = {"above": meta.gt, "from": meta.ge, "up to": meta.le}
    return [f"{word} {float(bound):.10g}" for word, bound in bounds.items() if bound is not None]


# --- Markdown -----------------------------------------------------------------------------------------------------

def _cell(text: str) -> str:
    return " ".join(_escaped(text).replace("|", "&#124;").split())


def _table(head: tuple[str, ...], rows: Any) -> str:
    lines = [head, tuple("---" for _ in head), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)
