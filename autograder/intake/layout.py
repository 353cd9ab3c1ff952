"""Whose the files in a folder or archive are.

In nbgrader's layout, `<student>/<assignment>/<notebook>`, a student has one submission, whatever else lies beside it.
The folder that was given may hold the whole class, be one student's, or be the assignment folder itself. Everywhere
else each notebook and Python file is a submission of its own, and its name says whose it is.
"""
from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import PurePosixPath

from autograder.intake.files import SUFFIXES, File, Listing
from autograder.intake.names import stem
from autograder.lesson import Lesson

Parts = tuple[str, ...]


@dataclass(frozen=True)
class Work:
    """The files among which one submission is: one, or in nbgrader's layout any number."""

    student: str
    files: tuple[File, ...]
    folder: str = ""                      # the assignment folder, in nbgrader's layout only
    others: tuple[str, ...] = ()          # what else lies there


def assignment_folders(lesson: Lesson) -> set[str]:
    """The names that nbgrader gives the lesson's folder, one for each edition."""
    return {PurePosixPath(path).parent.name for path in lesson.editions.values()}


def notebook_names(lesson: Lesson) -> set[str]:
    """The names of the lesson's notebook."""
    return {PurePosixPath(path).name for path in lesson.editions.values()}


def gradable(path: PurePosixPath, lesson: Lesson) -> bool:
    """Whether a file of this name may be a submission: a notebook or Python file, but not one that is given."""
    return path.name.lower().endswith(SUFFIXES) and path.name not in {f"{module}.py" for module in lesson.given}


def student_of(path: PurePosixPath, lesson: Lesson) -> str:
    """Whose a file with this absolute path is: the student's in nbgrader's layout, else what the file is called."""
    own = stem(path.name)
    is_notebook = any(stem(name) in own for name in notebook_names(lesson))
    if is_notebook and path.parent.name in assignment_folders(lesson) and path.parent.parent.name:
        return path.parent.parent.name
    return own


def arranged(listing: Listing, above: Parts, lesson: Lesson) -> list[Work]:
    """The submissions in a folder or archive, sorted. `above` names the folders that end in the one that was given."""
    inside = _without_other_stages(listing)
    owned: dict[Parts, list[File]] = {}
    loose: list[File] = []
    for folder in inside.folders:
        student = _student_folder((*above, *folder.parts), lesson)
        if student is not None:
            owned.setdefault(student, [])
    for file in inside.files:
        student = _student_folder((*above, *file.path.parent.parts), lesson)
        (loose if student is None else owned.setdefault(student, [])).append(file)
    works, left = [], [file for file in loose if _may_stand_loose(file, owned, above)]
    for student, files in owned.items():
        choice = _choice(student, files, above, lesson)
        if choice is None:
            left.extend(files)
        else:
            works.append(choice)
    works.sort(key=lambda work: work.folder)
    return works + _loose([file for file in left if gradable(file.path, lesson)], works, lesson)


def _without_other_stages(listing: Listing) -> Listing:
    """Of a whole course only what was handed in; anything else stays as it is."""
    if PurePosixPath("submitted") not in listing.folders:
        return listing
    return Listing([file for file in listing.files if file.path.parts[0] == "submitted"],
                   [folder for folder in listing.folders if folder.parts[0] == "submitted"])


def _student_folder(parts: Parts, lesson: Lesson) -> Parts | None:
    """The part of a folder's path that ends in the student, if an assignment folder follows."""
    for place, name in enumerate(parts):
        if place and name in assignment_folders(lesson):
            return parts[:place]
    return None


def _may_stand_loose(file: File, owned: Iterable[Parts], above: Parts) -> bool:
    """Beside students in nbgrader's layout: whether the file only lacks the assignment's folder."""
    owned = [student for student in owned if len(student) >= len(above)]
    parts = (*above, *file.path.parent.parts)
    return not owned or (parts not in owned and len(parts) <= min(len(student) for student in owned))


def _choice(student: Parts, files: list[File], above: Parts, lesson: Lesson) -> Work | None:
    """One student's files to choose from; None where the folder only happens to be called like the assignment."""
    able = [file for file in files if gradable(file.path, lesson)]
    direct = [file for file in able if len(above) + len(file.path.parts) == len(student) + 2]
    if not direct and len({file.path.parent for file in able}) > 1:
        return None
    notebooks = [file for file in direct or able if not file.path.name.lower().endswith(".py")]
    choice = notebooks or direct or able
    given_itself = len(student) < len(above)
    if given_itself and len(choice) > 1 and not any(file.path.name in notebook_names(lesson) for file in choice):
        return None
    folder = PurePosixPath(*student[len(above):]) if not given_itself else PurePosixPath()
    others = [file.path.name for file in files if file not in choice]
    return Work(student[-1], tuple(choice), str(folder), tuple(others))


def _loose(files: list[File], works: list[Work], lesson: Lesson) -> list[Work]:
    """Each file by itself. Where its name is not its student's alone, the folder around it tells them apart."""
    counts = Counter(stem(file.path.name) for file in files)
    if works:
        counts.update(stem(name) for name in notebook_names(lesson) for _ in works)
    students = [file.path.parent.name if counts[stem(file.path.name)] > 1 else "" for file in files]
    return [Work(student or stem(file.path.name), (file,)) for student, file in zip(students, files, strict=True)]
