"""Grade a whole class: submitted/ -> gradebook, autograded/, feedback/, in parallel and resumable.

Submissions are judged by a pool of processes, each with a warm sandbox of its own; results come back as data, and
this process alone writes. Whatever goes wrong with one submission stays with that one.
"""
from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from concurrent.futures import ALL_COMPLETED, FIRST_COMPLETED, Executor, Future, ProcessPoolExecutor, as_completed, wait
from contextlib import ExitStack, contextmanager
from multiprocessing import get_context
from multiprocessing.util import Finalize
from pathlib import Path
from typing import TYPE_CHECKING

from autograder.changes import Change, change
from autograder.grade import Engine, Limits
from autograder.journal import Journal
from autograder.lesson import Lesson
from autograder.nbgrader.course import Course, CourseError, timestamp
from autograder.nbgrader.lock import OWN_FOLDER, only_one
from autograder.nbgrader.submitted import raw_notebook, submitted
from autograder.records import Grade, Submission
from autograder.settings import read_settings
from autograder.version import checks_version

if TYPE_CHECKING:
    from autograder.nbgrader.gradebook import Entry

#: called after each submission with its grade, how many are done, and how many there are
OnGrade = Callable[[Grade, int, int], None]
PATIENCE = 5.0                                  # seconds that another command in this course is waited for
BATCH = 50                                      # submissions in one transaction of the gradebook


def grade_course(course_folder: Path, *, lesson: str = "multihead", limits: Limits | None = None, jobs: int = 1,
                 students: tuple[str, ...] = (), force: bool = False, language: str = "nl",
                 on_grade: OnGrade | None = None) -> list[Grade]:
    """Grade what the students of a course folder handed in; the grades come in the order of the students.

    Raises CourseError where the folder is no course or the gradebook cannot be written.
    """
    limits, course = limits or Limits(), Course.find(course_folder)
    loaded = read_settings(course.root).lesson(lesson)
    submissions = handed_in(course, loaded, students)
    with ExitStack() as stack:
        stack.enter_context(only_one(course.root, "autograder grade", PATIENCE))
        engines = stack.enter_context(pool(course.root, lesson, limits, max(1, min(jobs, len(submissions)))))
        isolation = engines.submit(_isolation).result()
        journal = stack.enter_context(Journal(course.root / OWN_FOLDER / "journal.jsonl",
                                              checks_version(loaded, limits.unusual), isolation))
        write = stack.enter_context(_Writers(course, loaded, language))
        grades = {}
        for submission, grade, fresh in judged(submissions, engines, journal, force):
            if fresh:
                journal.add(grade)
            write(submission, grade)
            grades[submission.student] = grade
            if on_grade is not None:
                on_grade(grade, len(grades), len(submissions))
    return [grades[submission.student] for submission in submissions]


def changes_of_course(course_folder: Path, *, lesson: str = "multihead", limits: Limits | None = None, jobs: int = 1,
                      students: tuple[str, ...] = (), force: bool = False, on_grade: OnGrade | None = None,
                      ) -> list[Change]:
    """What `grade_course` would change, student by student; nothing at all is written."""
    limits, course = limits or Limits(), Course.find(course_folder)
    loaded = read_settings(course.root).lesson(lesson)
    submissions = handed_in(course, loaded, students)
    with pool(course.root, lesson, limits, max(1, min(jobs, len(submissions)))) as engines:
        journal = Journal.reading(course.root / OWN_FOLDER / "journal.jsonl", checks_version(loaded, limits.unusual),
                                  engines.submit(_isolation).result())
        found = {}
        for submission, grade, _ in judged(submissions, engines, journal, force):
            found[submission.student] = change(journal.last(submission.student), grade)
            if on_grade is not None:
                on_grade(grade, len(found), len(submissions))
    return [found[submission.student] for submission in submissions]


# --- what was handed in -------------------------------------------------------------------------------------------

def handed_in(course: Course, lesson: Lesson, students: tuple[str, ...] = ()) -> list[Submission]:
    """One submission for each student of the class, or for those that were named; CourseError where one is absent."""
    folders = dict(course.submissions(lesson.name))
    absent = [student for student in students if student not in folders]
    if absent:
        raise CourseError(f"{', '.join(absent)} handed in nothing for {lesson.name}: there is no folder "
                          f"{course.path('submitted', absent[0], lesson.name)}")
    if not folders:
        raise CourseError(f"nobody handed in {lesson.name}: there is no folder "
                          f"{course.path('submitted', '<student>', lesson.name)}")
    chosen = students or tuple(folders)
    return [submitted(course, lesson, student) for student in sorted(set(chosen))]


# --- judging, in parallel -----------------------------------------------------------------------------------------

_engine: Engine | None = None                   # of this worker process


@contextmanager
def pool(course: Path, lesson: str, limits: Limits, jobs: int) -> Iterator[Executor]:
    """Processes that each keep an engine warm. They are started afresh: forking this one could copy held locks."""
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn"), initializer=_start,
                             initargs=(course, lesson, limits)) as executor:
        try:
            yield executor
        except BaseException:
            executor.shutdown(wait=True, cancel_futures=True)
            raise


def _start(course: Path, lesson: str, limits: Limits) -> None:
    global _engine
    signal.signal(signal.SIGINT, signal.SIG_IGN)        # Ctrl-C stops the run; the pool is ended from there
    _engine = Engine(read_settings(course).lesson(lesson), limits).__enter__()
    finalizer = Finalize(None, _engine.__exit__, args=(None, None, None), exitpriority=10)
    assert finalizer.still_active()


def _isolation() -> str:
    return _engine.isolation


def _grade(submission: Submission) -> Grade:
    return _engine.grade(submission)


def judged(submissions: list[Submission], engines: Executor, journal: Journal, force: bool,
           ahead: int = 32) -> Iterator[tuple[Submission, Grade, bool]]:
    """Each submission with its grade, as they become ready, and whether it was judged now (or taken over).

    Only so many are under way at a time, so that memory stays flat.
    """
    waiting = iter(submissions)
    under_way: dict[Future[Grade], Submission] = {}
    for submission in waiting:
        known = None if force else journal.find(submission)
        if known is not None:
            yield submission, known, False
            continue
        under_way[engines.submit(_grade, submission)] = submission
        if len(under_way) >= ahead:
            yield from _ready(under_way, FIRST_COMPLETED)
    yield from _ready(under_way, ALL_COMPLETED)


def _ready(under_way: dict[Future[Grade], Submission], until: str) -> Iterator[tuple[Submission, Grade, bool]]:
    if until == ALL_COMPLETED:
        for future in as_completed(list(under_way)):
            yield under_way.pop(future), future.result(), True
        return
    for future in wait(under_way, return_when=until).done:
        yield under_way.pop(future), future.result(), True


# --- writing ------------------------------------------------------------------------------------------------------

class _Writers:
    """Writes one graded submission after another: autograded/, feedback/ and, in batches, the gradebook.

    nbgrader takes seconds to import, so it is opened when the first grade is there, while others are being judged.
    """

    def __init__(self, course: Course, lesson: Lesson, language: str):
        self._course, self._lesson, self._language = course, lesson, language
        self._batch: list[Entry] = []
        self._stack = ExitStack()

    def __enter__(self) -> _Writers:
        return self

    def __exit__(self, kind: type[BaseException] | None, *exception: object) -> None:
        with self._stack:
            if self._batch and (kind is None or issubclass(kind, KeyboardInterrupt)):
                self._write_batch()

    def __call__(self, submission: Submission, grade: Grade) -> None:
        from autograder.nbgrader.autograded import replace_file
        from autograder.nbgrader.gradebook import Entry
        from autograder.output.feedback import feedback_page
        self._open()
        student, assignment = submission.student, self._lesson.name
        folder = self._course.path("submitted", student, assignment)
        unanswered = self._autograded.write(submission, grade, raw_notebook(self._course, submission))
        page = self._course.path("feedback", student, assignment).with_suffix(".html")
        replace_file(page, feedback_page(grade, self._language).encode(), 0o644)
        self._batch.append(Entry(grade, timestamp(folder), unanswered))
        if len(self._batch) >= BATCH:
            self._write_batch()

    def _open(self) -> None:
        if not hasattr(self, "_gradebook"):
            from autograder.nbgrader.autograded import AutogradedWriter
            from autograder.nbgrader.gradebook import GradebookWriter
            self._gradebook = self._stack.enter_context(GradebookWriter(
                self._course, self._lesson, language=self._language))
            self._autograded = AutogradedWriter(self._course, self._lesson, self._gradebook.source, self._language)

    def _write_batch(self) -> None:
        batch, self._batch = self._batch, []
        self._gradebook.write(batch)
