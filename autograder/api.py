"""The Python interface for other programs: `from autograder import check, grade_course, verify`.

Results are records: frozen, comparable, and msgspec can write them as JSON. Sentences in them are templates, which
`translate(sentence, "en")` puts into words. A submission that cannot be read is a result as well, and so is whatever a
student's code does. Exceptions are about the call: ValueError if an argument, a course's folder or its settings are
wrong, and NoIsolation if the wall around students' code is not available.
"""
from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from autograder.course.folder import Course
from autograder.course.rules import rules_of
from autograder.course.submitted import SubmittedFolder
from autograder.intake import read_everything
from autograder.judge.engine import Limits
from autograder.lessons.installed import lesson_called, load_lesson, loadable, trusted_names, whole
from autograder.locale.language import translate
from autograder.records import Grade, Left
from autograder.sandbox.tiers import NoIsolation

if TYPE_CHECKING:
    from autograder.course.store import Grades
    from autograder.proof import Proof

__all__ = ["Checked", "Grade", "Limits", "NoIsolation", "check", "grade_course", "translate", "verify"]


class Checked(list[Grade]):
    """Grades, and what was not looked at for them."""

    left: tuple[Left, ...] = ()


#: called after each submission with its grade, how many are done, and how many there are
OnGrade = Callable[[Grade, int, int], None]


def check(*paths: str | Path, lesson: str | None = None, course: str | Path | None = None,
          limits: Limits | None = None, on_grade: OnGrade | None = None) -> Checked:
    """The grade of every submission in these notebooks, .py files, folders and zips; nothing is written.

    The list has `left` beside it: what was not looked at, and why.

    Without `lesson`, each submission is graded for the lesson whose functions it defines. The autograder.toml in the
    folder `course` decides points and limits; without a folder there are no settings. `limits` replace those of the
    course.
    """
    there = None if course is None else Path(course)
    rules = rules_of(there, **_fields(limits))
    names = [lesson_called(lesson, there)] if lesson is not None else trusted_names(there)
    submissions, left = read_everything(paths, [rules.lesson(name) for name in names], rules.limits.budget,
                                        partial(loadable, there))
    grades = Checked()
    grades.left = tuple(left)
    for grade in rules.graded(submissions):
        grades.append(grade)
        if on_grade is not None:
            on_grade(grade, len(grades), len(submissions))
    return grades


def grade_course(folder: str | Path, *, lesson: str | None = None, students: Sequence[str] = (), language: str = "",
                 jobs: int = 1, force: bool = False, limits: Limits | None = None, on_grade: OnGrade | None = None
                 ) -> Grades:
    """Grade the work handed in in this course, as `autograder grade` does; returns the grades in the order of the
    students, each with the final `mark`. Beside them are `left`: what was not looked at, and why, and `absent`: who of
    the class handed in nothing. Without `lesson` it is the first of the course's own, else multihead.

    Writes the gradebook, autograded/ and feedback/. Only new and changed work is run, unless `force`; `students`
    restricts it to those. `language` is the language of the feedback, "" for that of each student's notebook.
    """
    from autograder.run.class_list import class_of_course
    from autograder.run.grade_course import grade_course as grade_class
    work = SubmittedFolder(Course.find(Path(folder)))
    name = _named(lesson, work.course.root)
    there = work.students(load_lesson(name, work.course.root))
    missing = class_of_course(work.course, there).without(there)        # a roster that cannot be used is said first
    grades = grade_class(work, lesson=name, students=tuple(students), language=language, jobs=jobs, force=force,
                         limits=limits, on_grade=on_grade)
    return grades if students else grades.beside(absent=[person.student for person in missing])


def verify(lesson: str | None = None, *, course: str | Path | None = None, quick: bool = False,
           limits: Limits | None = None, progress: Callable[[str, int, int], None] | None = None) -> Proof:
    """The proof of a lesson: right solutions keep every point, and every known mistake loses some. Takes minutes.

    `course` is the folder of a course with lessons of its own, the first of which is meant if none is named. `quick`
    tries only a part. `proof.holds` says whether everything is as it should be; `progress` is told what is being
    tried, how much of it is done, and how much there is.
    """
    from autograder.proof import verify as prove
    there = None if course is None else Path(course)
    return prove(whole(load_lesson(_named(lesson, there), there)), limits, quick, progress)


def _named(lesson: str | None, course: Path | None) -> str:
    return lesson_called(lesson, course) if lesson is not None else trusted_names(course)[0]


def _fields(limits: Limits | None) -> dict[str, Any]:
    return asdict(limits) if limits is not None else {}
