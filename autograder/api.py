"""What other programs embed: `from autograder import check, grade_course, verify`.

Results are records: frozen, comparable, and msgspec can write them as JSON. Sentences in them are templates, which
`translate(sentence, "en")` puts into words. A submission that cannot be read, and whatever a student's code does, is a
result as well. Exceptions are about the call: ValueError where an argument, a course's folder or its settings are
wrong, and NoIsolation where the wall around students' code cannot be had.
"""
from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from autograder.course.rules import rules_of
from autograder.intake import read_any
from autograder.judge.engine import Limits
from autograder.lessons import DEFAULT
from autograder.lessons.installed import lesson_called, lesson_names, load_lesson
from autograder.locale.language import translate
from autograder.records import Grade
from autograder.sandbox.tiers import NoIsolation

if TYPE_CHECKING:
    from autograder.proof import Proof

__all__ = ["Grade", "Limits", "NoIsolation", "check", "grade_course", "translate", "verify"]

#: called after each submission with its grade, how many are done, and how many there are
OnGrade = Callable[[Grade, int, int], None]


def check(*paths: str | Path, lesson: str | None = None, course: str | Path | None = None,
          limits: Limits | None = None, on_grade: OnGrade | None = None) -> list[Grade]:
    """The grade of every submission in these notebooks, .py files, folders and zips; nothing is written.

    Without `lesson`, a submission is work for the lesson whose functions it defines. The autograder.toml in the folder
    `course` decides points and limits; no folder, no settings. `limits` replace those of the course.
    """
    rules = rules_of(None if course is None else Path(course), **_fields(limits))
    names = [lesson_called(lesson)] if lesson is not None else lesson_names()
    submissions = read_any(paths, [rules.lesson(name) for name in names])
    grades: list[Grade] = []
    for grade in rules.graded(submissions):
        grades.append(grade)
        if on_grade is not None:
            on_grade(grade, len(grades), len(submissions))
    return grades


def grade_course(folder: str | Path, *, lesson: str = DEFAULT, students: Sequence[str] = (), language: str = "",
                 jobs: int = 1, force: bool = False, limits: Limits | None = None, on_grade: OnGrade | None = None
                 ) -> Sequence[Grade]:
    """Grade what was handed in in this course, as `autograder grade` does; the grades in the order of the students.

    Writes the gradebook, autograded/ and feedback/. Only what is new or has changed is run, unless `force`; `students`
    are the only ones to look at. `language` is that of the feedback, "" for the one of each student's notebook.
    """
    from autograder.run.grade_course import grade_course as grade_class
    return grade_class(Path(folder), lesson=lesson_called(lesson), students=tuple(students), language=language,
                       jobs=jobs, force=force, limits=limits, on_grade=on_grade)


def verify(lesson: str = DEFAULT, *, quick: bool = False, limits: Limits | None = None,
           progress: Callable[[str, int, int], None] | None = None) -> Proof:
    """The proof of a lesson: what is right keeps every point, and every known mistake loses some. Takes minutes.

    `quick` tries only a part. `proof.holds` says whether all is as it should be; `progress` hears what is being tried,
    how much of it is done, and how much there is.
    """
    from autograder.proof import verify as prove
    return prove(load_lesson(lesson_called(lesson)), limits, quick, progress)


def _fields(limits: Limits | None) -> dict[str, Any]:
    return asdict(limits) if limits is not None else {}
