"""Read a text file that somebody saved in an editor, Excel or PowerShell, and the rows of one that is CSV."""

import codecs
import csv
import io
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple


def decoded(content: bytes, errors: str = "strict") -> tuple[str, bool]:
    """The text, and whether it was read as Windows-1252, in which Excel in the Netherlands saves CSV unless told
    otherwise. UTF-16 ("Unicode text" of Excel) is known by its mark or its first letter, else the text is UTF-8.

    UnicodeDecodeError if it is not text in that encoding, unless `errors` says otherwise.
    """
    if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return content.decode("utf-16", errors), False
    if b"\0" in content[:2]:
        return content.decode("utf-16-le" if content[1:2] == b"\0" else "utf-16-be", errors), False
    try:
        return content.decode("utf-8-sig"), False
    except UnicodeDecodeError:
        return content.decode("cp1252", errors), True


class Sheet(NamedTuple):
    """A CSV file: its headings, its other rows after their line numbers, and whether its encoding was guessed."""

    header: list[str]
    rows: Iterator[tuple[int, dict[str, str]]]
    guessed: bool


def sheet(path: Path, wrong: type[Exception], errors: str = "strict") -> Sheet:
    """The CSV file with a column `student` at this path, however Excel separated it; else `wrong`, in one line."""
    try:
        data = path.read_bytes()
        words, guessed = decoded(data, errors)
    except OSError as error:
        raise wrong(f"cannot read {path}: {error.strerror or error}") from None
    except UnicodeDecodeError as error:
        raise wrong(f"{path} is not text (byte {error.start}); save it as CSV (UTF-8)") from None
    if data.startswith(b"PK\x03\x04"):
        raise wrong(f"{path} is an Excel file; save it as CSV (UTF-8)")
    given = re.match(r"sep=(.)\r?\n", words)                # Excel's own way to say so
    words = (words[given.end():] if given else words).lstrip("\r\n")
    lines = words.splitlines()
    if not lines:
        raise wrong(f"{path} is empty; expected a CSV file with a column 'student'")
    delimiter = given[1] if given else max(",;\t", key=lines[0].count)
    reader = csv.reader(io.StringIO(words, newline=""), delimiter=delimiter, strict=True)
    try:
        header = [name.strip() for name in next(reader)]
    except csv.Error as error:
        raise wrong(f"{path} is not a CSV file: {error}; save it as CSV (UTF-8)") from None
    doubled = sorted({name for name in header if name and header.count(name) > 1})
    if doubled:
        raise wrong(f"{path} has two columns {doubled[0]!r}; rename or delete one")
    return Sheet(header, _rows(path, header, reader, wrong), guessed)


def _rows(path: Path, header: list[str], reader: Any, wrong: type[Exception]) -> Iterator[tuple[int, dict[str, str]]]:
    try:
        for cells in reader:
            yield reader.line_num, dict(zip(header, (cell.strip() for cell in cells), strict=False))
    except csv.Error as error:
        raise wrong(f"{path}, line {reader.line_num} is not CSV: {error}; look for a quote that is not closed above "
                    "it") from None
