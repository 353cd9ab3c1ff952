"""`--lesson`: choose the lesson that a command is about."""
from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from autograder.cli.common import LESSON, course_settings, say

#: what the commands do without the option that need one lesson
THE_DEFAULT = f"the first of the course's own, else {LESSON}"

if TYPE_CHECKING:
    from autograder.course.submitted import SubmittedFolder


def _called(context: click.Context, option: click.Parameter, value: str | None) -> str | None:
    """The lesson's name, also if one of its assignments was named."""
    if value is None:
        return None
    from autograder.lessons.installed import lesson_called
    try:
        return lesson_called(value, Path.cwd())
    except ValueError as error:
        raise click.BadParameter(str(error)) from None


def _begun(context: click.Context, option: click.Parameter, begun: str) -> list[str]:
    """The lessons whose names begin with this, for shell completion."""
    from autograder.lessons.installed import lesson_names
    return [name for name in lesson_names(Path.cwd()) if name.startswith(begun)]


def lesson_option(where_unsaid: str):
    """The option; its help says what happens without it."""
    return click.option("--lesson", metavar="NAME", callback=_called, shell_complete=_begun,
                        help=f"Which lesson; or one of its assignments.  [default: {where_unsaid}]")


def lessons_to_try(name: str | None) -> list[str]:
    """The named lesson, or all of them with the default of this folder first."""
    from autograder.lessons.installed import lesson_names
    if name:
        return [name]
    _look_at_own(Path.cwd())
    return lesson_names(Path.cwd())


def chosen_lesson(name: str | None) -> str:
    """The named lesson, or the default of this folder: a course's own lesson, if it has one."""
    return name or default_lesson()


def default_lesson() -> str:
    """The first lesson that can be used in this folder."""
    return lessons_to_try(None)[0]


def _look_at_own(folder: Path) -> None:
    """Raise UsageError if this course has lessons that may not be used: another lesson would be a surprise.

    Says once in a command which folders only look like lessons.
    """
    from autograder.lessons.installed import not_lessons, untrusted
    if line := untrusted(folder):
        raise click.UsageError(line)
    said = click.get_current_context().meta.setdefault(__name__, set())
    for line in not_lessons(folder):
        if line not in said:
            say(line)
            said.add(line)


def course_and_lesson(folder: Path, name: str | None) -> tuple[SubmittedFolder, str]:
    """The course in this folder, and the lesson to grade there: the named one, or the only one that was handed in.

    Raises UsageError if several were handed in: grading only one of them silently would be a surprise.
    """
    from autograder.course.folder import Course
    from autograder.course.submitted import SubmittedFolder
    from autograder.lessons.installed import every_lesson
    course_settings(folder)
    work = SubmittedFolder(Course.find(folder))
    if name is not None:
        return work, name
    _look_at_own(work.course.root)
    there = [lesson.name for lesson in every_lesson(work.course.root) if work.students(lesson)]
    if len(there) > 1:
        raise click.UsageError(f"students handed in {' and '.join(there)}; choose one with --lesson NAME")
    return work, there[0] if there else default_lesson()
