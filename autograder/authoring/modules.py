"""Make the modules beside the notebooks, in every language, from one source: `modules/<lesson>/` of the checkout.

`modules/shared/` holds those that several lessons name. `modules/<lesson>/NAME.py` is copied into every edition.
`modules/<lesson>/en/NAME.py` is written in English, and `modules/<lesson>/nl.po` holds the Dutch of its texts,
docstrings and comments, piece by piece. Its Dutch edition is the same code with the Dutch in their places: students
read a plain module in their own language.
"""

import ast
import io
import re
import tokenize
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from textwrap import shorten

from babel.messages.catalog import Catalog

from autograder.lessons.installed import every_lesson
from autograder.lessons.kit.course_file import course_file
from autograder.lessons.kit.lesson import Lesson
from autograder.locale.catalogues import changed_files, po_file, read, words

SOURCE_LANGUAGE = "en"
SHARED = "shared"                               # the folder of what several lessons give their students
HEADER = """\
# The texts, docstrings and comments of the modules in en/, in their order. A sentence may go on in the
# next entry. What is in braces belongs to Python: keep it, though it may move within the sentence.
# `autograder dev modules` brings this file up to date, and writes the modules that students get."""
_PIECE = re.compile(r"#(?P<space>\s*)(?P<comment>.*)|(?P<prefix>\w*)(?P<quote>\"\"\"|'''|\"|')(?P<text>.*)(?P=quote)",
                    re.DOTALL)
_GAP = re.compile(r"\{[^{}]+\}")
_QUOTED = re.compile(r"'[^']*'|\"[^\"]*\"")
_WORD = re.compile(r"[^\W\d_]{3}")


@dataclass(frozen=True)
class Piece:
    """A text or comment of a module: its place, and its words with real line ends."""

    start: int
    end: int
    says: str
    one_line: bool = False                      # then a line end is written \n

    @property
    def has_words(self) -> bool:
        return bool(_WORD.search(_GAP.sub(lambda gap: " ".join(_QUOTED.findall(gap[0])), self.says)))


def gaps(text: str) -> list[str]:
    """The parts that Python fills in here, without the words in them."""
    return sorted(_QUOTED.sub("''", gap) for gap in _GAP.findall(text))


def differences() -> list[str]:
    """One sentence for each module that differs from its source, and for each text without a translation."""
    return [sentence for lesson in every_lesson() for sentence in outdated(lesson)]


def write() -> list[Path]:
    """Update the words and write the modules of every edition; returns the files that this changed."""
    changed = []
    for lesson in every_lesson():
        changed += changed_files({path: po_file(catalogue) for path, catalogue in _catalogues(lesson).items()})
        changed += changed_files({path: source.encode() for path, source in editions(lesson).items()})
    return changed


def outdated(lesson: Lesson) -> list[str]:
    """The same sentences for one lesson."""
    found = []
    for path, catalogue in _catalogues(lesson).items():
        found += [f"{path}: {shorten(piece, 80)!r} has no translation with the same gaps"
                  for piece, said in words(catalogue).items() if not said or gaps(piece) != gaps(said)]
        if words(catalogue) != words(read(path, path.stem)):
            found.append(f"{path} does not have the texts that the modules have now")
    return found + [f"{path} is not what modules/{lesson.name} makes it" for path, source in editions(lesson).items()
                    if not path.exists() or path.read_bytes() != source.encode()]


def editions(lesson: Lesson) -> dict[Path, str]:
    """Every module of every edition -> its content."""
    made = {}
    for language, notebook in lesson.editions.items():
        for path in _in_source_language(lesson):
            catalogue = path.parent.parent / f"{language}.po"
            said = words(read(catalogue, language)) if catalogue.exists() else {}
            source = path.read_text(encoding="utf-8")
            made[course_file(notebook).parent / path.name] = source if language == SOURCE_LANGUAGE else (
                translated(source, said, f"{path.name} in {catalogue.name}"))
        for path in _given_to(lesson, "*.py"):
            made[course_file(notebook).parent / path.name] = path.read_text(encoding="utf-8")
    return made


def folder(lesson: Lesson) -> Path:
    """The folder with the sources of a lesson's modules."""
    return course_file("modules") / lesson.name


def _given_to(lesson: Lesson, pattern: str) -> list[Path]:
    """The lesson's own modules of this pattern, and the shared ones that it names."""
    shared = [path for path in (course_file("modules") / SHARED).glob(pattern) if path.stem in lesson.beside]
    return sorted([*folder(lesson).glob(pattern), *shared])


def translated(source: str, said: Mapping[str, str], where: str) -> str:
    """This module with its pieces in another language; ValueError if a translation is not valid Python."""
    parts, at = [], 0
    for piece in pieces(source):
        meant = said.get(piece.says) or piece.says
        parts += [source[at:piece.start], meant.replace("\n", r"\n") if piece.one_line else meant]
        at = piece.end
    made = "".join([*parts, source[at:]])
    try:
        ast.parse(made)
    except SyntaxError as error:
        raise ValueError(f"{where}: line {error.lineno} is no longer Python: {(error.text or '').strip()}") from None
    return made


def pieces(source: str) -> Iterator[Piece]:
    """The texts and comments of a module, in order."""
    for start, end in _spans(source):
        found = _PIECE.fullmatch(source, start, end)
        assert found is not None, source[start:end]
        if found["comment"] is not None:
            yield Piece(*found.span("comment"), found["comment"])
        else:
            one_line = len(found["quote"]) == 1 and "r" not in found["prefix"].lower()
            says = found["text"].replace(r"\n", "\n") if one_line else found["text"]
            yield Piece(*found.span("text"), says, one_line)


def _spans(source: str) -> Iterator[tuple[int, int]]:
    """The place of each string and comment; the pieces of an f-string, from Python 3.12 on, are put together."""
    starts = [0]
    for line in source.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    opened: list[int] = []
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        kind = tokenize.tok_name[token.type]
        start, end = (starts[line - 1] + column for line, column in (token.start, token.end))
        if kind == "FSTRING_START":
            opened.append(start)
        elif kind == "FSTRING_END":
            start = opened.pop()
        if kind in ("STRING", "COMMENT", "FSTRING_END") and not opened:
            yield start, end


def _in_source_language(lesson: Lesson) -> list[Path]:
    return _given_to(lesson, f"{SOURCE_LANGUAGE}/*.py")


def _catalogues(lesson: Lesson) -> dict[Path, Catalog]:
    """The .po file of every other language -> the current texts, with its translations; the shared one is whole."""
    folders = sorted({path.parent for path in _in_source_language(lesson)})
    return {path: _catalogue(path, sorted(each.glob("*.py"))) for each in folders for path in (
        each.parent / f"{language}.po" for language in lesson.editions if language != SOURCE_LANGUAGE)}


def _catalogue(path: Path, modules: list[Path]) -> Catalog:
    """The texts of these modules in order, with the translations in this .po file."""
    catalogue = read(path, path.stem)
    said = words(catalogue)
    catalogue.header_comment, catalogue.fuzzy, catalogue.revision_date = HEADER, False, catalogue.creation_date
    for piece in said:
        catalogue.delete(piece)
    for module in modules:
        for piece in pieces(module.read_text(encoding="utf-8")):
            if piece.has_words or piece.says in said:
                catalogue.add(piece.says, said.get(piece.says, ""), locations=[(module.name, 0)])
    return catalogue
