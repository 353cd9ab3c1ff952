"""`autograder forget`: remove what a course holds about a student."""
from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from autograder.cli.class_list import names_here
from autograder.cli.common import DONE
from autograder.cli.options import examples, handed_in
from autograder.faults import did_you_mean

if TYPE_CHECKING:
    from autograder.course.folder import Course

PATIENCE = 5.0                              # seconds to wait for another command in this course


@click.command(short_help="Remove what the course holds about a student.", epilog=examples(
    "autograder forget student-07                   # shows what there is, and asks",
    "autograder forget student-07 --yes"))
@click.argument("student", shell_complete=handed_in)
@click.option("--yes", is_flag=True, help="Do not ask.")
def forget(student: str, yes: bool) -> int:
    """Remove a student from the course in this folder: work, feedback, marks and records. This cannot be undone.

    The class reports are removed too, since they name everyone; `autograder report` makes them again. Other files that
    still hold the name (exports, logs, downloaded zips) are listed but kept: check those yourself.
    """
    from autograder.course.folder import Course
    from autograder.course.lock import only_one
    from autograder.nbgrader.removal import mentions, remove
    from autograder.output.plain import plain
    course = Course.find(Path.cwd())
    with only_one(course.root, "autograder forget", PATIENCE):
        found = _found(course, student)
        if not found:
            named = [os.path.relpath(path) for path in mentions(course, student)]
            still = f"; these files hold the name, and are kept: {', '.join(named[:5])}" if named else ""
            raise click.UsageError(f"nothing in {course.root} is about {student}{_nearest(course, student)}{still}")
        who = plain(names_here().called(student))
        click.echo("\n".join([f"of {who}:", *(f"  {line}" for line in found)]))
        _ask(yes)
        remove(course, student)
        click.echo(f"removed; `autograder report` makes the class report again, without {student}")
        left = [os.path.relpath(path) for path in mentions(course, student)]
    if left:
        click.echo("\n".join([f"still named in these files, which are kept: check them yourself ({len(left)})",
                              *(f"  {path}" for path in left)]))
    return DONE


def _found(course: Course, student: str) -> list[str]:
    """What will be removed, in words; empty if the course holds nothing about this student."""
    from autograder.course import STORE
    from autograder.course.extensions import FILE as EXTENSIONS
    from autograder.course.extensions import has_extension
    from autograder.nbgrader.removal import folders_of, grades_of, in_gradebook, reports_of
    lines = [os.path.relpath(path) for path in folders_of(course, student)]
    if in_gradebook(course, student):
        lines.append("everything in the gradebook: marks, comments, manual scores")
    if has_extension(course.root, student):
        lines.append(f"{EXTENSIONS}: an extension")
    if count := grades_of(course, student):
        lines.append(f"{os.path.relpath(course.root / STORE)}: {count} grade{'s' * (count != 1)}")
    return [*lines, *(f"{os.path.relpath(path)} (names everyone)" for path in reports_of(course))] if lines else []


def _nearest(course: Course, student: str) -> str:
    folder = course.root / course.setting("submitted_directory")
    return did_you_mean(student, os.listdir(folder) if folder.is_dir() else [])


def _ask(yes: bool) -> None:
    if yes:
        return
    if not sys.stdin.isatty():
        raise click.UsageError("cannot ask for confirmation here; use --yes to remove it")
    click.confirm("Remove all of this? It cannot be undone", abort=True, err=True)
