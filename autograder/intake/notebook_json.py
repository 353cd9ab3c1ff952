"""Read the cells of a notebook file without nbformat, whose import takes longer than grading.

Only what grading needs is read: stored outputs are skipped, and of the metadata only nbgrader's is used. Notebooks of
format 4 and 3 are read, any minor version. An invalid cell is left out, as long as there are others. Anything else is
Unreadable, with the place of the error.
"""

import re
from contextlib import suppress

import msgspec
from msgspec import Raw

from autograder.intake.encoding import Unreadable
from autograder.intake.json_repair import cut_after_its_end, repaired, unmerged
from autograder.intake.names import listed
from autograder.records import NotebookCell, Text, text

ALL_CELLS_CAP = 10_000                    # code and text together
POINTS_CAP = 50                           # bytes of a number of points
_GRADE_ID = re.compile(r"[A-Za-z0-9_-]{1,200}")


class _Cell(msgspec.Struct):
    cell_type: str
    source: Raw = Raw(b"null")
    input: Raw = Raw(b'""')               # the source of a code cell in format 3
    metadata: Raw = Raw(b"{}")


class _Worksheet(msgspec.Struct):
    cells: list[_Cell] = []


class _Notebook(msgspec.Struct):
    cells: list[_Cell] | None = None
    worksheets: list[_Worksheet] | None = None         # format 3
    nbformat: Raw = Raw(b"null")


class _LooseNotebook(msgspec.Struct):
    cells: list[Raw]
    nbformat: Raw = Raw(b"null")


class _Typeless(msgspec.Struct):
    source: Raw                           # anything with a source is a cell
    outputs: Raw = Raw(b"")               # and with outputs it is a code cell
    metadata: Raw = Raw(b"{}")


class _Nbgrader(msgspec.Struct):
    grade_id: Raw = Raw(b'""')
    locked: Raw = Raw(b"false")
    grade: Raw = Raw(b"false")
    solution: Raw = Raw(b"false")
    points: Raw = Raw(b"null")


class _Metadata(msgspec.Struct):
    nbgrader: _Nbgrader = msgspec.field(default_factory=_Nbgrader)


_notebook = msgspec.json.Decoder(_Notebook)
_metadata = msgspec.json.Decoder(_Metadata)
_source = msgspec.json.Decoder(str | list)


def notebook_cells(document: bytes | str) -> tuple[list[NotebookCell], list[Text]]:
    """All cells of a notebook (UTF-8) in order, with a notice for each repair. Raises Unreadable."""
    notebook, notices = _parsed(document.encode("utf-8", "replace") if isinstance(document, str) else document)
    found, more = _in_known_format(notebook)
    if len(found) > ALL_CELLS_CAP:
        raise Unreadable(text("The notebook has {count} cells; more than {limit} are not read. Remove the cells "
                              "that do not belong to the exercise.", count=len(found), limit=ALL_CELLS_CAP))
    cells, unclear = [], []
    for index, cell in enumerate(found):
        source = _text_of(cell)
        if source is None:
            unclear.append(str(index + 1))
        else:
            cells.append(NotebookCell(index, cell.cell_type, source, *_nbgrader(cell.metadata)))
    if unclear:
        more.append(text("The source of cell {cells} is not text; it was left out.", cells=listed(unclear)))
    return cells, notices + more


def _parsed(body: bytes) -> tuple[_Notebook, list[Text]]:
    try:
        try:
            return _notebook.decode(body), []
        except msgspec.ValidationError:
            raise
        except msgspec.DecodeError:
            body, notices = repaired(body)
            body, more = cut_after_its_end(body, _syntax_error(body))
            return _notebook.decode(body), notices + more
    except msgspec.ValidationError as error:
        try:
            return _cell_by_cell(body)
        except (msgspec.DecodeError, RecursionError):
            raise Unreadable(text("The file is JSON, but not a notebook: {detail}. Expected a file with a list of "
                                  "cells, saved by Jupyter.", detail=_in_its_place(str(error)))) from None
    except msgspec.DecodeError as error:
        raise Unreadable(unmerged(body) or _broken_at(body, str(error))) from None
    except RecursionError:
        raise Unreadable(text("The file is nested deeper than any notebook is. Open it in Jupyter, save it and hand "
                              "it in again.")) from None


def _in_its_place(error: str) -> Text:
    """What the file holds where the cells should be; msgspec's own words for it are English."""
    quoted = re.findall(r"`([^`]*)`", error)
    if " - at " not in error:
        return text("it is not an object in braces")
    if "required field" in error:
        return text("{place} has no {field}", place=quoted[-1], field=quoted[0])
    return text("{place} is something else", place=quoted[-1])


def _syntax_error(body: bytes) -> str:
    """The JSON syntax error in the decoder's words; "" if the JSON is well-formed."""
    try:
        msgspec.json.decode(body, type=Raw)
    except msgspec.DecodeError as error:
        return str(error)
    return ""


def _cell_by_cell(body: bytes) -> tuple[_Notebook, list[Text]]:
    """A notebook with invalid cells: they are left out, with a notice. Raises DecodeError if no cell is left."""
    loose = msgspec.json.decode(body, type=_LooseNotebook)
    cells = [_cell_of(raw) for raw in loose.cells]
    if not any(cells):
        raise msgspec.DecodeError("no valid cell")
    odd = [str(index + 1) for index, cell in enumerate(cells) if cell is None]
    notices = [text("Cell {cells} is not a notebook cell; it was left out.", cells=listed(odd))] if odd else []
    return _Notebook([cell or _Cell("raw") for cell in cells], None, loose.nbformat), notices


def _cell_of(raw: Raw) -> _Cell | None:
    """A cell, even without a type; None for anything else."""
    with suppress(msgspec.DecodeError):
        return msgspec.json.decode(raw, type=_Cell)
    try:
        cell = msgspec.json.decode(raw, type=_Typeless)
    except msgspec.DecodeError:
        return None
    return _Cell("code" if bytes(cell.outputs) else "raw", cell.source, metadata=cell.metadata)


def _broken_at(body: bytes, error: str) -> Text:
    """Where and how the JSON ends or goes wrong, in lines and columns from 1."""
    place = re.search(r"\(byte (\d+)\)", error)
    if place is None:
        return text("The file breaks off at line {line}, after {size} bytes: its end is missing. Saving or uploading "
                    "was cut short; hand in the notebook again.", line=body.count(b"\n") + 1, size=len(body))
    before = body[:int(place[1]) - error.count("trailing")]     # msgspec's count is one too high there
    return text("The file is not a notebook: what begins at line {line}, column {column} is not JSON. Open "
                "it in Jupyter; if that works, save it and hand it in again.",
                line=before.count(b"\n") + 1, column=len(before) - before.rfind(b"\n"))


def _in_known_format(notebook: _Notebook) -> tuple[list[_Cell], list[Text]]:
    major = bytes(notebook.nbformat).decode()
    if notebook.cells is None and notebook.worksheets is None:
        raise Unreadable(text("The file is JSON, but not a notebook: it has no cells. Expected a file saved by "
                              "Jupyter."))
    if major.isdigit() and major not in ("3", "4"):
        raise Unreadable(text("The notebook has format {major}; format 4 was expected. Open it in a current Jupyter, "
                              "save it and hand it in again.", major=major[:10]))
    if notebook.cells is None:
        cells = [cell for worksheet in notebook.worksheets or () for cell in worksheet.cells]
        return cells, [text("The notebook has the old format 3; it was converted.")]
    if not major.isdigit():
        return notebook.cells, [text("The notebook does not say which format it has; it was read as format 4.")]
    return notebook.cells, []


def _text_of(cell: _Cell) -> str | None:
    raw = cell.input if bytes(cell.source) == b"null" else cell.source
    try:
        return _joined(_source.decode(raw))
    except (msgspec.DecodeError, TypeError, RecursionError):
        return None


def _joined(source: str | list) -> str:
    """The text of a source. If all lines lack their ends they get them; nested lists are flattened.

    Raises TypeError if it holds anything but text.
    """
    if isinstance(source, str):
        return source
    parts = [_joined(part) for part in source if part is not None]
    lines = len(parts) > 1 and not any("\n" in part for part in parts)
    return ("\n" if lines else "").join(parts)


def _nbgrader(metadata: Raw) -> tuple[str, bool, str]:
    """The grade_id ("" if it is not valid), whether nbgrader calls the cell given, and the metadata that counts."""
    try:
        marks = _metadata.decode(metadata).nbgrader
        grade_id = msgspec.json.decode(marks.grade_id, type=str)
    except (msgspec.DecodeError, RecursionError):
        return "", False, ""
    locked, grade, solution = (bytes(flag) == b"true" for flag in (marks.locked, marks.grade, marks.solution))
    points = bytes(marks.points)[:POINTS_CAP].decode("utf-8", "replace").removesuffix(".0") if grade else "no"
    return (grade_id if _GRADE_ID.fullmatch(grade_id) else ""), locked or (grade and not solution), (
        f"grade={grade} solution={solution} points={points}")
