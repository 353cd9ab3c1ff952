"""Parse how learning environments name students' files in the zips that teachers download.

Moodle       Student One_1234567_assignsubmission_file_/multihead.ipynb, or flat, without the slash
Canvas       onestudent_340934_208490284_multihead.ipynb, late: onestudent_LATE_340934_208490284_multihead.ipynb
Brightspace  397063-2557369 - Student One - Sep 24, 2024 926 PM/multihead.ipynb; a folder for each attempt

The numbers of Moodle and Canvas are the student's. Those of Brightspace can be the same for a whole class, so only the
name identifies the student.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from pathlib import PurePath
from unicodedata import normalize

_MOODLE = re.compile(r"(?P<name>.+?)_(?P<id>[0-9]+)_assignsubmission_file(?:_(?P<file>.*))?")
_FOLDER_OF_MOODLE = re.compile(r"(?P<name>.+)_(?P<id>[0-9]+)_assignsubmission_file_?(?P<file>)")   # a name may hold ids
_CANVAS = re.compile(r"(?P<name>[^_]+)(?P<late>_LATE)?_(?P<id>[0-9]+)_(?P<upload>[0-9]+)_"
                     r"(?P<file>(?!assignsubmission_file).+)")
_BRIGHTSPACE = re.compile(r"(?P<id>[0-9]+)-[0-9]+ - (?P<name>.+) - (?P<date>[^-]*[0-9]{4}[^-]*)")
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
    lms: str = ""                           # which learning environment names files like this
    entry: str = ""                         # the part of the path that says so: a folder, or a whole file name


def handed_in(paths: Iterable[PurePath]) -> dict[PurePath, HandedIn]:
    """Whose file is at each path below the folder into which zips were extracted; without those that fit no pattern.

    A student chooses what a file is called, and what lies below it. So the pattern of an archive is the one that most
    of its entries fit, where the first of them fits at all, and it is looked for nowhere else.
    """
    archives: dict[str, list[PurePath]] = defaultdict(list)
    for path in paths:
        archives[path.parts[0] if len(path.parts) > 1 else ""].append(path)
    found = {}
    for theirs in archives.values():
        place, read = _naming(theirs)
        for path in theirs:
            of = read(path.parts[place], PurePath(*path.parts[place + 1:])) if len(path.parts) > place else None
            if of is not None:
                found[path] = of
    return _without_two_names(found)


def students_of(files: Mapping[PurePath, HandedIn]) -> dict[PurePath, str]:
    """The student of each file: people who share a name are told apart by their numbers.

    Where their folders would be called alike and the numbers are the same too, the names as they are written do that.
    """
    numbers, names = defaultdict(set), defaultdict(set)
    for of in files.values():
        numbers[of.student].add(of.number)
        names[of.student, of.number].add(of.name)
    return {path: "-".join((of.student, *[of.number] * (len(numbers[of.student]) > 1),
                            *[_mark(of.name)] * (of.lms == "brightspace" and len(names[of.student, of.number]) > 1)))
            for path, of in files.items()}


def _mark(name: str) -> str:
    """Four letters and digits that another spelling of the name does not have."""
    return sha256(name.encode("utf-8", "surrogateescape")).hexdigest()[:4]


def _without_two_names(found: dict[PurePath, HandedIn]) -> dict[PurePath, HandedIn]:
    """Without files of Moodle that may be two students', by a name or a file called like an entry, and that begin with
    a name that the first of those students does not have elsewhere.
    """
    unsure = {path for path, of in found.items() if of.lms == "moodle" and not _FOLDER_OF_MOODLE.fullmatch(of.entry)
              and of.entry.count("_assignsubmission_file") > 1}
    names = defaultdict(set)
    for path in found.keys() - unsure:
        names[found[path].student].add(found[path].name)
    return {path: of for path, of in found.items()
            if path not in unsure or of.name in names.get(of.student, {of.name})}


def _naming(paths: Sequence[PurePath]) -> tuple[int, Callable[[str, PurePath], HandedIn | None]]:
    """The folder level at which an archive names its students, and how it does that."""
    for place in range(max(len(path.parts) for path in paths)):
        entries = {path.parts[place]: PurePath(*path.parts[place + 1:]) for path in paths if len(path.parts) > place}
        fits = [{read for read in _READERS if read(part, rest) is not None} for part, rest in entries.items()]
        if any(fits):
            return place, max(_READERS, key=lambda read: (fits.count({read}), sum(read in each for each in fits)))
    return 0, _canvas


def _moodle(part: str, rest: PurePath) -> HandedIn | None:
    match = _FOLDER_OF_MOODLE.fullmatch(part) or _MOODLE.fullmatch(part)
    return match and HandedIn(match["id"], match["name"], PurePath(match["file"] or "", rest), lms="moodle",
                              entry=part)


def _canvas(part: str, rest: PurePath) -> HandedIn | None:
    match = _CANVAS.fullmatch(part)
    return match and HandedIn(match["id"], match["name"], PurePath(match["file"], rest), upload=int(match["upload"]),
                              late=match["late"] is not None, lms="canvas", entry=part)


def _brightspace(part: str, rest: PurePath) -> HandedIn | None:
    match = _BRIGHTSPACE.fullmatch(part)
    if match is None or not rest.parts:
        return None
    return HandedIn(as_student(match["name"]) or match["id"], match["name"], rest, match["id"], _date(match["date"]),
                    lms="brightspace", entry=part)


def as_student(name: str) -> str:
    """What the folder of a student is called who has no number, only this name."""
    return re.sub(r"\W+", "-", normalize("NFC", name)).strip("-").lower()         # a Mac takes accents off letters


def _date(words: str) -> datetime | None:
    """The date in "Sep 24, 2024 926 PM" or "24 september 2024 2126"; None if it is neither."""
    match = _DATE.fullmatch(words.strip())
    month = match and _MONTHS.get(match["month"].lower())
    if not match or not month:
        return None
    hour = int(match["hour"])
    if match["half"]:
        hour = hour % 12 + 12 * (match["half"].upper() == "P")
    try:
        return datetime(int(match["year"]), month, int(match["day"] or match["day_after"]), hour, int(match["minute"]))
    except (ValueError, TypeError):
        return None


_READERS = (_canvas, _moodle, _brightspace)     # of two that fit equally well the first counts
