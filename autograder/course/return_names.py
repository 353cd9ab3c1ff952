"""Name students' pages as their learning environment wants them back, by the names in the zips that it was given in.

Moodle       a folder "Full name_1234567_assignsubmission_file_"; it looks at the number alone
Canvas       the file's own name, such as onestudent_340934_208490284_multihead.ipynb, which is kept whole; it looks at
             both numbers, and the second is that of a file that was handed in
Brightspace  the folder of the submission, beside the index.html of the same download

Whose a name is, is decided by what the learning environment wrote and by the roster, never by what a student wrote.
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import PurePath
from typing import NamedTuple

from autograder.course.downloads import Downloads
from autograder.course.lms import HandedIn, as_student, students_of

OURS = b"pages of feedback, made by the autograder"           # the comment of such a zip
#: the roster's column with the number by which each knows a student
COLUMN = {"moodle": "Identifier", "canvas": "ID"}
_NOT_IN_NAMES = re.compile(r'[\x00-\x1f\x7f/\\:*?"<>|_]+')


class Who(NamedTuple):
    """A student as the course knows them. `number`: the learning environment's, by the roster."""

    student: str
    name: str = ""
    number: str = ""


class Named(NamedTuple):
    """Where each student's page belongs in the zip, and why the others have no place there."""

    places: Mapping[str, str]
    left: Mapping[str, str]


def places(lms: str, people: Sequence[Who], downloads: Downloads, page: str) -> Named:
    """The place of each student's page, which is called `page`."""
    theirs: dict[str, list[tuple[PurePath, HandedIn]]] = {}
    whose = students_of(downloads.files)
    for path, of in downloads.files.items():
        if of.lms == lms:
            theirs.setdefault(whose[path], []).append((path, of))
    keys = {who.student: _key(lms, who, theirs) for who in people}
    wanted = Counter(key for key in keys.values() if key)
    found, left = {}, {}
    for who in people:
        key = keys[who.student]
        if wanted[key] > 1:
            left[who.student] = f"{key} is also what {_other(keys, who.student)} is called in {lms.capitalize()}"
        elif key in theirs:
            found[who.student] = _place(lms, max(theirs[key], key=lambda one: _order(*one, page, downloads.ages))[1],
                                        page)
        elif lms == "moodle" and key.isdecimal() and (who.number or not theirs):
            found[who.student] = _moodle(who.name or f"Participant {key}", key, page)
        else:
            left[who.student] = _why(lms, theirs)
    return Named(found, left)


def _key(lms: str, who: Who, theirs: Mapping[str, object]) -> str:
    """By what the download knows this student: the roster's number, the folder's name, or else the student's name."""
    known = [who.number, who.student, as_student(who.name) if lms == "brightspace" else ""]
    return next((key for key in known if key in theirs), who.number or who.student)


def _other(keys: Mapping[str, str], student: str) -> str:
    return next(other for other, key in keys.items() if key == keys[student] and other != student)


def _order(path: PurePath, of: HandedIn, page: str, ages: Mapping[str, float]) -> tuple:
    """The sort key by which the file that was graded is the largest: of the last attempt, and rather the notebook."""
    when = of.when.isoformat() if of.when else ""
    stem = PurePath(page).stem
    return when, ages.get(path.parts[0], 0.0), of.below.name == f"{stem}.ipynb", of.below.suffix == ".ipynb", of.upload


def _place(lms: str, of: HandedIn, page: str) -> str:
    if lms == "moodle":
        return _moodle(of.name, of.student, page)
    return f"{of.entry}.html" if lms == "canvas" else f"{of.entry}/{page}"


def _moodle(name: str, number: str, page: str) -> str:
    """Moodle takes what is between the first two underscores as the number, so the name may hold none."""
    clean = " ".join(_NOT_IN_NAMES.sub(" ", name).split()).lstrip(".~") or "Participant"
    return f"{clean}_{number}_assignsubmission_file_/{page}"


def _why(lms: str, theirs: Mapping[str, object]) -> str:
    wanted = (f", and no {COLUMN[lms]} of theirs in a roster" if lms == "moodle" else "")
    if theirs:
        return f"nothing of theirs is in {lms.capitalize()}'s download{wanted}"
    return f"there is no download of {lms.capitalize()}{wanted}"
