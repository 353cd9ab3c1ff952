"""Prove that a release gives nothing away: no solution, no hidden test, no trace of a run."""

import base64
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import nbformat

MARKERS = ("BEGIN HIDDEN", "END HIDDEN", "BEGIN SOLUTION", "END SOLUTION", "BEGIN MARK SCHEME",
           "autograder.nbgrader.kernel")
NOTEBOOK_METADATA = {"kernelspec", "language_info"}
CELL_METADATA = {"nbgrader", "deletable", "editable", "tags"}
GOES_ON = "raises-exception"            # the only tag: after an error in this cell Jupyter runs the next one
NBGRADER_METADATA = {"schema_version", "grade", "grade_id", "locked", "solution", "task", "points", "checksum",
                     "cell_type"}
_EMBEDDED = re.compile(r"base64,([\w+/=]+)")
SHORTEST = 16                           # characters without spaces; a shorter line ("dx, grads") reveals nothing


class Leak(ValueError):
    """The release holds something that students must not get: which file, which cell, which line."""

    def __init__(self, file: str, cell: str, line: str, what: str):
        where = f"{file}, cell {cell}" if cell else file
        super().__init__(f"{where}: {what}" + (f": {line.strip()[:80]!r}" if line else ""))
        self.file, self.cell, self.line = file, cell, line


@dataclass(frozen=True)
class Secrets:
    """The lines that must not be released, without spaces and comments."""

    solution: frozenset[str]
    hidden: frozenset[str]


def secrets(notebook: nbformat.NotebookNode, bodies: Sequence[str]) -> Secrets:
    """The lines of the source notebook and the reference's bodies that students may not see.

    A line that the teacher shows in a locked cell (a call in an example, say) is not secret there. The same line in a
    text, a student's cell or another file is: those are the places where a solution is left behind by mistake.
    """
    solution, hidden, shown = list(bodies), [], []
    for cell in notebook.cells:
        locked = cell.metadata.get("nbgrader", {}).get("locked", False)
        for kind, line in regions(cell.source):
            if kind == "solution":
                solution.append(line)
            elif kind == "hidden":
                hidden.append(line)
            elif locked:
                shown.append(line)
    public = [_bare(line) for line in shown]
    return Secrets(*(frozenset(code for code in map(_code, lines)
                               if len(code) >= SHORTEST and not any(code in line for line in public))
                     for lines in (solution, hidden)))


def regions(source: str) -> Iterator[tuple[str, str]]:
    """Each line of a cell with its region: "solution", "hidden" or "" for what everyone sees; no marker lines."""
    region = ""
    for line in source.splitlines():
        begins = re.search(r"BEGIN (SOLUTION|HIDDEN TESTS|MARK SCHEME)", line)
        if begins:
            region = "solution" if begins[1] == "SOLUTION" else "hidden"
        elif re.search(r"END (SOLUTION|HIDDEN TESTS|MARK SCHEME)", line):
            region = ""
        else:
            yield region, line


def prove(folder: Path, files: Sequence[str], kept: Secrets) -> None:
    """Raise Leak unless the folder holds exactly these files, and none of them gives anything away."""
    found = sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if not path.is_dir())
    for name in found:
        if name not in files:
            raise Leak(name, "", "", "this file is not part of the assignment; move it away or add it to "
                                     "CourseDirectory.ignore in nbgrader_config.py")
    for name in files:
        if name not in found:
            raise Leak(name, "", "", "this file is missing from the release")
        if name.endswith(".ipynb"):
            _prove_notebook(name, nbformat.read(folder / name, as_version=4), kept)
        _prove_text(name, "", (folder / name).read_text(encoding="utf-8"), kept)


def _prove_text(file: str, cell: str, text: str, kept: Secrets) -> None:
    for line in text.splitlines():
        bare = _bare(line)
        if any(marker in line for marker in MARKERS) or any(secret in bare for secret in kept.hidden):
            raise Leak(file, cell, line, "a hidden test, or a marker of one or of a solution, is left in")
        if any(secret in bare for secret in kept.solution):
            raise Leak(file, cell, line, "a line of the solution is left in")


def _prove_notebook(file: str, notebook: nbformat.NotebookNode, kept: Secrets) -> None:
    _prove_metadata(file, "", notebook.metadata, NOTEBOOK_METADATA)
    for number, cell in enumerate(notebook.cells):
        name = cell.metadata.get("nbgrader", {}).get("grade_id", cell.get("id", str(number)))
        _prove_text(file, name, cell.source, kept)
        for picture in _EMBEDDED.findall(cell.source):
            _prove_text(file, name, base64.b64decode(picture).decode(errors="replace"), kept)
        if cell.get("attachments"):
            raise Leak(file, name, next(iter(cell.attachments)), "an attachment; Colab shows none of them")
        if cell.get("outputs") or cell.get("execution_count") is not None:
            raise Leak(file, name, "", "the cell has been run: its outputs or its count are left in")
        _prove_metadata(file, name, cell.metadata, CELL_METADATA)
        _prove_metadata(file, name, dict.fromkeys(cell.metadata.get("tags", ())), {GOES_ON})
        _prove_metadata(file, name, cell.metadata.get("nbgrader", {}), NBGRADER_METADATA)


def _prove_metadata(file: str, cell: str, metadata: dict, allowed: set[str]) -> None:
    for key in metadata:
        if key not in allowed:
            raise Leak(file, cell, key, "metadata that students do not need")


def _code(line: str) -> str:
    """What a line of code computes: "=x+1" for `y = x + 1  # why`, so that renaming does not hide it."""
    line = re.sub(r"(?<=\S)\s+# .*$", "", line)
    return _bare(re.sub(r"^\s*[\w, ]+ = ", "= ", line))


def _bare(line: str) -> str:
    """A line without spaces, with `return x` written as an assignment."""
    return re.sub(r"\s+", "", re.sub(r"\breturn\s+", "= ", line))
