"""Make names of files, students and cells fit to show, whatever someone called them."""

import re
from collections.abc import Iterable
from pathlib import PurePosixPath

NAME_CAP = 300                            # characters of a path or of a student's name
LISTED = 20                               # names in one sentence
_ODD = re.compile("[\0-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff]")
_SUFFIX = re.compile(r"(?<=.)\.(?:ipynb(?:\.txt|\.json)?|tar\.[^.]{1,4}|[^.]{1,10})$", re.IGNORECASE)


def label(name: str) -> str:
    """The name, safe to show: no control characters, no marks that change the reading direction, not too long."""
    name = _ODD.sub("\ufffd", name)
    return name if len(name) <= NAME_CAP else name[:NAME_CAP - 1] + "…"


def is_text(name: str) -> bool:
    """Whether a name of the file system is text, and not other bytes."""
    return name.isascii() or not any("\ud800" <= letter <= "\udfff" for letter in name)


def stem(name: str) -> str:
    """The file's name without its folders and its suffix."""
    return _SUFFIX.sub("", PurePosixPath(name).name)


def listed(names: Iterable[object]) -> str:
    """The names in one line, cut after the first LISTED."""
    names = [label(str(name)) for name in names]
    return ", ".join(names[:LISTED]) + (f", … (+{len(names) - LISTED})" if len(names) > LISTED else "")
