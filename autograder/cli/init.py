"""`autograder init`: make a course."""

import os
from pathlib import Path

import click

from autograder.cli.common import DONE, LESSON
from autograder.cli.options import examples


def _called(context: click.Context, option: click.Parameter, values: tuple[str, ...]) -> list[str]:
    """The names of these lessons, each once."""
    from autograder.lessons.installed import lesson_called
    try:
        return list(dict.fromkeys(lesson_called(value) for value in values))
    except ValueError as error:
        raise click.BadParameter(str(error)) from None


@click.command(short_help="Make a course.", epilog=examples(
    "autograder init my-course",
    "autograder init my-course --lesson multihead --lesson layernorm",
    "autograder init --empty                        # this folder, for assignments of your own"))
@click.argument("folder", metavar="[FOLDER]", default=".", type=click.Path(file_okay=False, path_type=Path))
@click.option("--lesson", "lessons", metavar="NAME", multiple=True, callback=_called,
              help=f"A lesson that the course has; may be repeated.  [default: {LESSON}]")
@click.option("--empty", is_flag=True, help="No lesson: only the configuration, the settings and a place for "
                                            "assignments.")
def init(folder: Path, lessons: list[str], empty: bool) -> int:
    """Make a course in a folder: nbgrader's configuration, settings with comments, assignments/ and a README.

    Nothing that is there is overwritten.
    """
    from autograder.authoring.course_folder import make_course
    from autograder.lessons.trust import trust
    strange = os.path.lexists(folder / "lessons")       # whoever made it, it was not this command
    if empty and lessons:
        raise click.UsageError("--empty makes a course without lessons; leave out --lesson")
    try:
        made = make_course(folder, [] if empty else lessons or [LESSON])
    except FileExistsError as error:
        raise click.UsageError(str(error)) from None
    except OSError as error:
        raise click.UsageError(f"cannot make {folder}: {error.strerror or error}") from None
    click.echo(f"{os.path.relpath(folder)}: {', '.join(made)}")
    if strange:
        click.echo(f"The lessons that were there already are not used until you run: autograder trust {folder}")
    else:
        trust(folder)
    if not empty:
        here = "" if os.path.samefile(folder, ".") else f"in {folder}: "
        click.echo(f"Next, {here}autograder release")
    return DONE
