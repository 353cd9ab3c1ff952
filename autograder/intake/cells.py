"""Hold the cells of a notebook from any kind of file, clean their text and enforce the size limits."""

import re
import textwrap
from collections.abc import Sequence
from itertools import islice

import msgspec

from autograder.intake.encoding import Unreadable
from autograder.intake.names import listed
from autograder.records import NotebookCell, Text, text

CODE_CAP = 2 * 2**20                      # characters of code in one notebook
CELL_CAP = 2_000                          # code cells in one notebook
PROSE_CAP = 100_000                       # characters read of a text cell; pictures may follow them
TEXT_CAP = 4_000_000                      # characters that are kept of all text cells together
_UNPRINTABLE = re.compile("[\0\ud800-\udfff]")
_MARKER = re.compile(r"^# ?(?:%%(?![^\s\[])|In ?\[[ \d]*\]:).*$", re.MULTILINE)
_MARIMO = re.compile(r"^@app\.cell\b.*\n(?:async )?def \w+\([^()]*\):[^\n]*\n((?:(?:[ \t].*)?\n)*)", re.MULTILINE)
_MARIMO_SETUP = re.compile(r"^with app\.setup\b[^\n]*:[^\n]*\n((?:(?:[ \t].*)?\n)*)", re.MULTILINE)
_MARIMO_FUNCTION = re.compile(r"^@app\.(?:function|class_definition)\b.*\n((?:@.*\n)*(?:async )?(?:def|class)\b.*\n"
                              r"(?:(?:[ \t)].*)?\n)*)", re.MULTILINE)
_RETURN = re.compile(r"^return\b[^\n]*(?:\n[ \t)][^\n]*)*\s*\Z", re.MULTILINE)


def code_cells(sources: Sequence[str]) -> list[NotebookCell]:
    """Sources without any metadata, as code cells in order."""
    return [NotebookCell(index, "code", source) for index, source in enumerate(sources)]


def python_cells(source: str) -> list[NotebookCell]:
    """A Python file as cells: cut before each `# %%` (jupytext, editors) and `# In[1]:` (nbconvert)."""
    starts = [match.start() for match in islice(_MARKER.finditer(source), CELL_CAP + 1)]     # `checked` refuses more
    bounds = [0, *starts, len(source)]
    parts = [source[start:end] for start, end in zip(bounds, bounds[1:], strict=False)]
    return code_cells([_MARKER.sub("", part, count=1) if _MARKER.match(part) else part for part in parts])


def is_marimo(source: str) -> bool:
    """Whether a Python file is a marimo notebook, whose cells are the bodies of functions."""
    return re.search(r"^import marimo\b", source, re.MULTILINE) is not None and any(
        way.search(source) for way in (_MARIMO, _MARIMO_SETUP, _MARIMO_FUNCTION))


def marimo_cells(source: str) -> list[NotebookCell]:
    """The cells of a marimo notebook in order: what is set up, functions, and cells without the `return` at the end."""
    source = source if source.endswith("\n") else f"{source}\n"
    found = {match.start(): _RETURN.sub("", textwrap.dedent(match[1])) for match in _MARIMO.finditer(source)}
    found |= {match.start(): textwrap.dedent(match[1]) for way in (_MARIMO_SETUP, _MARIMO_FUNCTION)
              for match in way.finditer(source)}
    return code_cells([found[start] for start in sorted(found)])


def clean(source: str) -> str:
    """A source that can be encoded and compiled: plain line ends, no NUL, no half surrogate pairs."""
    if "\r" in source:
        source = source.replace("\r\n", "\n").replace("\r", "\n")
    return _UNPRINTABLE.sub("\ufffd", source) if _is_damaged(source) else source


def _is_damaged(source: str) -> bool:
    """Whether it holds anything unprintable, in a twentieth of the time that the pattern takes."""
    try:
        if not source.isascii():
            source.encode()
    except UnicodeEncodeError:
        return True
    return "\0" in source


def checked(cells: list[NotebookCell]) -> tuple[list[NotebookCell], list[Text]]:
    """The same cells, cleaned, with a notice if that changed any. Raises Unreadable if there is too much code."""
    sizes = [len(cell.source) for cell in cells if cell.kind == "code"]
    if len(sizes) > CELL_CAP:
        raise Unreadable(text("There are {count} code cells; more than {limit} are not graded. Remove the cells "
                              "that do not belong to the exercise.", count=len(sizes), limit=CELL_CAP))
    if sum(sizes) > CODE_CAP:
        raise Unreadable(text("There are {count} characters of code; more than {limit} are not graded. Remove data "
                              "that was pasted into a cell.", count=sum(sizes), limit=CODE_CAP))
    damaged = [str(cell.index + 1) for cell in cells if cell.kind == "code" and _is_damaged(cell.source)]
    notices = [text("Cell {cells} holds characters that no program can hold (NUL or half of a pair); a � takes their "
                    "place.", cells=listed(damaged))] if damaged else []
    return [msgspec.structs.replace(cell, source=clean(cell.source if cell.kind == "code" else cell.source[:PROSE_CAP]))
            for cell in cells], notices


def kept(cells: Sequence[NotebookCell]) -> tuple[list[NotebookCell], list[Text]]:
    """The cells as a person will read them; of endless texts as much as fits, with a note."""
    left, found, cut = TEXT_CAP, [], []
    for cell in cells:
        if cell.kind != "code":
            if len(cell.source) > left:
                cut.append(str(cell.index + 1))
                cell = msgspec.structs.replace(cell, source=f"{cell.source[:left]}…")
            left -= min(left, len(cell.source))
        found.append(msgspec.structs.replace(cell, source=clean(cell.source)))
    return found, [text("The texts of the notebook are longer than is kept; these cells were cut: {cells}.",
                        cells=listed(cut))] if cut else []
