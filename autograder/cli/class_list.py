"""Know the class: from the roster that autograder.toml names, and from nbgrader's gradebook."""
from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from autograder.cli.common import course_here, course_lesson
from autograder.faults import Refused

if TYPE_CHECKING:
    from autograder.cli.final_marks import Export
    from autograder.course.folder import Course
    from autograder.output.class_list import ClassList, Person
    from autograder.records import Grade

section_option = click.option("--section", metavar="NAME", default="",
                              help="Only the students whom the roster has in this section.")


def class_list(course: Course | None, section: str = "", graded: Collection[str] = ()) -> ClassList:
    """The class of a course, or one section of it. Refused if the roster cannot be used."""
    from autograder.output.class_list import ClassList
    if course is None:
        if section:
            raise click.UsageError("--section needs a course's folder whose autograder.toml names a roster")
        return ClassList()
    from autograder.run.class_list import class_of_course
    found = class_of_course(course, graded)
    return found.section(section) if section else found


def names_here() -> ClassList:
    """What students are called in the course in this folder, for those who read about their work; nobody is expected.

    A roster that cannot be used is left out: nothing depends on it.
    """
    from autograder.output.class_list import ClassList
    try:
        people = class_list(course_here()).people
    except Refused:
        people = {}
    return ClassList({student: person._replace(expected=False) for student, person in people.items()})


def class_of(file: Path | None, section: str, grades: Iterable[Grade]) -> ClassList:
    """The class of the course in this folder, also for a file of its grades."""
    return class_list(course_here() if file is None or section else None, section, {grade.student for grade in grades})


def absent_from(people: ClassList, found: Export) -> list[Person]:
    """Who of the class has neither a grade nor work in submitted/."""
    from autograder.course.submitted import SubmittedFolder
    course = course_here()
    there = SubmittedFolder(course).students(course_lesson(course.root, found.lesson)) if course is not None else []
    return people.without({*(grade.student for grade in found.grades), *(found.marks or ()), *there})


def nothing_from(people: ClassList, absent: Sequence[Person]) -> list[str]:
    """The note about them."""
    from autograder.output.exports.roster import named
    from autograder.output.plain import plain
    who = plain(named([people.called(person.student) for person in absent]))
    return [f"{len(absent)} of the class handed in nothing: {who}"] if absent else []
