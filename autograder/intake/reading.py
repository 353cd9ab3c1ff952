"""Read notebooks, Python files, folders and archives, one submission at a time; a bad file never stops the others."""
from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import TypeVar

from msgspec.structs import replace as replace_fields

from autograder.intake import apart
from autograder.intake.choice import about_the_choice, in_other_files, rank
from autograder.intake.encoding import FILE_CAP, TOO_LARGE, Unreadable
from autograder.intake.files import ARCHIVE, File, Listing, cannot_open, folder_listing, is_archive, load
from autograder.intake.layout import (
    Work,
    arranged,
    assignment_folders,
    gradable,
    handed_in_by,
    may_hold_work,
    student_of,
)
from autograder.intake.names import listed, stem
from autograder.intake.nothing import not_a_submission, nothing_here
from autograder.intake.submission import of_sources, read_bytes, unreadable
from autograder.lessons.kit.lesson import Lesson
from autograder.records import Left, Submission, Text, text

T = TypeVar("T")


def read(paths: Sequence[str | Path], lesson: Lesson) -> Iterator[Submission]:
    """The submissions at these paths, in order; a file that is reached twice is read once.

    A bad file never raises and never stops the others: its submission says why it is unreadable. What they hold is
    read in a process of its own, under limits.
    """
    return (submission for submission in read_all(paths, lesson) if submission.left is None)


def read_all(paths: Sequence[str | Path], lesson: Lesson) -> Iterator[Submission]:
    """The same, and after the submissions of a folder or archive what was not looked at there (`left`), and why."""
    paths = list(paths)
    try:
        yield from apart.each(lambda: _read(paths, lesson), Submission)
    except apart.Ended as error:
        if error.why is None:
            raise
        path = ", ".join(map(str, paths))
        yield unreadable(path, student_of(PurePosixPath(path), lesson), error.why, lesson)


def _read(paths: Sequence[str | Path], lesson: Lesson) -> Iterator[Submission]:
    seen: set[str] = set()
    for path in map(str, paths):
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


def read_folder(folder: str | Path, student: str, lesson: Lesson, deep: bool = True) -> Submission:
    """What this student handed in, in their own assignment folder. Its name is the path below that folder.

    It is read in a separate process, under limits. Unless it is to be read `deep`, only the files directly in it count.
    """
    try:
        return apart.one(lambda: _read_folder(folder, student, lesson, deep), Submission)
    except apart.Ended as error:
        if error.why is None:
            raise
        return unreadable("", student, error.why, lesson)


def from_sources(name: str, student: str, sources: Sequence[str], lesson: Lesson) -> Submission:
    """The submission in these sources of code cells, without metadata: what a running kernel knows."""
    try:
        return apart.one(lambda: of_sources(name, student, sources, lesson), Submission)
    except apart.Ended as error:
        if error.why is None:
            raise
        return unreadable(name, student, error.why, lesson)


def _read_folder(folder: str | Path, student: str, lesson: Lesson, deep: bool) -> Submission:
    try:
        return _in_folder(folder, student, lesson, deep)
    except Unreadable as error:
        return unreadable("", student, error.why, lesson)


def _in_folder(folder: str | Path, student: str, lesson: Lesson, deep: bool) -> Submission:
    listing = folder_listing(os.fspath(folder))
    if not deep:
        listing.files = [file for file in listing.files if len(file.path.parts) == 1]
    work = handed_in_by(student, listing, lesson)
    if work.files or work.spare:
        submission = _best(work, lesson)[1]
        return _with_notices(submission, [listing.refused] if listing.refused else [])
    return unreadable("", student, listing.refused or nothing_here(work.others), lesson)


def _at(path: str, kind: int, identity: str, seen: set[str], lesson: Lesson) -> Iterator[Submission]:
    absolute = PurePosixPath(Path(os.path.abspath(path)).as_posix())
    if kind == stat.S_IFDIR:
        yield from _folder(path, absolute, seen, lesson)
    elif kind == stat.S_IFREG and path.lower().endswith(ARCHIVE):
        yield from _archive(path, identity, seen, lesson)
    else:
        student = student_of(absolute, lesson)
        yield _in_time(path, student, lesson, lambda: _loaded(path, student, lambda: load(path), lesson))


def _folder(path: str, absolute: PurePosixPath, seen: set[str], lesson: Lesson) -> Iterator[Submission]:
    link = next((one for one in (absolute, absolute.parent) if os.path.islink(one)), None)
    if link is not None and absolute.name in assignment_folders(lesson):        # a student's, in nbgrader's layout
        yield unreadable(path, absolute.parent.name, text(
            "The folder {name} is a link, which is not followed: it may lead to the work of somebody else. Put the "
            "files themselves there.", name=listed([link.name])), lesson)
        return
    try:
        with apart.in_time():
            listing = folder_listing(path)
    except (Unreadable, apart.TooLong) as error:
        yield unreadable(path, absolute.name, getattr(error, "why", apart.TOO_LONG), lesson)
        return
    yield from _collection(path, listing, (absolute.parent.name, absolute.name), seen, lesson)


def _in_time(name: str, student: str, lesson: Lesson, make: Callable[[], T]) -> T | Submission:
    """The submissions that this makes; if it exceeds the limits of one submission, a submission that says so."""
    try:
        with apart.in_time():
            return make()
    except apart.TooLong:
        return unreadable(name, student, apart.TOO_LONG, lesson)
    except MemoryError:
        return unreadable(name, student, apart.TOO_LARGE, lesson)


def _archive(path: str, identity: str, seen: set[str], lesson: Lesson) -> Iterator[Submission]:
    from autograder.intake.archive import archive_listing  # importing zipfile takes longer than reading a notebook

    with ExitStack() as opened:
        try:
            with apart.in_time():
                listing = opened.enter_context(archive_listing(identity))
        except (Unreadable, apart.TooLong) as error:
            yield unreadable(path, stem(path), getattr(error, "why", apart.TOO_LONG), lesson)
            return
        yield from _collection(path, listing, (stem(path),), seen, lesson)


def _collection(path: str, listing: Listing, above: tuple[str, ...], seen: set[str],
                lesson: Lesson) -> Iterator[Submission]:
    """The submissions in a folder or archive, after what was refused in it."""
    if listing.refused:
        yield unreadable(path, above[-1], listing.refused, lesson)
    found = arranged(listing, above, lesson)
    left, any_work = found.left, bool(listing.refused)
    for work in found.works:
        submission = _of_work(path, work, seen, lesson)
        if submission is not None and work.unsure and submission.unreadable is not None:
            file = work.files[0].path
            left = [*left, Left(submission.name, not_a_submission(False), may_hold_work(file, lesson))]
        else:
            any_work = True
            if submission is not None:
                yield submission
    if any_work:
        yield from (Submission(each.path, "", lesson.name, left=each) for each in left)
    else:
        yield unreadable(path, above[-1], nothing_here(listing.entries), lesson)


def _of_work(path: str, work: Work, seen: set[str], lesson: Lesson) -> Submission | None:
    if work.files or work.spare:
        return _in_time(work.folder or str((work.files or work.spare)[0].path), work.student, lesson,
                        lambda: _chosen(work, seen, lesson))
    return unreadable(path if work.folder == "." else work.folder, work.student, nothing_here(work.others), lesson)


def _chosen(work: Work, seen: set[str], lesson: Lesson) -> Submission | None:
    """The one submission among a student's files, unless it was already read."""
    file, submission = _best(work, lesson)
    if file.identity in seen:
        return None
    # an archive may yet be given by itself
    seen.update(each.identity for each in (file, *work.files) if not is_archive(each.path))
    return submission


def _best(work: Work, lesson: Lesson) -> tuple[File, Submission]:
    """The best readable file of a student: with functions in it, with the right name, with the most, the newest."""
    drafts = _drafts(work, lesson)
    file, submission = max(drafts, key=lambda draft: rank(*draft, lesson))
    look = tuple(in_other_files(submission, file, work, drafts, lesson))
    submission = replace_fields(submission, for_a_person=look)
    return file, _with_notices(submission, (*look, *about_the_choice(file, work, lesson)))


def _drafts(work: Work, lesson: Lesson) -> list[tuple[File, Submission]]:
    """Each of the files as a submission. Archives and spare files are opened only if nothing else is readable."""
    def loaded(files: Iterable[File]) -> list[tuple[File, Submission]]:
        return [(file, _loaded(str(file.path), work.student, file.load, lesson)) for file in files]

    drafts = loaded(file for file in work.files if not is_archive(file.path))
    if not work.folder or any(submission.unreadable is None for _, submission in drafts):
        return drafts or loaded(work.files)
    archives = [file for file in work.files if is_archive(file.path)]
    more = loaded(work.spare)
    for archive in archives:
        with ExitStack() as opened:
            more += loaded(_unpacked(archive, lesson, opened))
    return drafts + [draft for draft in more if draft[1].unreadable is None or draft[0] not in work.spare] or more


def _unpacked(archive: File, lesson: Lesson, opened: ExitStack) -> list[File]:
    """The notebooks in a student's archive, else the Python files; the archive itself if it has neither.

    They can be loaded as long as it is `opened`.
    """
    from autograder.intake.archive import archive_listing

    if not os.path.isfile(archive.identity):           # the archive is itself in an archive
        return [archive]
    try:
        if os.path.getsize(archive.identity) > 4 * FILE_CAP:
            raise Unreadable(TOO_LARGE)
        listing = opened.enter_context(archive_listing(archive.identity))
        able = [file for file in listing.files if gradable(file.path, lesson)]
        why = listing.refused or nothing_here(file.path for file in listing.files)
    except Unreadable as error:
        able, why = [], error.why
    chosen = [file for file in able if not file.path.name.lower().endswith(".py")] or able
    return [replace(file, path=archive.path / file.path, identity=f"{archive.identity}!{file.path}")
            for file in chosen] or [replace(archive, load=lambda: _refuse(why))]


def _refuse(why: Text) -> bytes:
    raise Unreadable(why)


def _with_notices(submission: Submission, notices: Iterable[Text]) -> Submission:
    return replace_fields(submission, notices=(*notices, *submission.notices))


def _loaded(name: str, student: str, load: Callable[[], bytes], lesson: Lesson) -> Submission:
    if name.lower().endswith((".qmd", ".rmd")):
        return unreadable(name, student, text(
            "This is a document of Quarto or R Markdown, which is not graded. Make a notebook of it (quarto convert "
            "{name}), run it once and hand that in.", name=listed([PurePosixPath(name).name])), lesson)
    try:
        return read_bytes(name, load(), lesson, student)
    except Unreadable as error:
        return unreadable(name, student, error.why, lesson)
    except MemoryError:
        return unreadable(name, student, apart.TOO_LARGE, lesson)
    except Exception as error:            # our fault means a look at this student's file, not a class without grades
        return unreadable(name, student, text("The autograder cannot read this file, which is its own fault ({error}); "
                                              "a person has to look at it.", error=type(error).__name__), lesson)
