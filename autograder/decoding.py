"""Decode a text file that somebody saved in an editor, Excel or PowerShell."""
from __future__ import annotations

import codecs


def decoded(content: bytes, errors: str = "strict") -> tuple[str, bool]:
    """The text, and whether it was read as Windows-1252, in which Excel in the Netherlands saves CSV unless told
    otherwise. UTF-16 ("Unicode text" of Excel) is known by its mark or its first letter, else the text is UTF-8.

    What is no text in that encoding is a UnicodeDecodeError unless `errors` says otherwise.
    """
    if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return content.decode("utf-16", errors), False
    if b"\0" in content[:2]:
        return content.decode("utf-16-le" if content[1:2] == b"\0" else "utf-16-be", errors), False
    try:
        return content.decode("utf-8-sig"), False
    except UnicodeDecodeError:
        return content.decode("cp1252", errors), True
