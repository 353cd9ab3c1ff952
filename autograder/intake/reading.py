"""Read notebooks, Python files, folders and archives, one submission at a time; a bad file never stops the others."""
from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path, PurePosixPath

import msgspec

from autograder.intake.encoding import Unreadable
from autograder.intake.files import ARCHIVE, File, Listing, cannot_open, folder_listing, is_archive, load
from autograder.intake.layout import Work, arranged, gradable, handed_in_by, notebook_names, student_of
from autograder.intake.names import listed, stem
from autograder.intake.own_cells import writes
from autograder.intake.submission import read_bytes, unreadable
from autograder.lessons.kit.lesson import Lesson
from autograder.records import Submission, Text, text


def read(paths: Sequence[str | Path], lesson: Lesson) -> Iterator[Submission]:
    """The submissions at these paths, in order; a file that is reached twice is read once.

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


def read_folder(folder: str | Path, student: str, lesson: Lesson) -> Submission:
    """What this student handed in, in their own assignment folder. Its name is the path below that folder."""
    listing = folder_listing(os.fspath(folder))
    work = handed_in_by(student, listing, lesson)
    if work.files or work.spare:
        submission = _best(work, lesson)[1]
        return _with_notices(submission, [listing.refused] if listing.refused else [])
    return unreadable("", student, listing.refused or _nothing_here(work.others), lesson)


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
        if work.files or work.spare:
            yield from _chosen(work, seen, lesson)
        else:
            name = path if work.folder == "." else work.folder
            yield unreadable(name, work.student, _nothing_here(work.others), lesson)
    if not works and not listing.refused:
        yield unreadable(path, above[-1], _nothing_here(file.path for file in listing.files), lesson)


def _chosen(work: Work, seen: set[str], lesson: Lesson) -> Iterator[Submission]:
    """The one submission among a student's files, unless it was already read."""
    file, submission = _best(work, lesson)
    if file.identity in seen:
        return
    # an archive may yet be given by itself
    seen.update(each.identity for each in (file, *work.files) if not is_archive(each.path))
    yield submission


def _best(work: Work, lesson: Lesson) -> tuple[File, Submission]:
    """The best readable file of a student: with functions in it, with the right name, with the most, the newest."""
    drafts = _drafts(work, lesson)
    file, submission = max(drafts, key=lambda draft: _rank(*draft, lesson))
    return file, _with_notices(submission, _about_choice(file, work, lesson))


def _drafts(work: Work, lesson: Lesson) -> list[tuple[File, Submission]]:
    """Each of the files as a submission. Archives and spare files are opened only if nothing else is readable."""
    def loaded(files: Iterable[File]) -> list[tuple[File, Submission]]:
        return [(file, _loaded(str(file.path), work.student, file.load, lesson)) for file in files]

    drafts = loaded(file for file in work.files if not is_archive(file.path))
    if not work.folder or any(submission.unreadable is None for _, submission in drafts):
        return drafts or loaded(work.files)
    archives = [file for file in work.files if is_archive(file.path)]
    more = loaded(work.spare) + loaded(inner for archive in archives for inner in _unpacked(archive, lesson))
    return drafts + [draft for draft in more if draft[1].unreadable is None or draft[0] not in work.spare] or more


def _unpacked(archive: File, lesson: Lesson) -> list[File]:
    """The notebooks in a student's archive, else the Python files; the archive itself if it has neither."""
    from autograder.intake.archive import archive_listing

    if not os.path.isfile(archive.identity):           # the archive is itself in an archive
        return [archive]
    try:
        with archive_listing(archive.identity) as listing:
            able = [file.path for file in listing.files if gradable(file.path, lesson)]
            why = listing.refused or _nothing_here(file.path for file in listing.files)
    except Unreadable as error:
        able, why = [], error.why
    chosen = [path for path in able if not path.name.lower().endswith(".py")] or able
    return [replace(archive, path=archive.path / path, identity=f"{archive.identity}!{path}",
                    load=partial(_from_archive, archive.identity, path)) for path in chosen] or [
        replace(archive, load=partial(_refuse, why))]


def _from_archive(archive: str, path: PurePosixPath) -> bytes:
    from autograder.intake.archive import archive_listing

    with archive_listing(archive) as listing:
        return next(file for file in listing.files if file.path == path).load()


def _refuse(why: Text) -> bytes:
    raise Unreadable(why)


def _rank(file: File, submission: Submission, lesson: Lesson) -> tuple[bool, bool, bool, int, float]:
    functions = sum(any(writes(cell.source, exercise.name) for cell in submission.cells)
                    for exercise in lesson.exercises)
    return (submission.unreadable is None, functions > 0, file.path.name in notebook_names(lesson), functions,
            file.modified)


def _with_notices(submission: Submission, notices: Iterable[Text]) -> Submission:
    return msgspec.structs.replace(submission, notices=(*notices, *submission.notices))


def _about_choice(file: File, work: Work, lesson: Lesson) -> Iterator[Text]:
    inside = [other.path for other in work.files if file.path != other.path and file.path.is_relative_to(other.path)]
    if inside:
        yield text("The work was taken out of the archive {archive}.", archive=listed(inside))
    others = [other.path for other in work.files if other.path != file.path and other.path not in inside]
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
    except Exception as error:            # our fault means a look at this student's file, not a class without grades
        return unreadable(name, student, text("The autograder cannot read this file, which is its own fault ({error}); "
                                              "a person has to look at it.", error=type(error).__name__), lesson)


def _nothing_here(others: Iterable[object]) -> Text:
    names = listed(others)
    if not names:
        return text("There is no notebook here: it is empty. Expected a notebook (.ipynb) or a Python file.")
    return text("There is no notebook here, only {names}. Expected a notebook (.ipynb) or a Python file.", names=names)
