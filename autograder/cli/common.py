"""Share among commands: the course's settings, writing the grades, choosing the exit code."""
from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from autograder.lessons import DEFAULT

if TYPE_CHECKING:
    from autograder.course.folder import Course
    from autograder.course.settings import Settings
    from autograder.lessons.kit.lesson import Lesson
    from autograder.output.answers import Answers
    from autograder.records import Grade, Left

LESSON = DEFAULT
DONE, NOT_ALL_GRADED, WRONG_USAGE, BROKEN, INTERRUPTED, NO_READER = 0, 1, 2, 3, 130, 141


def say(sentence: str) -> None:
    """A sentence for whoever runs the command, beside its output."""
    click.echo(f"autograder: {sentence}", err=True)


def course_settings(folder: Path | None = None) -> Settings:
    """The settings of autograder.toml in this folder, by default the current one."""
    from autograder.course.settings import read_settings
    return read_settings(folder or Path.cwd())


def course_here() -> Course | None:
    """The course in the current folder, if it is one."""
    from autograder.course.folder import Course, CourseError
    try:
        return Course.find(Path.cwd())
    except CourseError:
        return None


def course_lesson(folder: Path | None = None, name: str = LESSON) -> Lesson:
    """The lesson with the points that the course in this folder gives it."""
    return course_settings(folder).lesson(name)


@contextmanager
def answers(target: str | None, language: str, each: bool) -> Iterator[Answers]:
    from autograder.output.answers import answers as answering
    with answering(target, language, each) as answer:
        yield answer


@contextmanager
def writing(what: object) -> Iterator[None]:
    """Say in one line that this cannot be written."""
    try:
        yield
    except OSError as error:
        raise click.UsageError(f"cannot write {what}: {error.strerror or error}") from None


def exit_code(grades: Iterable[Grade], left: Iterable[Left] = ()) -> int:
    """3 if the autograder failed anywhere, else 1 if a submission could not be graded, or may not have been, else 0."""
    statuses = {"broken" if _has_broken(each) else each.status for each in grades}
    if "broken" in statuses:
        return BROKEN
    return NOT_ALL_GRADED if "unreadable" in statuses or any(each.asks for each in left) else DONE


def _has_broken(grade: Grade) -> bool:
    """Whether one of its checks failed through our own fault; no check was tried on an unreadable submission."""
    return grade.status != "unreadable" and any(
        verdict.verdict == "broken" for exercise in grade.exercises for verdict in exercise.verdicts)
