"""`autograder package`: package the autograder for Gradescope and GitHub Classroom."""

import re
from pathlib import Path

import click

from autograder.cli.common import DONE, course_settings, writing
from autograder.cli.lessons import THE_DEFAULT, chosen_lesson, lesson_option
from autograder.cli.options import examples


@click.group(short_help="Make an autograder for Gradescope or GitHub Classroom.", epilog=examples(
    "autograder package gradescope --output week-5.zip",
    "autograder package github --grader our-course/multihead-grader"))
def package() -> None:
    """Make an autograder for another system, with the hidden checks and this course's settings inside.

    Keep the package as secret as an exam. The README in it says who can read the checks there, and who cannot.
    """


grades_lesson = lesson_option(THE_DEFAULT)


@package.command(short_help="A zip for a programming assignment of Gradescope.", epilog=examples(
    "autograder package gradescope                  # gradescope-multihead.zip"))
@click.option("--output", metavar="FILE.zip", type=click.Path(dir_okay=False, path_type=Path),
              help="Where to write.  [default: gradescope-LESSON.zip]")
@grades_lesson
def gradescope(output: Path | None, lesson: str | None) -> int:
    """Make a zip for Gradescope's Configure Autograder: setup.sh, run_autograder, and everything that grades."""
    from autograder.atomic import whole_file
    from autograder.integrations.package import EXECUTABLE
    from autograder.integrations.package import gradescope as made
    from autograder.integrations.wheel import zipped
    course_settings()
    lesson = chosen_lesson(lesson)
    output = output or Path(f"gradescope-{lesson}.zip")
    contents = made(lesson, Path.cwd())
    with writing(output), whole_file(output.resolve()) as file:
        file.write(zipped(contents, EXECUTABLE))
    click.echo(f"{output}: {', '.join(sorted(contents))}\n"
               "The hidden checks are in it: keep it as secret as an exam. Its README.md says how to upload it.")
    return DONE


@package.command(short_help="A workflow for GitHub Classroom.", epilog=examples(
    "autograder package github --grader our-course/multihead-grader --output classroom"))
@click.option("--grader", metavar="OWNER/NAME", required=True,
              help="The teachers' private repository, which will hold the checks.")
@click.option("--output", metavar="DIR", type=click.Path(file_okay=False, path_type=Path),
              help="Where to write; a new folder.  [default: github-LESSON]")
@grades_lesson
def github(grader: str, output: Path | None, lesson: str | None) -> int:
    """Make the private repository with the checks, and the workflow for the template that students start from."""
    from autograder.integrations.package import github as made
    lesson = chosen_lesson(lesson)
    if not re.fullmatch(r"[\w.-]+/[\w.-]+", grader, re.ASCII):
        raise click.UsageError(f"--grader is {grader!r}, expected OWNER/NAME, as in our-course/multihead-grader")
    if not re.fullmatch(r"[A-Za-z0-9]+", lesson):
        raise click.UsageError(f"the grading reporter cannot take the name {lesson!r}: it allows only letters and "
                               "digits")
    course_settings()
    output = output or Path(f"github-{lesson}")
    if output.exists():
        raise click.UsageError(f"{output} already exists; name another folder with --output, or remove it")
    with writing(output):
        for name, data in made(lesson, Path.cwd(), grader).items():
            (output / name).parent.mkdir(parents=True, exist_ok=True)
            (output / name).write_bytes(data)
    click.echo(f"{output}/grader: push it to the private repository {grader}; the hidden checks are in it\n"
               f"{output}/template: add it to the repository that the assignment starts from\n"
               f"{output}/README.md: what to set, and who can read the checks there (a student who wants to can)")
    return DONE
