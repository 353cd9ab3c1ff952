"""Decode the bytes of a file to text, whatever editor saved it.

A notebook or a Python file is text; an empty file, a picture, an archive or a web page saved under such a name is
refused with a reason. A notice says what had to be converted.
"""

import codecs
import json
import re

from autograder.records import Text, text

FILE_CAP = 64 * 2**20                     # bytes; an honest notebook with many pictures has about 20 MB


TOO_LARGE = text("The file has more than {limit} MB. Clear the outputs of the notebook "
                 "(menu Edit or Kernel), save it and hand it in again.", limit=FILE_CAP // 2**20)


class Unreadable(Exception):
    """Nothing can be graded; the text says what was seen, what was expected and what to do."""

    def __init__(self, why: Text):
        super().__init__(why.template)
        self.why = why


_SIGNATURES = {
    b"PK\x03\x04": text("a zip archive or an Office document"),
    b"%PDF": text("a PDF"),
    b"\x89PNG": text("a picture (PNG)"),
    b"\xff\xd8\xff": text("a picture (JPEG)"),
    b"\x1f\x8b": text("a gzip archive"),
    b"Rar!": text("a RAR archive"),
    b"7z\xbc\xaf": text("a 7z archive"),
    b"\xd0\xcf\x11\xe0": text("an Office document"),
}
_NO_TEXT = text("a file of bytes without text")
_SOMETHING = re.compile(rb"[^\0 \t\r\n\f\xef\xbb\xbf]")
_MARKS = re.compile(rb"(?:\xef\xbb\xbf)*+")           # byte order marks
_PIECE = 2**20                            # bytes
_CONTROL = bytes(set(range(32)) - set(b"\t\n\r\f\x1b")) + b"\x7f"


def text_of(data: bytes) -> tuple[str, list[Text]]:
    """The text of a file, and a notice if it was not plain UTF-8 or ended in NULs. Raises Unreadable."""
    encoded, notices = utf8_of(data)
    return encoded.decode(), notices


def utf8_of(data: bytes) -> tuple[bytes, list[Text]]:
    """The same as UTF-8 bytes: as text, a file can take four times as much memory."""
    _refuse_what_is_no_text(data)
    encoded, notices = _as_utf8(data)
    marks = _MARKS.match(encoded)                      # two tools may each have added one
    encoded = encoded[marks.end() if marks else 0:]
    whole = encoded.rstrip(b"\0")                      # a crash or a network disk leaves them there
    if len(whole) != len(encoded):
        notices = [*notices, text("The file ends in NUL characters ({count} of them), which were left out. Saving it "
                                  "was probably cut short; look whether its end is there.",
                                  count=len(encoded) - len(whole))]
    return whole, notices


def _as_utf8(data: bytes) -> tuple[bytes, list[Text]]:
    encoding = json.detect_encoding(data)              # UTF-8, -16 or -32, with or without a byte order mark
    if encoding == "utf-8":
        return _utf8(data)
    if encoding == "utf-8-sig":
        encoded, notices = _utf8(data[3:])
        return encoded, [*notices, text("The file begins with a byte order mark, which was left out.")]
    try:
        encoded = data.decode(encoding).encode("utf-8", "replace")
    except UnicodeDecodeError:
        raise Unreadable(_wrong_kind(_NO_TEXT)) from None
    return encoded, [text("The file was saved as {encoding} and was read as such; UTF-8 is usual.",
                          encoding=encoding.upper())]


def _is_utf8(data: bytes) -> bool:
    """Whether all of it is UTF-8, checked piece by piece."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    try:
        for start in range(0, len(data), _PIECE):
            decoder.decode(data[start:start + _PIECE])
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return False
    return True


def _utf8(data: bytes) -> tuple[bytes, list[Text]]:
    """Decode as UTF-8, as what Windows calls ANSI, or as UTF-8 with some damage, whichever explains more bytes."""
    if _is_utf8(data):
        return data, []
    if _looks_binary(data):
        raise Unreadable(_wrong_kind(_NO_TEXT))
    patched = data.decode("utf-8", "replace")
    damaged = patched.count("\ufffd")
    beyond_ascii = len(patched) - len(patched.encode("ascii", "ignore"))
    if beyond_ascii > 2 * damaged:
        return patched.encode(), [text("{count} characters of the file are damaged; a � takes their place.",
                                       count=damaged)]
    try:
        decoded = data.decode("cp1252")
    except UnicodeDecodeError:
        decoded = data.decode("latin-1")
    return decoded.encode(), [text("The file is not UTF-8; it was read as Latin-1, so look whether accents came out "
                                   "right.")]


def _refuse_what_is_no_text(data: bytes) -> None:
    if len(data) > FILE_CAP:
        raise Unreadable(TOO_LARGE)
    if _SOMETHING.search(data) is None:
        raise Unreadable(text("The file is empty: {size} bytes without content. Saving or uploading probably failed; "
                              "hand in the notebook again.", size=len(data)))
    for signature, kind in _SIGNATURES.items():
        if data.startswith(signature):
            raise Unreadable(_wrong_kind(kind))
    start = data[:64].lstrip(b"\xef\xbb\xbf \t\r\n\0")
    if start.startswith(b"<") and not start.startswith(b"<<<<<<<"):         # that is a merge which git left unfinished
        raise Unreadable(text("The file is a web page (HTML), not a notebook: the page that shows the notebook was "
                              "saved. Download the notebook itself (.ipynb) and hand that in."))


def _looks_binary(data: bytes) -> bool:
    start = data[:4096]
    return len(start.translate(None, _CONTROL)) < 0.95 * len(start)


def _wrong_kind(kind: Text) -> Text:
    return text("The file is {kind}, not a notebook or a Python file, whatever its name says. "
                "Hand in the notebook itself (.ipynb).", kind=kind)
