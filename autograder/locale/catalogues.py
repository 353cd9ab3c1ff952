"""The catalogues: extracted from the code and the templates, translated by people, compiled for gettext.

`python -m autograder.locale` brings every .po up to date with the code and compiles it; what then has an empty msgstr
waits for a translation. Needs Babel, which only those who change sentences need.
"""
from __future__ import annotations

import ast
import re
from io import BytesIO
from pathlib import Path

from babel.messages.catalog import Catalog
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po
from jinja2.ext import babel_extract

from autograder import __version__

HERE = Path(__file__).parent
PACKAGE = HERE.parent
PROJECT = "multihead-autograder"
GAP = re.compile(r"\{\w+\}")


def catalogues() -> list[Path]:
    """The .po files, one per language."""
    return sorted(HERE.glob("*/LC_MESSAGES/*.po"))


def extracted() -> Catalog:
    """Every sentence in the code and the templates, with the files that say it."""
    template = Catalog(charset="utf-8")
    for path in sorted([*PACKAGE.rglob("*.py"), *PACKAGE.rglob("templates/*.html")]):
        sentences = in_code if path.suffix == ".py" else in_template
        for msgid in sentences(path.read_text(encoding="utf-8")):
            template.add(msgid, locations=[(path.relative_to(PACKAGE).as_posix(), 0)])
    return template


def in_template(source: str) -> list[str]:
    """The first argument of every `text("...")` in a page, in order."""
    calls = babel_extract(BytesIO(source.encode()), ["text"], [], {})
    return [found if isinstance(found, str) else found[0] for _, _, found, _ in calls]


def in_code(source: str) -> list[str]:
    """The first argument of every `text("...")`, in the order of the file."""
    calls = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call)
             and isinstance(node.func, ast.Name) and node.func.id == "text" and node.args]
    calls.sort(key=lambda call: (call.lineno, call.col_offset))
    sentences = (call.args[0].value for call in calls if isinstance(call.args[0], ast.Constant))
    return [sentence for sentence in sentences if isinstance(sentence, str)]


def read(path: Path) -> Catalog:
    """The catalogue in this .po file; its language is the name of the folder above."""
    with path.open("rb") as file:
        catalogue = read_po(file, locale=path.parts[-3], charset="utf-8")
    catalogue.project, catalogue.version = PROJECT, __version__
    catalogue.last_translator = catalogue.language_team = catalogue.msgid_bugs_address = PROJECT
    return catalogue


def updated(path: Path) -> bytes:
    """The .po file with the sentences that the code has now: new ones empty, those that went left out."""
    catalogue, template = read(path), extracted()
    template.creation_date = catalogue.creation_date                 # else every run would change the file
    catalogue.update(template, no_fuzzy_matching=True)
    catalogue.obsolete.clear()
    file = BytesIO()
    write_po(file, catalogue, width=110, include_lineno=False, sort_by_file=True)
    return file.getvalue()


def compiled(path: Path) -> bytes:
    """What gettext reads: the .mo of this .po."""
    file = BytesIO()
    write_mo(file, read(path))
    return file.getvalue()


def untranslated(path: Path) -> list[str]:
    """The sentences without a translation, or with one that has other gaps."""
    return [message.id for message in read(path) if message.id
            and (not message.string or sorted(GAP.findall(message.id)) != sorted(GAP.findall(message.string)))]
