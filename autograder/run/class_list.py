"""Know the class of a course: from the roster that autograder.toml names, and from nbgrader's gradebook."""

from collections.abc import Collection

from autograder.course.folder import Course
from autograder.course.settings import read_settings
from autograder.nbgrader.students import gradebook_students
from autograder.output.class_list import ClassList
from autograder.output.exports.roster import read_class


def class_of_course(course: Course, graded: Collection[str] = ()) -> ClassList:
    """Everyone in it. ValueError, in one line, if the roster cannot be used.

    The roster's names go before those of the gradebook. Where there is a roster, only it says whose work is expected.
    """
    known = gradebook_students(course)
    people, notes = dict(known), ()
    if roster := read_settings(course.root).roster:
        listed, notes = read_class(course.root / roster, {*known, *graded})
        people = {student: person._replace(expected=False) for student, person in known.items()}
        for student, person in listed.items():
            other = known.get(student, person)
            people[student] = person._replace(name=person.name or other.name, email=person.email or other.email)
    return ClassList({student: person for student, person in people.items() if student not in course.excluded},
                     tuple(notes))
