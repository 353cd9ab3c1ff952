"""Repair what other tools write that JSON does not allow.

NaN and Infinity outside strings become null (they occur in outputs only); inside strings, half surrogate pairs become
the replacement character and raw control characters become escapes. Anything after the end is cut off, unless it is
another notebook: which of the two counts is unknown, as it is for the sides of a merge conflict.
"""

import re

from autograder.intake.encoding import Unreadable
from autograder.records import Text, text

TOKEN_CAP = 4_000_000                     # strings, escapes and odd numbers in a file that is worth repairing
CONTROL_CAP = 200_000                     # control characters in one

# Possessive, and an unclosed string runs to the end: one pass over the file, whatever it holds.
_TOKEN = re.compile(rb'"(?:[^"\\]++|\\.)*+(?:"|\\?\Z)|-?Infinity|NaN', re.DOTALL)
_ESCAPE = re.compile(rb"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}"
                     rb"|(u[dD][89a-fA-F][0-9a-fA-F]{2})|.)", re.DOTALL)
_CONTROL = re.compile(rb"[\x00-\x1f]")
_ODD = bytes(sorted(set(range(32)) - set(b"\t\n\r")))     # these occur between strings as well
_NOTICES = {
    "number": text("The file holds NaN or Infinity, which is not valid JSON; those values were left out."),
    "half": text("A character of the file is damaged (half of a pair); a � takes its place."),
    "control": text("A text in the file holds control characters that JSON does not allow; they were kept."),
}


def repaired(body: bytes) -> tuple[bytes, list[Text]]:
    """The same JSON with these faults repaired, and a notice for each kind that occurred."""
    if sum(body.count(mark) for mark in (b'"', b"\\", b"NaN", b"Infinity")) > TOKEN_CAP:
        return body, []
    if len(body) - len(body.translate(None, _ODD)) > CONTROL_CAP:
        return body, []
    kinds: set[str] = set()

    def escape(match: re.Match[bytes]) -> bytes:
        if not match[1]:
            return match[0]
        kinds.add("half")
        return rb"\ufffd"

    def token(match: re.Match[bytes]) -> bytes:
        if not match[0].startswith(b'"'):
            kinds.add("number")
            return b"null"
        string = _ESCAPE.sub(escape, match[0])
        if _CONTROL.search(string):
            kinds.add("control")
            string = _CONTROL.sub(lambda found: b"\\u%04x" % found[0][0], string)
        return string

    body = _TOKEN.sub(token, body)
    return body, [notice for kind, notice in _NOTICES.items() if kind in kinds]


def cut_after_its_end(body: bytes, error: str) -> tuple[bytes, list[Text]]:
    """The same JSON without what follows its end, if the decoder reports that. Unreadable for a second notebook."""
    place = re.search(r"trailing characters \(byte (\d+)\)", error)
    if place is None:
        return body, []
    end = int(place[1]) - 1               # msgspec's count is one too high
    rest = body[end:]
    if b'"cells"' in rest:
        before = body[:end]
        raise Unreadable(text("The file holds two notebooks: the second one begins at line {line}, column {column}. "
                              "Hand in the one that counts.", line=before.count(b"\n") + 1,
                              column=len(before) - before.rfind(b"\n")))
    return body[:end], [text("Something else follows the end of the notebook ({size} bytes); it was left out.",
                             size=len(rest))]


def unmerged(body: bytes) -> Text | None:
    """What to do about a file with both sides of a git conflict in it; None for any other file."""
    start = re.search(rb"^<{7}[ \r\n]", body, re.MULTILINE)
    if start is None or re.search(rb"^>{7}[ \r\n]?", body[start.end():], re.MULTILINE) is None:
        return None
    return text("The file holds two versions that git could not merge: they begin at line {line}, after <<<<<<<. "
                "Choose one of them, save the notebook in Jupyter and hand it in again.",
                line=body[:start.start()].count(b"\n") + 1)
