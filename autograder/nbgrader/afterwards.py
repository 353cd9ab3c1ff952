"""Decide whether pages may show other right ways to write an exercise: once nobody can hand in any more."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

from autograder.course.extensions import DueDates
from autograder.course.folder import Course
from autograder.course.settings import read_settings
from autograder.lessons.kit.lesson import Lesson
from autograder.nbgrader.database import NoGradebook
from autograder.nbgrader.gradebook_errors import GradebookError
from autograder.nbgrader.marks import dates_in_gradebook
from autograder.records import OtherWay


def other_ways(course: Course, lesson: str) -> Mapping[str, Sequence[OtherWay]]:
    """exercise -> what pages show of it; nothing unless the course's moment and every due date are past."""
    settings = read_settings(course.root)
    since, now = settings.other_ways(lesson), datetime.now(UTC).replace(tzinfo=None)
    if since is None or since > now:
        return {}
    known = settings.lesson(lesson)
    try:
        past = all(due <= now for assignment in _assignments(known) for due in _due_dates(course, assignment))
    except (GradebookError, OverflowError):     # until when is not known
        past = False
    return known.other_ways if past else {}


def _assignments(lesson: Lesson) -> list[str]:
    """The assignments by which the editions of a lesson can be handed in."""
    return list(dict.fromkeys([lesson.name, *(Path(edition).parent.name for edition in lesson.editions.values())]))


def _due_dates(course: Course, assignment: str) -> Iterator[datetime]:
    """When this assignment is due, for all and for everybody who has more time by the course's list or nbgrader."""
    dates = DueDates(course.root, assignment)
    yield from dates.listed
    try:
        due, extensions = dates_in_gradebook(course, assignment)
    except NoGradebook:
        return
    if due is not None:
        yield due
        yield from (until for student, extension in extensions if (until := dates.of(student, due, extension)))
