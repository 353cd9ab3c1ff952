"""Grade a whole class: submitted/ -> gradebook, autograded/, feedback/, in parallel and resumable.

Submissions are read one by one, judged by worker processes here or on a cluster, and written by this process alone.
Only a few of them are in memory at any moment. A failure stays with its own submission.
"""

from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, closing, contextmanager
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, cast

from autograder.course.folder import Course, CourseError
from autograder.course.handed_in import handed_in
from autograder.course.lock import only_one
from autograder.course.rules import rules_of
from autograder.course.settings import SettingsThere
from autograder.course.store import Grades, Store
from autograder.course.submitted import SubmittedFolder, read_ahead, submitted
from autograder.faults import FULL, Stopped, did_you_mean, ends_the_run, reason
from autograder.judge.engine import Limits
from autograder.judge.rehearsal import rehearse
from autograder.lessons import DEFAULT
from autograder.lessons.installed import to_carry
from autograder.lessons.kit.lesson import Lesson
from autograder.nbgrader.gradebook_errors import GradebookError
from autograder.nbgrader.marks import due_date, final_marks
from autograder.nbgrader.writers import Writers
from autograder.records import Grade, Left, Submission
from autograder.run.dispatch import Dispatcher, Judged
from autograder.run.job import Task
from autograder.run.local_pool import LocalPool, Pool
from autograder.stages import from_worker, stage

#: called after each submission with its grade, how many are done, and how many there are
OnGrade = Callable[[Grade, int, int], None]
#: called with the name of an event, and its facts
OnEvent = Callable[..., None]
#: a course's folder, the course in it, or what was handed in there, if somebody looked already
Where = Path | Course | SubmittedFolder
PATIENCE = 5.0                                  # seconds to wait for another command in this course


@dataclass(frozen=True)
class Class:
    """The class to grade, and how. `folders`: where the work of each student lies."""

    course: Course
    task: Task
    lesson: Lesson
    folders: Mapping[str, Path]
    left: tuple[Left, ...]
    pool: AbstractContextManager[Pool]
    force: bool
    profile: bool
    event: OnEvent

    @cached_property
    def students(self) -> tuple[str, ...]:
        return tuple(self.folders)

    @cached_property
    def _lateness_matters(self) -> bool:
        """Whether late work loses points here."""
        return self.task.settings.late.rule != "none" and due_date(self.course, self.lesson.name) is not None

    def submissions(self, students: Iterable[str]) -> Generator[Submission, None, None]:
        """One submission for each of these students, read a little before it is needed."""
        folders = {student: self.folders[student] for student in students}
        with closing(read_ahead(self.course, self.lesson, folders, self.task.limits.budget)) as found:
            for student in folders:
                with stage("read"):
                    submission = self._submitted(student, next(found))
                yield submission

    def _submitted(self, student: str, read: Submission | Exception) -> Submission:
        matters, folder = self._lateness_matters, self.folders[student]
        try:
            if isinstance(read, Exception):
                raise read
            return submitted(self.course, self.lesson, student, folder=folder, matters=matters, read=read)
        except Exception as error:
            if ends_the_run(error):
                raise
            return Submission(f"{student}/{self.lesson.name}", student, self.lesson.name, fault=reason(error),
                              handed_in=handed_in(folder, matters))

    def judged(self, students: Iterable[str], pool: Pool, store: Store,
               meanwhile: Callable[[], None] = lambda: None, language: str | None = None) -> Iterator[Judged]:
        """The submissions of these students with their grades, as they become ready."""
        dispatcher = Dispatcher(pool, self.task, store, self.force, self.profile,
                                lambda words: self.event("worker lost", message=words), meanwhile, language)
        with closing(self.submissions(students)) as submissions:
            yield from dispatcher.judged(submissions)

    def graded_by(self, pool: Pool) -> tuple[Path, str, str, str]:
        """What the store must know to tell which grades can be reused here."""
        return self.course.root, self.lesson.name, pool.about.checks, pool.about.isolation


def grade_course(course: Where, *, language: str = "nl", on_grade: OnGrade | None = None,
                 **choices: Any) -> Grades:
    """Grade what the students of a course handed in; returns the grades in the order of the students, with their marks.

    The choices are those of `the_class`. Raises CourseError if the folder is not a course or the gradebook cannot be
    used, Stopped if the workers are gone or the disk is full.
    """
    whole, done = the_class(course, **choices), 0
    with ExitStack() as stack:
        stack.enter_context(_in_words(whole.course))
        stack.enter_context(only_one(whole.course.root, "autograder grade", PATIENCE))
        pool = stack.enter_context(whole.pool)
        store = stack.enter_context(Store(*whole.graded_by(pool)))
        whole.event("started", submissions=len(whole.students))
        _tell_of(whole.left, whole.event)
        with Writers(whole.course, whole.lesson, language, store) as write:
            for judged in _graded(whole, pool, store, write):
                done += 1
                from_worker(judged.stages)
                whole.event("graded", judged=judged)
                if on_grade is not None:
                    on_grade(judged.grade, done, len(whole.students))
        whole.event("finished", submissions=done)
        marks = final_marks(whole.course, whole.lesson, lambda words: whole.event("no marks", message=words))
        return store.grades(whole.students).beside(whole.left, marks=marks)


def _graded(whole: Class, pool: Pool, store: Store, write: Writers) -> Iterator[Judged]:
    """The class with its grades, each of which is in the store and written, or soon will be.

    If nothing was handed in since the last run and everything that it wrote is still there, nothing is read or written.
    """
    changed = []
    for student in whole.students:
        with stage("look"):
            grade = write.unchanged(student, whole.folders[student])
        if grade is not None and not whole.force:
            yield Judged(Submission(grade.submission, student, grade.lesson, key=grade.key), grade, "known")
        else:
            changed.append(student)
    for judged in whole.judged(changed, pool, store, write.prepare, write.language):
        write(judged.submission, judged.grade, judged.shown)
        yield judged


def _tell_of(left: Iterable[Left], event: OnEvent) -> None:
    for each in left:
        event("not looked at", left=each)


def changes_of_course(course: Where, *, on_grade: OnGrade | None = None,
                      **choices: Any) -> list[tuple[Grade | None, Grade | None]]:
    """Each student's last grade, and the one that `grade_course` would give; nothing is written.

    For a whole class, students who had a grade but have no submission any more come last.
    """
    whole, found = the_class(course, **choices), {}
    _tell_of(whole.left, whole.event)
    with whole.pool as pool, Store.reading(*whole.graded_by(pool)) as store:
        for judged in whole.judged(whole.students, pool, store):
            last = store.last(judged.grade.student)
            found[judged.grade.student] = last.grade if last is not None else None, judged.grade
            if on_grade is not None:
                on_grade(judged.grade, len(found), len(whole.students))
        gone = sorted(store.students() - found.keys()) if not choices.get("students") else []
        absent = [(last.grade, None) for last in map(store.last, gone) if last and last.grade]
    return [*(found[student] for student in whole.students), *absent]


def the_class(course: Where, *, lesson: str = DEFAULT, limits: Limits | None = None, jobs: int = 1,
              cluster: str | None = None, students: tuple[str, ...] = (), force: bool = False, profile: bool = False,
              on_event: OnEvent = lambda event, **facts: None) -> Class:
    """The students of this course, or of the one in this folder, or the named ones; CourseError if there are none.

    `jobs` processes judge them, or the workers of the `cluster` at this address. `force`: regrade what was judged
    before.
    """
    work = course if isinstance(course, SubmittedFolder) else SubmittedFolder(
        Course.find(course) if isinstance(course, Path) else course)
    course = work.course
    rules = rules_of(course.root, **asdict(limits) if limits is not None else {})
    loaded = rules.lesson(lesson)
    if not loaded.home.ours:                    # what is wrong with one's own is said once, and not by each worker
        rehearse(loaded)
    task = Task(lesson, cast(SettingsThere, rules.settings), rules.limits, {} if cluster is None else to_carry(loaded))
    found = work.of(loaded)
    folders = {each.student: work.folder_of(each) for each in found.works}
    chosen = {student: folders[student] for student in _chosen(course, loaded, list(folders), students)}
    if cluster is None:
        pool = LocalPool(task, jobs, len(chosen))
    else:
        from autograder.run.dask_pool import ClusterPool
        pool = ClusterPool(task, cluster, lambda words: on_event("cluster", message=words))
    return Class(course, task, loaded, chosen, tuple(found.left), pool, force, profile, on_event)


def _chosen(course: Course, lesson: Lesson, folders: list[str], students: tuple[str, ...]) -> tuple[str, ...]:
    """The students of the class, or the named ones, in order; CourseError if one is absent."""
    absent = [student for student in students if student not in folders]
    if absent:
        raise CourseError(f"{', '.join(absent)} handed in nothing for {lesson.name}: there is no folder "
                          f"{course.path('submitted', absent[0], lesson.name)}{did_you_mean(absent[0], folders)}")
    if not folders:
        raise CourseError(f"nobody handed in {lesson.name}: there is no folder "
                          f"{course.path('submitted', '<student>', lesson.name)}")
    return tuple(sorted(set(students or folders)))


@contextmanager
def _in_words(course: Course) -> Iterator[None]:
    """Report a full disk in one line. What was finished is in the store, and the next run writes it."""
    try:
        yield
    except OSError as error:
        if error.errno not in FULL:
            raise
        raise _no_room(course, error.strerror or str(error)) from error
    except GradebookError as error:
        if not error.no_room:
            raise
        raise _no_room(course, str(error)) from error


def _no_room(course: Course, why: str) -> Stopped:
    return Stopped(f"cannot write in {course.root}: {why}; what was graded so far is kept, so make room and run it "
                   "again to continue")
