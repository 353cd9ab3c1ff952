"""Read what a student handed in from nbgrader's folders: one submission among whatever else is there."""

import os
from collections.abc import Generator, Mapping
from contextlib import suppress
from functools import cached_property, partial
from pathlib import Path, PurePosixPath

from msgspec.structs import replace

from autograder.course.folder import Course
from autograder.course.handed_in import handed_in
from autograder.intake.apart import SECONDS
from autograder.intake.course_layout import Students, in_course, place_of_work, with_work
from autograder.intake.encoding import Unreadable
from autograder.intake.files import File, Listing, folder_listing, passed_by
from autograder.intake.in_turn import in_turn
from autograder.intake.layout import Found, Work
from autograder.intake.names import listed
from autograder.intake.nothing import a_link
from autograder.intake.reading import in_folder, read_apart
from autograder.intake.recognise import of_another
from autograder.lessons.installed import assignments_of, every_lesson, lesson_names, load_lesson, loadable
from autograder.lessons.kit.lesson import Lesson
from autograder.records import Submission, Text, text


class SubmittedFolder:
    """What lies in a course's folder submitted/, which is walked once, for whatever lessons."""

    def __init__(self, course: Course):
        self.course = course

        self._found: dict[Lesson, Found] = {}

    @cached_property
    def _students(self) -> Students | None:
        top = _top(self.course)
        return Students(_listing(top)) if top is not None and top.is_dir() else None

    def of(self, lesson: Lesson) -> Found:
        """Everything, each entry in one list: the students' work for this lesson, what is not looked at, and the rest.

        A course with a structure of its own has only the folders that nbgrader finds.
        """
        if lesson not in self._found:
            self._found[lesson] = self._of(lesson)
        return self._found[lesson]

    def _of(self, lesson: Lesson) -> Found:
        course, known = self.course, dict(self.course.submissions(lesson.name))
        if self._students is None:
            return Found([Work(student, (), str(folder)) for student, folder in known.items()], [], [], [])
        ours = {name for each in every_lesson(course.root) for name in assignments_of(each)}
        others = (course.assignments | ours) - {*assignments_of(lesson)}
        return in_course(self._students, lesson, others, course.excluded, known)

    def students(self, lesson: Lesson) -> list[str]:
        """Everyone whose work for this lesson lies there."""
        if self._students is None or lesson in self._found:
            return [work.student for work in self.of(lesson).works]
        return with_work(self._students, lesson, self.course.excluded, dict(self.course.submissions(lesson.name)))

    def folder_of(self, work: Work) -> Path:
        """Where this work lies."""
        return self.course.root / self.course.setting("submitted_directory") / work.folder


def _top(course: Course) -> Path | None:
    """The folder submitted/, if students' folders are directly in it and hold one for each assignment."""
    if Path(course.setting("directory_structure")) != Path("{nbgrader_step}", "{student_id}", "{assignment_id}"):
        return None
    return course.root / course.setting("submitted_directory")


def _listing(top: Path) -> Listing:
    """Everything below submitted/. Of a folder with too much in it the first two levels."""
    whole, real = Listing(), os.path.realpath(top)
    for name in sorted(os.listdir(top)):
        if passed_by(name, os.path.isdir(top / name)):
            whole.tools.append(PurePosixPath(name))
        elif os.path.islink(top / name):
            whole.closed.append(PurePosixPath(name))
        elif os.path.isdir(top / name):
            _add(whole, name, top, real)
        else:
            whole.files.append(File(PurePosixPath(name), str(top / name), 0.0, bytes))
    return whole


def _add(whole: Listing, name: str, top: Path, real: str) -> None:
    whole.folders.append(PurePosixPath(name))
    listing = Listing()
    for depth in (0, 2, 1):
        with suppress(Unreadable):
            listing = folder_listing(str(top / name), depth, name, os.path.join(real, name))
            break
    for kind in ("files", "folders", "closed", "tools"):
        getattr(whole, kind).extend(getattr(listing, kind))


def work_folder(course: Course, student: str, assignment: str) -> Path:
    """The folder with what this student handed in for an assignment, which may be called otherwise than expected."""
    own, top = course.path("submitted", student, assignment), _top(course)
    if top is None or assignment not in lesson_names(course.root) or _holds_a_file(own) or not (top / student).is_dir():
        return own
    listing = Listing()
    if not (top / student).is_symlink():
        _add(listing, student, top, os.path.realpath(top))
    place = place_of_work(student, listing, load_lesson(assignment, course.root), own.is_dir())
    return own if place is None else top / place


def _holds_a_file(folder: Path) -> bool:
    """Whether it is a folder with a file directly in it, as nearly all are: then there is nothing to look for."""
    try:
        with os.scandir(folder) as entries:
            return not folder.is_symlink() and any(
                entry.is_file(follow_symlinks=False) and not passed_by(entry.name) for entry in entries)
    except OSError:
        return False


def read_ahead(course: Course, lesson: Lesson, folders: Mapping[str, Path], seconds: float = SECONDS
               ) -> Generator[Submission | Exception, None, None]:
    """What lies in these folders of these students, in their order, read by one process before it is asked for.

    Each is for `submitted`, or an error of our own. `seconds` are those of the budget of each.
    """
    return in_turn([(student, partial(_read, course, lesson, student, lesson.name, folder))
                    for student, folder in folders.items()], lesson, seconds)


def _read(course: Course, lesson: Lesson, student: str, assignment: str, folder: Path) -> Submission:
    link = _link(course, folder)
    if link is not None:
        return Submission("", student, lesson.name, unreadable=a_link(link.name))
    return in_folder(folder, student, lesson, folder != course.path("submitted", student, assignment).parent)


def submitted(course: Course, lesson: Lesson, student: str, assignment: str = "", *, folder: Path | None = None,
              matters: bool = False, seconds: float = SECONDS, read: Submission | None = None) -> Submission:
    """The submission in this student's folder, under its path below submitted/; it says so if none can be read.

    `folder` is where the work lies, if somebody looked already, and `read` what they read there; `matters`: whether
    late work loses something; `seconds` are those of its budget.
    """
    assignment = assignment or lesson.name
    folder, own = folder or work_folder(course, student, assignment), course.path("submitted", student, assignment)
    top = own.parent.parent
    submission = read or read_apart(partial(_read, course, lesson, student, assignment, folder), "", student, lesson,
                                    seconds)
    if folder != own:
        submission = replace(submission, notices=(*submission.notices, _found_in(
            folder.relative_to(top), own.relative_to(top), submission.unreadable is None)))
    if submission.unreadable is None:
        submission = of_another(submission, lesson, partial(loadable, course.root))
        submission = _unless_shared(course, submission, student, folder, assignment)
    if is_markup(student):
        submission = replace(submission, cells=(), unreadable=text(
            "The folder's name holds < or >, and the formgrader would show that as part of its page: call the folder "
            "as the student is called."))
    below = "" if folder == own.parent else f"{folder.name}/"
    return replace(submission, name=f"{student}/{below}{submission.name}".rstrip("/"), student=student,
                   handed_in=handed_in(folder, matters))


def _found_in(place: Path, own: Path, graded: bool) -> Text:
    there, expected = listed([f"{place}/"]), listed([f"{own}/"])
    if not graded:
        return text("It was found in {place} instead of {own}.", place=there, own=expected)
    return text("The work was found in {place} instead of {own}; it was graded all the same.", place=there,
                own=expected)


def _link(course: Course, folder: Path) -> Path | None:
    """The first folder from submitted/ down to the student's work that is a link."""
    top = course.root / course.setting("submitted_directory")
    below = [each for each in (folder, *folder.parents) if each != top and each.is_relative_to(top)]
    return next((each for each in reversed(below or [folder]) if each.is_symlink()), None)


def _unless_shared(course: Course, submission: Submission, student: str, folder: Path, assignment: str) -> Submission:
    """The submission, unless its file is another student's, hard-linked into this folder later."""
    path = folder / submission.name
    try:
        state = path.stat(follow_symlinks=False)
        if state.st_nlink < 2:
            return submission
        others = [other for other, place in course.submissions(assignment) if other != student
                  and _holds(place, state) and place.stat().st_ctime_ns <= path.parent.stat().st_ctime_ns]
    except OSError:                         # the file is in an archive
        return submission
    return submission if not others else Submission(submission.name, student, submission.lesson, unreadable=text(
        "The file {name} is one and the same as that of {other} (a hard link). Put the student's own file there.",
        name=submission.name, other=others[0]))


def _holds(folder: Path, state: os.stat_result) -> bool:
    """Whether the file with this state is in the folder."""
    return any(os.path.samestat(os.stat(os.path.join(where, name), follow_symlinks=False), state)
               for where, _, names in os.walk(folder) for name in names)


def is_markup(student: str) -> bool:
    """Whether a folder's name could be read as HTML: nbgrader's formgrader inserts it into its pages unescaped."""
    return "<" in student or ">" in student


