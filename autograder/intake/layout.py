"""Tell which student the files in a folder or archive belong to.

In nbgrader's layout, `<student>/<assignment>/<notebook>`, a student has one submission, whatever else is beside it. The
given folder may hold the whole class, one student, or be the assignment folder itself. Everywhere else each notebook
and Python file is a separate submission, named after its student.
"""
from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import PurePosixPath

from autograder.intake.files import SUFFIXES, File, Listing, is_archive
from autograder.intake.names import stem
from autograder.lessons.kit.lesson import Lesson

Parts = tuple[str, ...]


@dataclass(frozen=True)
class Work:
    """The files that one submission is chosen from: one, or in nbgrader's layout any number."""

    student: str
    files: tuple[File, ...]
    folder: str = ""                      # the assignment folder, in nbgrader's layout only
    others: tuple[str, ...] = ()          # what else is there
    spare: tuple[File, ...] = ()          # files that may hold the work if none of the others can be read


def assignment_folders(lesson: Lesson) -> set[str]:
    """nbgrader's names for the lesson's folder, one for each edition."""
    return {PurePosixPath(path).parent.name for path in lesson.editions.values()}


def notebook_names(lesson: Lesson) -> set[str]:
    """The names of the lesson's notebook."""
    return {PurePosixPath(path).name for path in lesson.editions.values()}


def gradable(path: PurePosixPath, lesson: Lesson) -> bool:
    """Whether a file of this name may be a submission: a notebook or Python file that the course did not give."""
    return path.name.lower().endswith(SUFFIXES) and path.name not in {f"{module}.py" for module in lesson.beside}


def student_of(path: PurePosixPath, lesson: Lesson) -> str:
    """The student of a file with this absolute path: from nbgrader's layout, else the file's own name."""
    student, assignment = path.parent.parent.name, path.parent.name
    if student and assignment in assignment_folders(lesson) and _is_called_like_the_notebook(path, lesson):
        return student
    return stem(path.name)


def arranged(listing: Listing, above: Parts, lesson: Lesson) -> list[Work]:
    """The submissions in a folder or archive, sorted. `above` names the folders down to the given one."""
    owned, rest = _by_student(_handed_in(listing), above, lesson)
    works = {student: _choice(student, files, above, lesson) for student, files in owned.items()}
    rest.extend(file for student, work in works.items() if work is None for file in owned[student])
    found = {student: work for student, work in works.items() if work is not None}
    counting = [file for file in rest if is_archive(file.path) or gradable(file.path, lesson)]
    strays, loose = _beside(counting, found, above, lesson)
    found |= {student: _work(student, files, files, above, lesson) for student, files in strays.items()}
    return [found[student] for student in sorted(found)] + _loose(loose)


def handed_in_by(student: str, listing: Listing, lesson: Lesson) -> Work:
    """What one student has in their assignment folder, whatever the files in it are called."""
    return _work((student,), _nearest(listing.files, 1, lesson), listing.files, (student,), lesson)


def _nearest(files: list[File], depth: int, lesson: Lesson) -> list[File]:
    """What may be a submission: directly in the folder, which is at this depth, or else anywhere below it."""
    able = [file for file in files if gradable(file.path, lesson)]
    return [file for file in able if len(file.path.parts) == depth] or able


def _handed_in(listing: Listing) -> Listing:
    """The submitted files of a whole nbgrader course; any other listing unchanged."""
    if PurePosixPath("nbgrader_config.py") not in {file.path for file in listing.files}:
        return listing
    return Listing([file for file in listing.files if file.path.parts[0] == "submitted"],
                   [folder for folder in listing.folders if folder.parts[0] == "submitted"])


def _by_student(listing: Listing, above: Parts, lesson: Lesson) -> tuple[dict[Parts, list[File]], list[File]]:
    """The files in each student's assignment folder, which may be empty; and all other files."""
    owned: dict[Parts, list[File]] = {}
    rest: list[File] = []
    for folder in listing.folders:
        student = _student_folder((*above, *folder.parts), len(above), lesson)
        if student is not None:
            owned.setdefault(student, [])
    for file in listing.files:
        student = _student_folder((*above, *file.path.parent.parts), len(above), lesson)
        (rest if student is None else owned.setdefault(student, [])).append(file)
    return owned, rest


def _student_folder(parts: Parts, given: int, lesson: Lesson) -> Parts | None:
    """The part of a folder's path that ends in the student and is followed by an assignment folder.

    Below the `given` number of folders first: the given folder itself may be called like the assignment.
    """
    names = assignment_folders(lesson)
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
    return None if len(student) < len(above) and len(work.files) > 1 and not named else work


def _work(student: Parts, able: list[File], files: list[File], above: Parts, lesson: Lesson) -> Work:
    """A student's notebooks, or if there are none the Python files; and archives, which may hold them."""
    able = [file for file in able if not is_archive(file.path)]
    choice = [file for file in able if not file.path.name.lower().endswith(".py")] or able
    chosen, known = {file.path for file in choice}, {file.path for file in able}
    spare = [file for file in able if file.path not in chosen] + [
        file for file in files if file.path not in known and _may_be_the_notebook(file.path, lesson)]
    choice = choice + [file for file in files if is_archive(file.path)]
    others = tuple(file.path.name for file in files if file.path not in chosen and not is_archive(file.path))
    return Work(student[-1], tuple(choice), str(PurePosixPath(*student[len(above):])), others, tuple(spare))


def _may_be_the_notebook(path: PurePosixPath, lesson: Lesson) -> bool:
    """Whether this is called like the notebook but lacks its suffix, which a browser or a cloud drive removed."""
    return path.suffix.lower() in ("", ".txt", ".json") and _is_called_like_the_notebook(path, lesson)


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
        elif parts[:level] not in found and (len(parts) == level or _is_called_like_the_notebook(file.path, lesson)):
            strays.setdefault(parts[:level], []).append(file)
    return strays, loose


def _loose(files: list[File]) -> list[Work]:
    """Each file by itself. If several students use its name, the folder around it tells them apart."""
    counts = Counter(stem(file.path.name) for file in files)
    students = [file.path.parent.name if counts[stem(file.path.name)] > 1 else "" for file in files]
    return [Work(student or stem(file.path.name), (file,)) for student, file in zip(students, files, strict=True)]


def _is_called_like_the_notebook(path: PurePosixPath, lesson: Lesson) -> bool:
    return any(stem(name).lower() in stem(path.name).lower() for name in notebook_names(lesson))
