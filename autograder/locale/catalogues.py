"""Keep the catalogues: extracted from the code and the templates, translated by people, compiled for gettext.

`autograder dev locale` updates every .po from the code and compiles it; an empty msgstr is then waiting for a
translation. Only those who change sentences need Babel.
"""

import ast
import re
from collections.abc import Mapping
from io import BytesIO
from pathlib import Path

from babel.messages.catalog import Catalog
from babel.messages.mofile import read_mo, write_mo
from babel.messages.pofile import read_po, write_po
from jinja2.ext import babel_extract

from autograder import __version__

HERE = Path(__file__).parent
PACKAGE = HERE.parent
PROJECT = "multihead-autograder"
GAP = re.compile(r"\{\w+\}")


def differences() -> list[str]:
    """One sentence for each catalogue that is not up to date, and for each sentence without a translation."""
    sentences = extracted()
    found = []
    for path in catalogues():
        if words(read(path)).keys() != words(sentences).keys():
            found.append(f"{path} does not have the sentences that the code has now")
        if words(read(path)) != words(_compiled_before(path)):
            found.append(f"{path.with_suffix('.mo')} is not compiled from {path.name}")
        found += [f"{path}: {msgid!r} has no translation with the same gaps" for msgid in untranslated(path)]
    return found


def write() -> list[Path]:
    """Bring every catalogue up to date and compile it; the files that this changed."""
    changed = []
    for path in catalogues():
        changed += changed_files({path: updated(path)})
        changed += changed_files({path.with_suffix(".mo"): compiled(path)})
    return changed


def changed_files(contents: Mapping[Path, bytes]) -> list[Path]:
    """Write these files; the ones that this changed."""
    changed = [path for path, content in contents.items() if not path.exists() or path.read_bytes() != content]
    for path in changed:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(contents[path])
    return changed


def words(catalogue: Catalog) -> dict[str, str]:
    """Each sentence of a catalogue with its translation."""
    return {str(message.id): str(message.string or "") for message in catalogue if message.id}


def _compiled_before(path: Path) -> Catalog:
    """The .mo that gettext reads beside this .po; empty if it was never compiled."""
    if not path.with_suffix(".mo").exists():
        return Catalog()
    with path.with_suffix(".mo").open("rb") as file:
        return read_mo(file)


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
    return [found if isinstance(found, str) else str(found[0]) for _, _, found, _ in calls if found]


def in_code(source: str) -> list[str]:
    """The first argument of every `text("...")`, in the order of the file."""
    calls = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call)
             and isinstance(node.func, ast.Name) and node.func.id == "text" and node.args]
    calls.sort(key=lambda call: (call.lineno, call.col_offset))
    sentences = (call.args[0].value for call in calls if isinstance(call.args[0], ast.Constant))
    return [sentence for sentence in sentences if isinstance(sentence, str)]


def read(path: Path, language: str | None = None) -> Catalog:
    """The catalogue in this .po file, empty if there is none; its language is by default the folder's."""
    content = path.read_bytes() if path.exists() else b""
    catalogue = read_po(BytesIO(content), locale=language or path.parts[-3], charset="utf-8")
    catalogue.project, catalogue.version = PROJECT, __version__
    catalogue.last_translator = catalogue.language_team = catalogue.msgid_bugs_address = PROJECT
    return catalogue


def updated(path: Path) -> bytes:
    """The .po file with the current sentences of the code: new ones are empty, removed ones are left out."""
    catalogue, template = read(path), extracted()
    template.creation_date = catalogue.creation_date                 # else every run would change the file
    catalogue.update(template, no_fuzzy_matching=True)
    catalogue.obsolete.clear()
    return po_file(catalogue, sort_by_file=True)


def po_file(catalogue: Catalog, sort_by_file: bool = False) -> bytes:
    """The .po file of a catalogue, its sentences in their order unless they are sorted."""
    file = BytesIO()
    write_po(file, catalogue, width=110, include_lineno=False, sort_by_file=sort_by_file)
    return file.getvalue()


def compiled(path: Path) -> bytes:
    """The .mo that gettext reads, from this .po."""
    file = BytesIO()
    write_mo(file, read(path))
    return file.getvalue()


def untranslated(path: Path) -> list[str]:
    """The sentences without a translation, or with different gaps in it."""
    return [sentence for sentence, meant in words(read(path)).items()
            if not meant or sorted(GAP.findall(sentence)) != sorted(GAP.findall(meant))]
