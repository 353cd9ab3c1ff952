"""Make text that students had a hand in harmless: it cannot move the cursor, hide a line or reverse text."""

import re

_ESCAPE = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)")
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufeff]")
_BREAK = re.compile("[\t\n]")


def plain(words: str) -> str:
    """The words without terminal sequences; other control characters become U+FFFD. Newlines and tabs stay."""
    words = words.replace("\r\n", "\n").replace("\r", "\n")
    return _CONTROL.sub("\N{REPLACEMENT CHARACTER}", _ESCAPE.sub("", words))


def named(name: str) -> str:
    """A name of a student, a file or a folder in one line, whatever line breaks are in it."""
    return _BREAK.sub("\N{REPLACEMENT CHARACTER}", plain(name))


def capital(words: str) -> str:
    """The words as the beginning of a sentence."""
    return words[:1].upper() + words[1:]
