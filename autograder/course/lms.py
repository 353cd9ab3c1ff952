"""Parse how learning environments name students' files in the zips that teachers download.

Moodle       Student One_1234567_assignsubmission_file_/multihead.ipynb, or flat, without the slash
Canvas       onestudent_340934_208490284_multihead.ipynb, late: onestudent_LATE_340934_208490284_multihead.ipynb
Brightspace  397063-2557369 - Student One - Sep 24, 2024 926 PM/multihead.ipynb; a folder for each attempt

The numbers of Moodle and Canvas are the student's. Those of Brightspace can be the same for a whole class, so only the
name identifies the student.
"""
from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime
from pathlib import PurePath

_MOODLE = re.compile(r"(?P<name>.+)_(?P<id>\d+)_assignsubmission_file(?:_(?P<file>.*))?")
_CANVAS = re.compile(r"(?P<name>[^_]+)(?P<late>_LATE)?_(?P<id>\d+)_(?P<upload>\d+)_(?P<file>.+)")
_BRIGHTSPACE = re.compile(r"(?P<id>\d+)-\d+ - (?P<name>.+) - (?P<date>[^-]*\d{4}[^-]*)")
_DATE = re.compile(r"(?:(?P<day>\d{1,2}) )?(?P<month>[^\W\d]{3})[^\W\d]*\.? (?:(?P<day_after>\d{1,2}), )?"
                   r"(?P<year>\d{4}),? (?P<hour>\d{1,2}):?(?P<minute>\d\d)(?: ?(?P<half>[AP])M)?", re.IGNORECASE)
_MONTHS = {name: number for number, names in enumerate(
    ("jan", "feb", "mar maa mrt", "apr", "may mei", "jun", "jul", "aug", "sep", "oct okt", "nov", "dec"), start=1)
    for name in names.split()}


@dataclass(frozen=True)
class HandedIn:
    """The student of a file. `below` is its path among the files of one attempt."""

    student: str                            # the number in the learning environment, or the name
    name: str
    below: PurePath
    number: str = ""                        # distinguishes namesakes, if the student is a name
    when: datetime | None = None            # in the learning environment's local time
    upload: int = 0                         # later uploads have higher numbers
    late: bool = False                      # the learning environment itself calls it late


def handed_in(path: PurePath) -> HandedIn | None:
    """Parse a path below the folder into which a zip was extracted; None if no pattern fits."""
    for place, part in enumerate(path.parts):
        rest = PurePath(*path.parts[place + 1:])
        for read in (_moodle, _canvas, _brightspace):
            found = read(part, rest)
            if found is not None:
                return found
    return None


def _moodle(part: str, rest: PurePath) -> HandedIn | None:
    match = _MOODLE.fullmatch(part)
    return match and HandedIn(match["id"], match["name"], PurePath(match["file"] or "", rest))


def _canvas(part: str, rest: PurePath) -> HandedIn | None:
    match = _CANVAS.fullmatch(part)
    return match and HandedIn(match["id"], match["name"], PurePath(match["file"], rest), upload=int(match["upload"]),
                              late=match["late"] is not None)


def _brightspace(part: str, rest: PurePath) -> HandedIn | None:
    match = _BRIGHTSPACE.fullmatch(part)
    if match is None or not rest.parts:
        return None
    student = re.sub(r"\W+", "-", match["name"]).strip("-").lower()
    return HandedIn(student, match["name"], rest, match["id"], _date(match["date"]))


def _date(words: str) -> datetime | None:
    """The date in "Sep 24, 2024 926 PM" or "24 september 2024 2126"; None if it is neither."""
    match = _DATE.fullmatch(words.strip())
    month = match and _MONTHS.get(match["month"].lower())
    if not month:
        return None
    hour = int(match["hour"])
    if match["half"]:
        hour = hour % 12 + 12 * (match["half"].upper() == "P")
    try:
        return datetime(int(match["year"]), month, int(match["day"] or match["day_after"]), hour, int(match["minute"]))
    except (ValueError, TypeError):
        return None
