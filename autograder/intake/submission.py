"""Make a Submission from the content of one file: the student's own cells, the notices and the key of the content."""

import hashlib
import re
import sys
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from autograder.intake.cells import checked, code_cells, is_marimo, kept, marimo_cells, python_cells
from autograder.intake.encoding import Unreadable, utf8_of
from autograder.intake.names import label, stem
from autograder.intake.notebook_json import notebook_cells
from autograder.intake.own_cells import own_cells
from autograder.intake.template import normalised, template_of
from autograder.lessons.kit.lesson import Lesson
from autograder.records import Cell, NotebookCell, Submission, Text, text

#: in the metadata of a notebook; inside a JSON string the quotes would have backslashes
_VERSION = re.compile(rb'"language_info"\s*:\s*\{(?:[^{}]|\{[^{}]*\}){0,2000}?"version"\s*:\s*"(\d{1,2})\.(\d{1,3})')
#: what no notebook has at the beginning of a line
_PYTHON = re.compile(rb"^(?:import[ \t]+\w+|from[ \t]+[\w.]+[ \t]+import\b|def[ \t]+\w+[ \t]*\()", re.MULTILINE)
SCRIPT = text("The file is called a notebook but holds Python code; it was read as a Python file.")


class Content(NamedTuple):
    """What a file holds, whichever lesson it is for."""

    cells: list[NotebookCell]
    notices: list[Text]
    is_notebook: bool
    whole: tuple[NotebookCell, ...]             # of a notebook: its cells as a person reads them
    cut: list[Text]                             # which of those are not whole
    python: str                                 # the notebook's version of Python, if it is newer than ours


def read_bytes(name: str, data: bytes, lesson: Lesson, student: str | None = None) -> Submission:
    """The submission in these bytes: a Python file if its name says so, else a notebook.

    A bad file never raises: the submission says why it is unreadable. `student` defaults to the file's name.
    """
    student = stem(name) if student is None else student
    try:
        return of_content(name, student, content_of(name, data), lesson)
    except Unreadable as error:
        return unreadable(name, student, error.why, lesson)


def content_of(name: str, data: bytes) -> Content:
    """What these bytes hold: a Python file if its name says so, else a notebook. Raises Unreadable."""
    cells, notices, is_notebook = _cells(name, data)
    whole, cut = kept(cells) if is_notebook and not name.lower().endswith(".py") else ([], [])
    return Content(cells, notices, is_notebook, tuple(whole), cut, newer_python(data))


def of_content(name: str, student: str, content: Content, lesson: Lesson) -> Submission:
    """The submission for this lesson; raises Unreadable if there is too much in it."""
    stripped = []
    if content.is_notebook and not any(cell.grade_id for cell in content.cells) and any(
            normalised(cell.source) in template_of(lesson).code for cell in content.cells if cell.kind == "code"):
        stripped.append(text("The notebook has lost nbgrader's marks (other tools strip them); the given cells "
                             "were recognised by their text."))
    return _submission(name, student, content.cells, [*content.notices, *stripped, *content.cut], lesson,
                       content.python, content.whole)


def of_sources(name: str, student: str, sources: Sequence[str], lesson: Lesson) -> Submission:
    """The submission in these sources of code cells, without metadata: what a running kernel knows."""
    try:
        return _submission(name, student, code_cells(sources), [], lesson)
    except Unreadable as error:
        return unreadable(name, student, error.why, lesson)


def unreadable(name: str, student: str, why: Text, lesson: Lesson) -> Submission:
    """A submission that cannot be graded, and why."""
    return Submission(label(name), label(student), lesson.name, unreadable=why,
                      language=lesson.language)


def _cells(name: str, data: bytes) -> tuple[list[NotebookCell], list[Text], bool]:
    """The cells, what had to be repaired, and whether it was a notebook."""
    encoded, notices = utf8_of(data)
    if not name.lower().endswith(".py") and not encoded.lstrip().startswith((b"{", b"<")) and _PYTHON.search(encoded):
        return python_cells(encoded.decode()), [*notices, SCRIPT], False
    if name.lower().endswith(".py"):
        source = encoded.decode()
        if is_marimo(source):
            marimo = text("The file is a marimo notebook; its cells were read.")
            return marimo_cells(source), [*notices, marimo], False
        if not source.lstrip().startswith("{"):
            return python_cells(source), notices, False
        notices.append(text("The file is called a Python file but holds a notebook; it was read as a notebook."))
    cells, repairs = notebook_cells(encoded)
    return cells, [*notices, *repairs], True


def _submission(name: str, student: str, cells: list[NotebookCell], notices: list[Text], lesson: Lesson,
                python: str = "", notebook: tuple[NotebookCell, ...] = ()) -> Submission:
    template = template_of(lesson)
    cells, damaged = checked(cells)
    own, remarks = own_cells(cells, template, lesson)
    return Submission(label(name), label(student), lesson.name, own,
                      _key(lesson.name, own, python), template.language(cell.source for cell in cells),
                      (*notices, *damaged, *remarks), python=python, notebook=notebook)


def newer_python(data: bytes) -> str:
    """The notebook's Python version such as "3.13", if it is newer than ours; else ""."""
    found = _VERSION.search(data)
    found_version = (int(found[1]), int(found[2])) if found else (0, 0)
    return "{}.{}".format(*found_version) if found_version > sys.version_info[:2] else ""


def _key(lesson: str, cells: Iterable[Cell], python: str) -> str:
    """The same key for the same code in the same order, whatever the file is called and whatever it printed."""
    digest = hashlib.blake2b(digest_size=16)
    for part in (lesson, *filter(None, [python]), *(cell.source for cell in cells)):
        encoded = part.encode()
        digest.update(len(encoded).to_bytes(8, "big") + encoded)
    return digest.hexdigest()
