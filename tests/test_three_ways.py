"""`autograder grade`, `nbgrader autograde` with the engine, and stock nbgrader give one class the same points.

The class is honest: right, wrong and half-finished work, made out of the catalogue. THREE_WAYS=40 makes it larger.
"""
import os
import random
import shutil
from pathlib import Path

import pytest
from courses import LESSON, as_stock, hand_in, rows, run_nbgrader
from nbgrader.converters import Autograde
from test_gradebook import COMMENTS, GRADES, STUDENTS, SUBMISSIONS, SUBMITTED

from autograder.authoring.demo.cast import Cast
from autograder.authoring.demo.notebooks import Assignment
from autograder.course.folder import Course
from autograder.nbgrader import kernel
from autograder.nbgrader.gradebook import NO_RESPONSE
from autograder.run.grade_course import grade_course

pytestmark = pytest.mark.integration

SIZE = int(os.environ.get("THREE_WAYS", "5"))
ROLES = ("right", "one_mistake", "two_mistakes", "half_finished", "untouched", "one_mistake")


@pytest.fixture(scope="session")
def three(computed_once, generated) -> list[Course]:
    """The same class in three course folders, each graded in its own way."""
    return computed_once("three", lambda root: three_times(root, generated))


def three_times(root: Path, generated: Course) -> list[Course]:
    course = Course.find(shutil.copytree(generated.root, root / "grade"))
    cast = Cast(Assignment.of(LESSON), random.Random(5))
    for number in range(SIZE):
        work = getattr(cast, f"_{ROLES[number % len(ROLES)]}")()
        hand_in(course, f"student-{number + 1:02}", next(iter(work.values())), "2025-03-04 05:06:07 UTC")
    for name in ("hook", "stock"):
        shutil.copytree(course.root, root / name)
    hook, stock = Course.find(root / "hook"), as_stock(Course.find(root / "stock"))
    grade_course(course.root)
    run_nbgrader(Autograde, hook)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", os.path.dirname(os.path.dirname(os.path.dirname(kernel.__file__))))
        run_nbgrader(Autograde, stock)
    return [course, hook, stock]


@pytest.mark.parametrize("query", [GRADES, SUBMITTED, SUBMISSIONS, STUDENTS],
                         ids=["grades", "notebooks", "submissions", "students"])
def test_the_gradebooks_hold_the_same_rows(three, query):
    ours, hook, stock = (rows(course.root / "gradebook.db", query) for course in three)
    assert ours != []
    assert hook == ours
    assert stock == ours


def test_the_class_has_full_partial_and_no_points(three):
    found = {}
    for student, _, score, *_ in rows(three[0].root / "gradebook.db", GRADES):
        found[student] = found.get(student, 0) + score
    assert {0.0, 20.0} < set(found.values())
    assert any(not float(points).is_integer() for points in found.values())


def test_the_same_solutions_are_said_to_be_unanswered(three):
    ours, hook, stock = ({row[:3] for row in rows(course.root / "gradebook.db", COMMENTS) if row[2] == NO_RESPONSE}
                         for course in three)
    assert ours == hook == stock != set()
