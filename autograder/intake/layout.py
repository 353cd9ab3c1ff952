"""Tell which student the files in a folder or archive belong to, and account for everything else that lies there.

In nbgrader's layout, `<student>/<assignment>/<notebook>`, a student has one submission, whatever else is beside it. The
given folder may hold the whole class, one student, or be the assignment folder itself. Everywhere else each notebook
and Python file is a separate submission, named after its student.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import PurePosixPath

from autograder.intake.files import BARE, SUFFIXES, File, Listing, is_archive
from autograder.intake.names import stem
from autograder.intake.nothing import PICTURES, not_a_submission
from autograder.lessons.kit.lesson import Lesson
from autograder.records import Left

Parts = tuple[str, ...]
DOCUMENTS = (".pdf", ".doc", ".docx", ".odt", ".rtf", ".pages", ".html", ".htm", ".qmd", ".rmd", ".tar", ".gz", ".tgz",
             ".bz2", ".xz", ".rar", ".7z")                  # work is handed in as these, but cannot be graded
_UPLOAD = re.compile(r"(.+?)_(?:LATE_)?\d+_")               # how learning environments begin the names of files
_DOWNLOADED = re.compile(r".+?_(?:LATE_)?\d+_|\d+-\d+ - ")            # and those of files and folders there
_COUNTED = re.compile(r"[\W_\d]+$")       # "multihead (1)", "multihead-2"


@dataclass(frozen=True)
class Work:
    """The files that one submission is chosen from: one, or in nbgrader's layout any number."""

    student: str
    files: tuple[File, ...]
    folder: str = ""                      # the assignment folder, in nbgrader's layout only
    others: tuple[str, ...] = ()          # what else is there
    spare: tuple[File, ...] = ()          # files that may hold the work if none of the others can be read
    unsure: bool = False                  # whether only its content tells that the file is a notebook
    paths: tuple[PurePosixPath, ...] = () # everything that belongs to it, the files among it


@dataclass(frozen=True)
class Found:
    """Everything that lies in a folder or archive, each entry in one of these places."""

    works: list[Work]                     # graded, or unreadable
    left: list[Left]                      # not looked at
    refused: list[PurePosixPath]          # links and the like: not opened
    tools: list[PurePosixPath]            # hidden, or a tool's
    others: list[PurePosixPath] = field(default_factory=list)       # other assignments, and the course's own files

    @property
    def entries(self) -> list[PurePosixPath]:
        """Each entry as often as it is in a place: once."""
        return [*(path for work in self.works for path in work.paths), *self.refused, *self.tools, *self.others,
                *(PurePosixPath(path) for each in self.left for path in each.entries)]


@lru_cache
def assignment_folders(lesson: Lesson) -> frozenset[str]:
    """nbgrader's names for the lesson's folder, one for each edition."""
    return frozenset(PurePosixPath(path).parent.name for path in lesson.editions.values())


@lru_cache
def notebook_names(lesson: Lesson) -> frozenset[str]:
    """The names of the lesson's notebook."""
    return frozenset(PurePosixPath(path).name for path in lesson.editions.values())


def is_assignment(name: str, lesson: Lesson) -> bool:
    """Whether a folder is called like the assignment or an edition of it, in any case, perhaps with a number."""
    plain = _plain(name)
    return any(plain == _plain(one) for one in assignment_folders(lesson))


@lru_cache
def _plain(name: str) -> str:
    return re.sub(r"[\W_]+", "", _COUNTED.sub("", name).casefold())


def gradable(path: PurePosixPath, lesson: Lesson) -> bool:
    """Whether a file of this name may be a submission: a notebook or Python file that the course did not give."""
    return path.name.lower().endswith(SUFFIXES) and not _given(path, lesson)


def may_hold_work(path: PurePosixPath, lesson: Lesson) -> bool:
    """Whether somebody may have handed in a file of this name, whatever can be done with it."""
    return gradable(path, lesson) or is_archive(path) or is_document(path) or is_bare_notebook(path, lesson)


def is_document(path: PurePosixPath) -> bool:
    """Whether this is a document or an archive that cannot be graded, but that students hand in; or a picture that by
    its name came from a learning environment.
    """
    return path.suffix.lower() in DOCUMENTS or path.suffix.lower() in PICTURES and any(
        map(_DOWNLOADED.match, path.parts[-2:]))


def is_bare_notebook(path: PurePosixPath, lesson: Lesson) -> bool:
    """Whether this is called like the notebook but lacks its suffix, which a browser or a cloud drive removed."""
    return path.suffix.lower() in BARE and is_called_like_the_notebook(path, lesson)


def is_called_like_the_notebook(path: PurePosixPath, lesson: Lesson) -> bool:
    return any(stem(name).lower() in stem(path.name).lower() for name in notebook_names(lesson))


def _given(path: PurePosixPath, lesson: Lesson) -> bool:
    return path.name in {f"{module}.py" for module in lesson.beside}


def student_of(path: PurePosixPath, lesson: Lesson) -> str:
    """The student of a file with this absolute path: from nbgrader's layout, else the file's own name."""
    student, assignment = path.parent.parent.name, path.parent.name
    if student and assignment in assignment_folders(lesson) and is_called_like_the_notebook(path, lesson):
        return student
    return stem(path.name)


def arranged(listing: Listing, above: Parts, lesson: Lesson) -> Found:
    """Everything in a folder or archive, sorted. `above` names the folders down to the given one."""
    inside, others = _handed_in(listing)
    owned, rest = _by_student(inside, above, lesson)
    works = {student: _choice(student, files, above, lesson) for student, files in owned.items()}
    rest.extend(file for student, work in works.items() if work is None for file in owned[student])
    found = {student: work for student, work in works.items() if work is not None}
    strays, loose = _beside([file for file in rest if may_hold_work(file.path, lesson)
                             or file.path.suffix.lower() in BARE], found, above, lesson)
    found |= {student: _work(student, files, files, above, lesson) for student, files in strays.items()}
    level = min((len(student) for student in found if len(student) >= len(above)), default=None)
    whole = [_with_tools(found[student], inside) for student in sorted(found)] + _loose(loose, lesson)
    return _accounted(listing, whole, others, above, level, lesson)


def _with_tools(work: Work, listing: Listing) -> Work:
    """The work; where there is nothing in it, with the hidden things that lie there."""
    if work.files or work.spare or work.others or not work.folder:
        return work
    hidden = tuple(path.name for path in listing.tools if path.is_relative_to(work.folder))
    return replace(work, others=hidden)


def handed_in_by(student: str, listing: Listing, lesson: Lesson) -> Work:
    """What one student has in their assignment folder, whatever the files in it are called."""
    work = _work((student,), _nearest(listing.files, 1, lesson), listing.files, (student,), lesson)
    return replace(work, others=work.others or tuple(path.name for path in listing.tools))


def _nearest(files: list[File], depth: int, lesson: Lesson) -> list[File]:
    """What may be a submission: directly in the folder, which is at this depth, or else anywhere below it."""
    able = [file for file in files if gradable(file.path, lesson)]
    return [file for file in able if len(file.path.parts) == depth] or able


def _handed_in(listing: Listing) -> tuple[Listing, list[PurePosixPath]]:
    """The submitted files of a whole nbgrader course, and what else is in it; any other listing unchanged."""
    if PurePosixPath("nbgrader_config.py") not in {file.path for file in listing.files}:
        return listing, []
    return Listing([file for file in listing.files if file.path.parts[0] == "submitted"],
                   [folder for folder in listing.folders if folder.parts[0] == "submitted"], tools=listing.tools), [
        path for path in listing.entries if path.parts[0] != "submitted"]


def _by_student(listing: Listing, above: Parts, lesson: Lesson) -> tuple[dict[Parts, list[File]], list[File]]:
    """The files in each student's assignment folder, which may be empty; and all other files."""
    owned: dict[Parts, list[File]] = {}
    rest: list[File] = []
    names = assignment_folders(lesson)
    for folder in listing.folders:
        student = _student_folder((*above, *folder.parts), len(above), names)
        if student is not None:
            owned.setdefault(student, [])
    for file in listing.files:
        student = _student_folder((*above, *file.path.parent.parts), len(above), names)
        (rest if student is None else owned.setdefault(student, [])).append(file)
    return owned, rest


def _student_folder(parts: Parts, given: int, names: Collection[str]) -> Parts | None:
    """The part of a folder's path that ends in the student and is followed by a folder with one of these names.

    Below the `given` number of folders first: the given folder itself may be called like the assignment.
    """
    places = [place for place in range(1, len(parts)) if parts[place] in names and parts[place - 1] not in names]
    below = [place for place in places if place >= given]
    return parts[:(below or places)[0]] if places else None


def _choice(student: Parts, files: list[File], above: Parts, lesson: Lesson) -> Work | None:
    """One student's files to choose from; None if the folder only happens to be called like the assignment."""
    depth = len(student) + 2 - len(above)
    able = _nearest(files, depth, lesson)
    if any(len(file.path.parts) != depth for file in able) and len({file.path.parent for file in able}) > 1:
        return None
    work = _work(student, able, files, above, lesson)
    named = any(file.path.name in notebook_names(lesson) for file in work.files)
    inside = [file for file in files if may_hold_work(file.path, lesson)]
    return None if len(student) < len(above) and len(inside) > 1 and not named else work


def _work(student: Parts, able: list[File], files: list[File], above: Parts, lesson: Lesson) -> Work:
    """A student's notebooks, or if there are none the Python files; and archives, which may hold them."""
    able = [file for file in able if gradable(file.path, lesson)]
    choice = [file for file in able if not file.path.name.lower().endswith(".py")] or able
    chosen, known = {file.path for file in choice}, {file.path for file in able}
    spare = [file for file in able if file.path not in chosen] + [
        file for file in files if file.path not in known and is_bare_notebook(file.path, lesson)]
    choice = choice + [file for file in files if is_archive(file.path)]
    others = tuple(file.path.name for file in files if file.path not in chosen and not is_archive(file.path))
    return Work(student[-1], tuple(choice), str(PurePosixPath(*student[len(above):])), others, tuple(spare),
                paths=tuple(file.path for file in files))


def _beside(files: list[File], found: Iterable[Parts], above: Parts,
            lesson: Lesson) -> tuple[dict[Parts, list[File]], list[File]]:
    """Beside students in nbgrader's layout: the work of those whose assignment folder is missing or misspelled.

    Other assignments' files are ignored. Files above the students, or without such a layout, are separate submissions.
    """
    level = min((len(student) for student in found if len(student) >= len(above)), default=None)
    strays: dict[Parts, list[File]] = {}
    loose: list[File] = []
    for file in files:
        parts = (*above, *file.path.parent.parts)
        if level is None or len(parts) < level:
            loose.append(file)
        elif parts[:level] not in found and (
                len(parts) == level and may_hold_work(file.path, lesson)
                or len(parts) > level and is_assignment(parts[level], lesson)
                or may_hold_work(file.path, lesson) and is_called_like_the_notebook(file.path, lesson)):
            strays.setdefault(parts[:level], []).append(file)
    return strays, loose


def _loose(files: list[File], lesson: Lesson) -> list[Work]:
    """Each file by itself. If several students use its name, the folder around it tells them apart.

    A document beside the notebook of the same student is not a submission of its own.
    """
    able = [file for file in files if gradable(file.path, lesson) or is_archive(file.path)]
    known, whose = {file.path for file in able}, {_whose(file.path) for file in able}
    crowd = Counter(file.path.parent for file in able)
    more = [file for file in files if file.path not in known and _whose(file.path) not in whose
            and not (file.path.parent.parts and crowd[file.path.parent] == 1)]
    counts = Counter(stem(file.path.name) for file in [*able, *more])
    students = {file.path: file.path.parent.name if counts[stem(file.path.name)] > 1 else "" for file in [*able, *more]}
    return [Work(students[file.path] or stem(file.path.name), (file,), paths=(file.path,),
                 unsure=file.path.suffix.lower() in BARE and not gradable(file.path, lesson))
            for file in files if file.path in students]


def _whose(path: PurePosixPath) -> tuple[PurePosixPath, str]:
    """What files of one student in one folder have in common."""
    upload = _UPLOAD.match(path.name)
    return path.parent, upload[1] if upload else stem(path.name)


# --- the account of everything ------------------------------------------------------------------------------------

def _accounted(listing: Listing, works: list[Work], others: list[PurePosixPath], above: Parts, level: int | None,
               lesson: Lesson) -> Found:
    taken = {path for work in works for path in work.paths} | set(others)
    rest = [path for path in listing.entries if path not in taken]
    closed, tools = set(listing.closed), set(listing.tools)
    left: list[Left] = []
    aside: list[PurePosixPath] = []
    of_a_work = {PurePosixPath(*work.folder.split("/")) for work in works if work.folder}
    for path in rest:
        if path in closed or path in tools:
            continue
        known = level is not None and len((*above, *path.parts)) > level + 1
        if known or _given(path, lesson) or of_a_work & {path, *path.parents}:
            aside.append(path)
        else:
            left.append(Left(str(path), not_a_submission(may_hold_work(path, lesson)), False, (str(path),)))
    return Found(works, left, [path for path in rest if path in closed], [path for path in rest if path in tools],
                 others + aside)
