"""Read notebooks, Python files, folders and archives, one submission at a time; a bad file never stops the others."""

import os
import stat
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, field
from functools import partial
from mmap import mmap
from pathlib import Path, PurePosixPath
from typing import TypeVar

from autograder.intake import apart
from autograder.intake.begun import SIZE, Begun
from autograder.intake.choice import best, forget_contents, loaded, with_notices
from autograder.intake.encoding import Unreadable
from autograder.intake.files import ARCHIVE, File, Listing, cannot_open, folder_listing, is_archive, load
from autograder.intake.layout import (
    Work,
    arranged,
    assignment_folders,
    handed_in_by,
    may_hold_work,
    student_of,
)
from autograder.intake.names import listed, stem
from autograder.intake.nothing import a_link, not_a_submission, nothing_here
from autograder.intake.submission import of_sources, unreadable
from autograder.lessons.kit.lesson import Lesson
from autograder.records import Left, Submission, Text

T = TypeVar("T")


def read(paths: Sequence[str | Path], lesson: Lesson, seconds: float = apart.SECONDS) -> Iterator[Submission]:
    """The submissions at these paths, in order; a file that is reached twice is read once.

    A bad file never raises and never stops the others: its submission says why it is unreadable. What they hold is
    read in a process of its own, under limits.
    """
    return (submission for submission in read_all(paths, [lesson], seconds) if submission.left is None)


def read_all(paths: Sequence[str | Path], lessons: Sequence[Lesson], seconds: float = apart.SECONDS
             ) -> Iterator[Submission]:
    """The same for each of these lessons, and after the submissions of a folder or archive what was not looked at there
    (`left`), and why. Whatever the number of lessons, each file is parsed once.
    """
    left, known = list(map(str, paths)), 0      # known: how many of what is in the first of them came already
    with mmap(-1, SIZE) as shared:
        begun = Begun(shared)
        while left:
            got = 0
            try:
                readers = [_Reader(lesson) for lesson in lessons]
                with closing(apart.each(partial(_read, left, readers, begun), Submission, seconds)) as found:
                    for got, submission in enumerate(found, 1):
                        if got > known:
                            yield submission
                return
            except apart.Ended as error:
                if error.why is None:
                    raise
                at, before, work = begun.numbers
                known = max(got, known) - before
                if begun.is_over(at, work, error.why):
                    for lesson in lessons:
                        yield unreadable(left[at], student_of(PurePosixPath(left[at]), lesson), error.why, lesson)
                    at, known = at + 1, 0
                left = left[at:]


@dataclass
class _Reader:
    """Reads for one lesson. `seen` has the identities of what it has read."""

    lesson: Lesson
    seen: set[str] = field(default_factory=set)


def _read(paths: Sequence[str], readers: Sequence[_Reader], begun: Begun) -> Iterator[Submission]:
    total = 0
    for number, path in enumerate(paths):
        begun.path(number, total)
        forget_contents()
        for submission in _at_path(path, readers, begun):
            total += 1
            yield submission


def _at_path(path: str, readers: Sequence[_Reader], begun: Begun) -> Iterator[Submission]:
    try:
        kind, identity = stat.S_IFMT(os.stat(path).st_mode), os.path.realpath(path)
    except (OSError, ValueError) as error:
        why = cannot_open(error)
        yield from (unreadable(path, student_of(PurePosixPath(path), one.lesson), why, one.lesson)
                    for one in _not_yet(path, readers))
    else:
        yield from _at(path, kind, identity, _not_yet(identity, readers), begun)


def _not_yet(identity: str, readers: Sequence[_Reader]) -> list[_Reader]:
    """Those who have not read it, who now do."""
    found = [reader for reader in readers if identity not in reader.seen]
    for reader in found:
        reader.seen.add(identity)
    return found


def read_folder(folder: str | Path, student: str, lesson: Lesson, deep: bool = True, seconds: float = apart.SECONDS
                ) -> Submission:
    """What this student handed in, in their own assignment folder. Its name is the path below that folder.

    It is read in a separate process, under limits, of which one is these `seconds`. Unless it is to be read `deep`,
    only the files directly in it count.
    """
    return read_apart(lambda: in_folder(folder, student, lesson, deep), "", student, lesson, seconds)


def from_sources(name: str, student: str, sources: Sequence[str], lesson: Lesson, seconds: float = apart.SECONDS
                 ) -> Submission:
    """The submission in these sources of code cells, without metadata: what a running kernel knows."""
    return read_apart(lambda: of_sources(name, student, sources, lesson), name, student, lesson, seconds)


def read_apart(read: Callable[[], Submission], name: str, student: str, lesson: Lesson, seconds: float) -> Submission:
    """What this reads, in a process of its own; if that exceeds its limits, a submission that says so."""
    try:
        return apart.one(read, Submission, seconds)
    except apart.Ended as error:
        if error.why is None:
            raise
        return unreadable(name, student, error.why, lesson)


def in_folder(folder: str | Path, student: str, lesson: Lesson, deep: bool = True) -> Submission:
    """As read_folder, in this process and without limits."""
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
        submission = best(work, lesson)[1]
        return with_notices(submission, [listing.refused] if listing.refused else [])
    return unreadable("", student, listing.refused or nothing_here(work.others), lesson)


def _at(path: str, kind: int, identity: str, readers: Sequence[_Reader], begun: Begun) -> Iterator[Submission]:
    absolute = PurePosixPath(Path(os.path.abspath(path)).as_posix())
    if kind == stat.S_IFDIR:
        yield from _folder(path, absolute, readers, begun)
    elif kind == stat.S_IFREG and path.lower().endswith(ARCHIVE):
        yield from _archive(path, identity, readers, begun)
    else:
        file = File(PurePosixPath(path), identity, 0.0, lambda: load(path))
        for lesson in (reader.lesson for reader in readers):
            student = student_of(absolute, lesson)
            yield in_time(path, student, lesson, partial(loaded, path, student, file, lesson))


def _folder(path: str, absolute: PurePosixPath, readers: Sequence[_Reader], begun: Begun) -> Iterator[Submission]:
    link = next((one for one in (absolute, absolute.parent) if os.path.islink(one)), None)
    if link is not None:                        # a student's, in nbgrader's layout
        others = [reader for reader in readers if absolute.name not in assignment_folders(reader.lesson)]
        yield from (unreadable(path, absolute.parent.name, a_link(listed([link.name])), reader.lesson)
                    for reader in readers if reader not in others)
        readers = others
    try:
        with apart.in_time():
            listing = folder_listing(path) if readers else Listing()
    except _NOT_READ as error:
        yield from _none_of(path, absolute.name, error, readers)
        return
    yield from _collection(path, listing, (absolute.parent.name, absolute.name), readers, begun)


_NOT_READ = (Unreadable, apart.TooLong, MemoryError)


def _none_of(path: str, student: str, error: BaseException, readers: Sequence[_Reader]) -> Iterator[Submission]:
    for reader in readers:
        yield unreadable(path, student, _why(error), reader.lesson)


def _why(error: BaseException) -> Text:
    if isinstance(error, Unreadable):
        return error.why
    return apart.too_long() if isinstance(error, apart.TooLong) else apart.TOO_LARGE


def in_time(name: str, student: str, lesson: Lesson, make: Callable[[], T]) -> T | Submission:
    """The submissions that this makes; if it exceeds the limits of one submission, a submission that says so."""
    try:
        with apart.in_time():
            return make()
    except (apart.TooLong, MemoryError) as error:
        return unreadable(name, student, _why(error), lesson)


def _archive(path: str, identity: str, readers: Sequence[_Reader], begun: Begun) -> Iterator[Submission]:
    from autograder.intake.archive import archive_listing  # importing zipfile takes longer than reading a notebook

    with ExitStack() as opened:
        try:
            with apart.in_time():
                listing = opened.enter_context(archive_listing(identity))
        except _NOT_READ as error:
            yield from _none_of(path, stem(path), error, readers)
            return
        yield from _collection(path, listing, (stem(path),), readers, begun)


def _collection(path: str, listing: Listing, above: tuple[str, ...], readers: Sequence[_Reader], begun: Begun
                ) -> Iterator[Submission]:
    """The submissions in a folder or archive, after what was refused in it. Each file is next to itself."""
    shelves = [_Shelf(path, listing, above, reader) for reader in readers]
    if listing.refused:
        yield from (unreadable(path, above[-1], listing.refused, reader.lesson) for reader in readers)
    rounds: dict[str, list[tuple[_Shelf, Work]]] = {}
    for shelf in shelves:
        for work in shelf.found.works:
            first = work.files[0].identity if work.files else work.folder
            rounds.setdefault(first, []).append((shelf, work))
    for number, works in enumerate(rounds.values(), 1):
        forget_contents()
        ended = begun.work(number)
        for shelf, work in works:
            yield from shelf.read(work, ended)
    begun.work(0)
    for shelf in shelves:
        yield from shelf.rest()


class _Shelf:
    """What a folder or archive holds for one lesson."""

    def __init__(self, path: str, listing: Listing, above: tuple[str, ...], reader: _Reader):
        self._path, self._listing, self._above, self._reader = path, listing, above, reader
        self.found = arranged(listing, above, reader.lesson)
        self._left, self._any_work = self.found.left, bool(listing.refused)

    def read(self, work: Work, ended: Text | None) -> Iterator[Submission]:
        """The submission of this work, unless it was read before or is none. `ended`: why it cannot be read at all."""
        submission = _of_work(self._path, work, self._reader, ended)
        if submission is not None and work.unsure and submission.unreadable is not None:
            file = work.files[0].path
            self._left = [*self._left, Left(submission.name, not_a_submission(False),
                                            may_hold_work(file, self._reader.lesson))]
        else:
            self._any_work = True
            if submission is not None:
                yield submission

    def rest(self) -> Iterator[Submission]:
        """What was not looked at; if there is no work at all, a submission that says so."""
        lesson = self._reader.lesson
        if self._any_work:
            yield from (Submission(each.path, "", lesson.name, left=each) for each in self._left)
        else:
            yield unreadable(self._path, self._above[-1], nothing_here(self._listing.entries), lesson)


def _of_work(path: str, work: Work, reader: _Reader, ended: Text | None) -> Submission | None:
    lesson = reader.lesson
    if work.files or work.spare:
        name = work.folder or str((work.files or work.spare)[0].path)
        if ended is not None:
            return unreadable(name, work.student, ended, lesson)
        return in_time(name, work.student, lesson, lambda: _chosen(work, reader))
    return unreadable(path if work.folder == "." else work.folder, work.student, nothing_here(work.others), lesson)


def _chosen(work: Work, reader: _Reader) -> Submission | None:
    """The one submission among a student's files, unless it was already read."""
    file, submission = best(work, reader.lesson)
    if file.identity in reader.seen:
        return None
    # an archive may yet be given by itself
    reader.seen.update(each.identity for each in (file, *work.files) if not is_archive(each.path))
    return submission
