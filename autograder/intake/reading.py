"""Notebooks, Python files, folders and archives, one submission after another; one bad file never stops the others."""
from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path, PurePosixPath

import msgspec

from autograder.intake.encoding import Unreadable
from autograder.intake.files import ARCHIVE, File, Listing, cannot_open, folder_listing, is_archive, load
from autograder.intake.layout import Work, arranged, notebook_names, student_of
from autograder.intake.names import listed, stem
from autograder.intake.own_cells import defines
from autograder.intake.submission import read_bytes, unreadable
from autograder.lesson import Lesson
from autograder.records import Submission, Text, text


def read(paths: Sequence[str | Path], lesson: Lesson) -> Iterator[Submission]:
    """The submissions at these paths, in order; a file that is reached twice comes once.

    A bad file never raises and never stops the others: its submission says why it is unreadable.
    """
    seen: set[str] = set()
    for path in map(os.fspath, paths):
        try:
            kind, identity = stat.S_IFMT(os.stat(path).st_mode), os.path.realpath(path)
        except (OSError, ValueError) as error:
            if path not in seen:
                yield unreadable(path, student_of(PurePosixPath(path), lesson), cannot_open(error), lesson)
            seen.add(path)
            continue
        if identity not in seen:
            seen.add(identity)
            yield from _at(path, kind, identity, seen, lesson)


def _at(path: str, kind: int, identity: str, seen: set[str], lesson: Lesson) -> Iterator[Submission]:
    absolute = PurePosixPath(Path(os.path.abspath(path)).as_posix())
    if kind == stat.S_IFDIR:
        yield from _collection(path, folder_listing(path), (absolute.parent.name, absolute.name), seen, lesson)
    elif kind == stat.S_IFREG and path.lower().endswith(ARCHIVE):
        yield from _archive(path, identity, seen, lesson)
    else:
        yield _loaded(path, student_of(absolute, lesson), lambda: load(path), lesson)


def _archive(path: str, identity: str, seen: set[str], lesson: Lesson) -> Iterator[Submission]:
    from autograder.intake.archive import archive_listing  # importing zipfile takes longer than reading a notebook

    try:
        with archive_listing(identity) as listing:
            yield from _collection(path, listing, (stem(path),), seen, lesson)
    except Unreadable as error:
        yield unreadable(path, stem(path), error.why, lesson)


def _collection(path: str, listing: Listing, above: tuple[str, ...], seen: set[str],
                lesson: Lesson) -> Iterator[Submission]:
    """The submissions in a folder or archive, after what was refused in it."""
    if listing.refused:
        yield unreadable(path, above[-1], listing.refused, lesson)
    works = arranged(listing, above, lesson)
    for work in works:
        if work.files:
            yield from _chosen(work, seen, lesson)
        else:
            name = path if work.folder == "." else work.folder
            yield unreadable(name, work.student, _nothing_here(work.others), lesson)
    if not works and not listing.refused:
        yield unreadable(path, above[-1], _nothing_here(file.path for file in listing.files), lesson)


def _chosen(work: Work, seen: set[str], lesson: Lesson) -> Iterator[Submission]:
    """The one submission among a student's files: readable, with the right name, with the functions, the newest."""
    drafts = [(file, _loaded(str(file.path), work.student, file.load, lesson)) for file in work.files]
    file, submission = max(drafts, key=lambda draft: _rank(*draft, lesson))
    if file.identity in seen:
        return
    seen.update(file.identity for file in work.files if not is_archive(file.path))     # may yet be given by itself
    notices = tuple(_about_choice(file, work, lesson))
    yield msgspec.structs.replace(submission, notices=notices + submission.notices)


def _rank(file: File, submission: Submission, lesson: Lesson) -> tuple[bool, bool, int, float]:
    functions = sum(any(defines(cell.source, exercise.name) for cell in submission.cells)
                    for exercise in lesson.exercises)
    return submission.unreadable is None, file.path.name in notebook_names(lesson), functions, file.modified


def _about_choice(file: File, work: Work, lesson: Lesson) -> Iterator[Text]:
    others = [other.path for other in work.files if other != file]
    if others:
        yield text("Of several files {file} was graded, not {others}.", file=listed([file.path]), others=listed(others))
    if work.folder and not is_archive(file.path) and file.path.name not in notebook_names(lesson):
        yield text("The file is called {file} instead of {expected}; it was graded all the same.",
                   file=listed([file.path.name]), expected=listed(sorted(notebook_names(lesson))))


def _loaded(name: str, student: str, load: Callable[[], bytes], lesson: Lesson) -> Submission:
    try:
        return read_bytes(name, load(), lesson, student)
    except Unreadable as error:
        return unreadable(name, student, error.why, lesson)


def _nothing_here(others: Iterable[object]) -> Text:
    names = listed(others)
    if not names:
        return text("There is no notebook here: it is empty. Expected a notebook (.ipynb) or a Python file.")
    return text("There is no notebook here, only {names}. Expected a notebook (.ipynb) or a Python file.", names=names)
