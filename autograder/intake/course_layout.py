"""Account for everything in a course's folder submitted/: whose work lies where, and what is not looked at.

Each student's work is expected in `<student>/<assignment>`. What is plainly the work is taken from elsewhere: from the
folder of another edition, from one in another case, or from the student's own folder, one level too high.
"""
from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import PurePosixPath

from msgspec import structs

from autograder.intake.files import Listing
from autograder.intake.layout import (
    Found,
    Work,
    assignment_folders,
    is_assignment,
    is_called_like_the_notebook,
    may_hold_work,
)
from autograder.intake.names import is_text, label, listed, stem
from autograder.intake.nothing import in_place_of_work, not_a_submission, nothing_here
from autograder.lessons.kit.lesson import Lesson
from autograder.records import Left, Text, text

Paths = Sequence[PurePosixPath]


@dataclass(frozen=True)
class _Student:
    """The entries below submitted/ that lie in one student's folder. `known`: the assignment folder is there."""

    name: str
    entries: Paths
    listing: Listing
    lesson: Lesson
    known: bool = False

    @property
    def own(self) -> PurePosixPath:
        return PurePosixPath(self.name, self.lesson.name)

    @cached_property
    def folders(self) -> set[PurePosixPath]:
        return set(self.listing.folders)

    @cached_property
    def too_high(self) -> list[PurePosixPath]:
        """What may be the notebook, directly in the student's folder."""
        aside = {*self.folders, *self.listing.closed, *self.listing.tools}
        return [path for path in self.entries if len(path.parts) == 2 and path not in aside
                and may_hold_work(path, self.lesson) and is_called_like_the_notebook(path, self.lesson)]

    @cached_property
    def place(self) -> PurePosixPath | None:
        """The folder that holds the work; None if nothing plainly does. The assignment's own goes before others."""
        there = {PurePosixPath(*path.parts[:2]) for path in (*self.entries, *self.folders)
                 if len(path.parts) > 1 and is_assignment(path.parts[1], self.lesson)
                 and (len(path.parts) > 2 or path in self.folders)} | ({self.own} if self.known else set())
        tools, names = set(self.listing.tools), assignment_folders(self.lesson)
        full = {PurePosixPath(*path.parts[:2]) for path in self.entries if len(path.parts) > 2 and path not in tools}
        first = min(there, default=None, key=lambda folder: (
            folder not in full, folder != self.own, folder.name not in names, folder.name))
        return PurePosixPath(self.name) if self.too_high and first not in full else first

    def of_the_work(self, path: PurePosixPath) -> bool:
        """Whether an entry is part of the work; of the student's own folder that is what lies directly in it."""
        place = self.place
        if place is None:
            return False
        return place.is_relative_to(path) or (
            path.is_relative_to(place) if len(place.parts) > 1 else path.parent == place)


def place_of_work(student: str, listing: Listing, lesson: Lesson, known: bool) -> PurePosixPath | None:
    """The folder below submitted/ that holds this student's work, from a listing of the student's folder."""
    return _Student(student, listing.entries, listing, lesson, known).place


def in_course(listing: Listing, lesson: Lesson, assignments: Collection[str] = (), excluded: Collection[str] = (),
              known: Collection[str] = ()) -> Found:
    """Everything below submitted/, each entry once.

    `assignments` are the other ones of the course. Of the `known` students the assignment folder exists, perhaps
    behind a link.
    """
    found = Found([], [], [], [path for path in listing.tools if len(path.parts) == 1])
    files, tools = {file.path for file in listing.files}, set(found.tools)
    students: dict[str, list[PurePosixPath]] = {}
    below = _by_student(listing)
    for path in listing.entries:
        if len(path.parts) == 1 and path in files:
            found.left.append(_loose(path, lesson))
        elif path not in tools:
            students.setdefault(path.parts[0], []).append(path)
    for name, entries in sorted(students.items()):
        if name in excluded:
            found.others.extend(entries)
        elif not is_text(name):
            found.left.append(_unnamed(name, entries))
        else:
            _sort(_Student(name, entries, below[name], lesson, name in known), assignments, found)
    return found


def _by_student(listing: Listing) -> dict[str, Listing]:
    """The folders, links and tools' files below each student's folder."""
    found: dict[str, Listing] = defaultdict(Listing)
    for kind in ("folders", "closed", "tools"):
        for path in getattr(listing, kind):
            getattr(found[path.parts[0]], kind).append(path)
    return found


def _sort(student: _Student, assignments: Collection[str], found: Found) -> None:
    """Put each of this student's entries into one of the lists."""
    place = student.place
    mine = [path for path in student.entries if student.of_the_work(path)]
    if place is not None:
        found.works.append(Work(student.name, (), str(place), paths=tuple(mine)))
    children: dict[PurePosixPath, list[PurePosixPath]] = {}
    for path in student.entries:
        if path not in mine:
            children.setdefault(PurePosixPath(*path.parts[:2]), []).append(path)
    for child, inside in children.items():
        if child in student.listing.tools:
            found.tools.append(child)
            continue
        left = None if child.name in assignments else next(_not_looked_at(child, inside, place, student), None)
        if left is None:
            found.others.extend(inside)
        else:
            found.left.append(structs.replace(left, entries=tuple(map(str, inside))))


def _not_looked_at(child: PurePosixPath, inside: Paths, place: PurePosixPath | None,
                   student: _Student) -> Iterator[Left]:
    """Why something in a student's folder was not looked at; nothing if it seems to be of another assignment."""
    lesson, own = student.lesson, listed([f"{student.own}/"])
    works = [path for path in inside if may_hold_work(path, lesson)]
    if inside[0] in student.listing.closed and inside == [child]:
        asks = len(child.parts) == 1 or bool(works) or is_assignment(child.name, lesson)
        yield Left(str(child), text("It is a link, which is not followed: it may lead to the work of somebody else. "
                                    "Put the files themselves there."), asks)
    if len(child.parts) == 1:
        yield Left(str(child), text("This folder is empty."), False)
    if is_assignment(child.name, lesson) and place is not None:
        yield Left(str(child), text("It lies beside {place}, which was graded. Put what counts into {own}.",
                                    place=listed([place]), own=own), bool(works))
    deeper = [path for path in works if is_called_like_the_notebook(path, lesson)
              or any(is_assignment(part, lesson) for part in path.parts[1:-1])]
    if inside == [child] and place is None and not works and in_place_of_work(child.name):
        yield Left(str(child), nothing_here([child.name]), True)
    if inside == [child] and (place is None or works):
        yield Left(str(child), _belongs_in(own) if works else not_a_submission(False), bool(works))
    if deeper:
        yield Left(str(child), _belongs_in(own, deeper[0]))
    if works and place is None:
        yield Left(str(child), text("It is not called {name}. If it is the work for this assignment, put it into "
                                    "{own}.", name=lesson.name, own=own), False)


def _belongs_in(own: str, deeper: PurePosixPath | None = None) -> Text:
    if deeper is not None:
        return text("It holds {path}, but work is looked for in {own}. Put it there, if it is this student's.",
                    path=listed([deeper]), own=own)
    return text("Work is looked for in {own}. Put it there, if it is this student's.", own=own)


def _unnamed(name: str, entries: Paths) -> Left:
    """The folder of a student whose name no gradebook can hold."""
    return Left(label(name), text("The folder's name is not text (its bytes are not UTF-8), so no gradebook and no "
                                  "page can hold it. Call the folder as the student is called."),
                True, tuple(label(str(path)) for path in entries))


def _loose(path: PurePosixPath, lesson: Lesson) -> Left:
    if not may_hold_work(path, lesson):
        if in_place_of_work(path.name):
            return Left(str(path), nothing_here([path.name]), True, (str(path),))
        return Left(str(path), not_a_submission(False), False, (str(path),))
    student = stem(path.name)
    return Left(str(path), text("It lies beside the students' folders. Put it into {own}, if it is the work of "
                                "{student}.", own=listed([f"{student}/{lesson.name}/"]), student=listed([student])),
                True, (str(path),))
