"""Account for everything in a course's folder submitted/: whose work lies where, and what is not looked at.

Each student's work is expected in `<student>/<assignment>`. What is plainly the work is taken from elsewhere: from the
folder of another edition, from one in another case, or from the student's own folder, one level too high.
"""

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
        called = {path.parts[1] for path in (*self.entries, *self.listing.folders) if len(path.parts) > 1
                  and (len(path.parts) > 2 or path in self.folders)}
        there = {name for name in called if is_assignment(name, self.lesson)} | (
            {self.lesson.name} if self.known else set())
        tools, names = set(self.listing.tools), assignment_folders(self.lesson)
        full = {path.parts[1] for path in self.entries if len(path.parts) > 2 and path not in tools}
        first = min(there, default=None, key=lambda name: (
            name not in full, name != self.lesson.name, name not in names, name))
        if self.too_high and first not in full:
            return PurePosixPath(self.name)
        return PurePosixPath(self.name, first) if first is not None else None

    def of_the_work(self, path: PurePosixPath) -> bool:
        """Whether an entry is part of the work; of the student's own folder that is what lies directly in it."""
        if self.place is None:
            return False
        place, parts = self.place.parts, path.parts
        return place[:len(parts)] == parts or (
            parts[:len(place)] == place if len(place) > 1 else parts[:-1] == place)


def place_of_work(student: str, listing: Listing, lesson: Lesson, known: bool) -> PurePosixPath | None:
    """The folder below submitted/ that holds this student's work, from a listing of the student's folder."""
    return _Student(student, listing.entries, listing, lesson, known).place


class Students:
    """Everything below submitted/ by whose folder it is in; the same for all lessons."""

    def __init__(self, listing: Listing):
        self.tools = [path for path in listing.tools if len(path.parts) == 1]
        self.loose: list[PurePosixPath] = []
        self.entries: dict[str, list[PurePosixPath]] = {}
        files, tools = {file.path for file in listing.files if len(file.path.parts) == 1}, set(self.tools)
        for path in listing.entries:
            if path in files:
                self.loose.append(path)
            elif path not in tools:
                self.entries.setdefault(path.parts[0], []).append(path)
        self._below: dict[str, Listing] = defaultdict(Listing)
        for kind in ("folders", "closed", "tools"):
            for path in getattr(listing, kind):
                getattr(self._below[path.parts[0]], kind).append(path)

    def of(self, name: str, lesson: Lesson, known: Collection[str]) -> _Student:
        """One of them. Of the `known` ones the assignment folder exists, perhaps behind a link."""
        return _Student(name, self.entries[name], self._below[name], lesson, name in known)


def with_work(students: Students, lesson: Lesson, excluded: Collection[str], known: Collection[str]) -> list[str]:
    """The students whose work for this lesson lies there."""
    return [name for name in sorted(students.entries) if name not in excluded and is_text(name)
            and students.of(name, lesson, known).place is not None]


def in_course(students: Students, lesson: Lesson, assignments: Collection[str] = (), excluded: Collection[str] = (),
              known: Collection[str] = ()) -> Found:
    """Everything below submitted/, each entry once; `assignments` are the other ones of the course."""
    found = Found([], [_loose(path, lesson) for path in students.loose], [], list(students.tools))
    for name, entries in sorted(students.entries.items()):
        if name in excluded:
            found.others.extend(entries)
        elif not is_text(name):
            found.left.append(_unnamed(name, entries))
        else:
            _sort(students.of(name, lesson, known), assignments, found)
    return found


def _sort(student: _Student, assignments: Collection[str], found: Found) -> None:
    """Put each of this student's entries into one of the lists."""
    place = student.place
    mine: list[PurePosixPath] = []
    children: dict[PurePosixPath, list[PurePosixPath]] = {}
    for path in student.entries:
        if student.of_the_work(path):
            mine.append(path)
        else:
            children.setdefault(PurePosixPath(*path.parts[:2]), []).append(path)
    if place is not None:
        found.works.append(Work(student.name, (), str(place), paths=tuple(mine)))
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
