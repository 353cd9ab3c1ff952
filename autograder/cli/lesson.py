"""The commands about the lesson itself: `autograder release` and `verify`."""

import errno
import os
import sys
from pathlib import Path
from typing import Any

import click

from autograder.cli.common import BROKEN, DONE, LESSON
from autograder.cli.lessons import default_lesson, lesson_option, lessons_to_try
from autograder.cli.options import common, examples

FORBIDDEN = (errno.EACCES, errno.EPERM, errno.EROFS)       # ours to read only


@click.command(short_help="Make release/ out of assignments/.", epilog=examples(
    "autograder release                             # in the folder with nbgrader_config.py"))
@lesson_option("all in assignments/")
def release(lesson: str | None) -> int:
    """Make release/ out of assignments/, and prove that nothing leaked."""
    from autograder.authoring.release import release as make_release
    from autograder.lessons.installed import assignments_of, load_lesson
    there = {name: each for each in lessons_to_try(lesson) for name in assignments_of(load_lesson(each, Path.cwd()))}
    chosen = [name for name in there if Path("assignments", name).is_dir()] or [*there][:1]
    for each in dict.fromkeys(there[name] for name in chosen):
        _finished(each)
    for name in chosen:
        try:
            made = make_release(Path.cwd(), name)
        except (FileNotFoundError, ValueError) as error:
            raise click.UsageError(str(error)) from None
        except OSError as error:
            if error.errno not in FORBIDDEN:
                raise
            raise click.UsageError(f"cannot write {error.filename}: {error.strerror}; the course's folder must be "
                                   "writable for whoever makes a release of it") from None
        click.echo(f"{os.path.relpath(made.folder)}: {', '.join(made.files)}; {made.points:g} points; "
                   f"contains none of the {made.secret_lines} secret lines")
    return DONE


def _finished(name: str) -> None:
    """Raise UsageError if parts of a lesson are not written, or its own solution cannot be graded."""
    from autograder.judge.rehearsal import rehearse
    from autograder.lessons.installed import load_lesson
    from autograder.proof.unfinished import parts_left
    lesson = load_lesson(name, Path.cwd())
    left = [] if lesson.home.ours else parts_left(lesson)
    if left:
        more = f", and {len(left) - 1} more" if len(left) > 1 else ""
        raise click.UsageError(f"{name} is not finished: {left[0]}{more}; autograder verify --lesson {name} lists what "
                               "is left")
    rehearse(lesson)


@click.command(short_help="Prove the lesson: every mistake is caught.", epilog=examples(
    "autograder verify --quick                      # a part of the proof, in half a minute",
    "autograder verify --table                      # also show which checks catch each mistake"))
@click.option("--quick", is_flag=True, help="Only every 7th mutant, variant and left-out mistake.")
@click.option("--table", is_flag=True, help="Also show which checks catch each mistake.")
@lesson_option(f"all of the course's own, else {LESSON}")
@common
def verify(quick: bool, table: bool, lesson: str | None, language: str, **limits: Any) -> int:
    """Prove the lesson: the reference gets full marks, an untouched notebook zero, every mistake is caught."""
    from autograder.api import Limits
    from autograder.api import verify as prove
    from autograder.lessons.installed import own_lessons
    from autograder.proof import render
    names, holds = [lesson] if lesson else [default_lesson(), *own_lessons(Path.cwd())[1:]], True
    for name in names:
        proof = prove(name, course=Path.cwd(), quick=quick, limits=Limits(**limits),
                      progress=_trying if sys.stderr.isatty() else None)
        click.echo("\n" * (name != names[0]) + render(proof, table))
        holds = holds and proof.holds
    return DONE if holds else BROKEN


def _trying(what: str, done: int, of: int) -> None:
    click.echo(f"\r{what}: {done} of {of}" + "\n" * (done == of), nl=False, err=True)
