"""`autograder trust`: say which courses may bring lessons of their own."""

import os
from pathlib import Path

import click

from autograder.cli.common import DONE
from autograder.cli.options import examples


@click.command(short_help="Use the lessons that lie in a course's own folder.", epilog=examples(
    "autograder trust                               # the course in this folder",
    "autograder trust --list",
    "autograder trust --remove old-course"))
@click.argument("folder", metavar="[FOLDER]", default=".", type=click.Path(file_okay=False, path_type=Path))
@click.option("--remove", is_flag=True, help="Trust this course no longer.")
@click.option("--list", "show", is_flag=True, help="Show the courses that you trust; change nothing.")
def trust(folder: Path, remove: bool, show: bool) -> int:
    """Use the lessons in FOLDER/lessons/: their checks run with your rights, so only trust a course that you know.

    `autograder init` trusts the course that it makes. The list is yours alone; a moved course is trusted again.
    """
    from autograder.lessons.installed import own_lessons
    from autograder.lessons.trust import distrust, trusted_courses
    from autograder.lessons.trust import trust as remember
    if show:
        click.echo("\n".join(trusted_courses() or ["no course is trusted"]))
        return DONE
    there = os.path.realpath(folder)
    if remove:
        if there not in trusted_courses():
            raise click.UsageError(f"{there} is not trusted; autograder trust --list shows what is")
        distrust(folder)
        click.echo(f"{there} is no longer trusted")
        return DONE
    if not os.path.isdir(there):
        raise click.UsageError(f"there is no folder {there}")
    remember(folder)
    names = own_lessons(folder)
    click.echo(f"{there} is trusted; lessons of its own: {', '.join(names) or 'none yet'}")
    return DONE
