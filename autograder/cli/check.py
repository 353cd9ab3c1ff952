"""`autograder check`: grade one submission, or many."""

from functools import partial
from pathlib import Path
from typing import Any

import click

from autograder.cli.class_list import names_here
from autograder.cli.common import answers, course_settings, exit_code, say
from autograder.cli.lessons import lesson_option, lessons_to_try
from autograder.cli.options import common, examples, json_target, spare_the_given


@click.command(short_help="Grade notebooks or .py files, folders or zips.", epilog=examples(
    "autograder check student-07.ipynb",
    "autograder check downloads.zip --json grades.jsonl     # many at once, and as JSON lines",
    "autograder check work.py --lang en --seconds 10"))
@click.argument("paths", metavar="PATH...", nargs=-1, required=True, type=click.Path())
@lesson_option("the one whose functions are defined")
@json_target
@common
def check(paths: tuple[str, ...], lesson: str | None, target: str | None, language: str, **limits: Any) -> int:
    """Grade notebooks or .py files, folders or zips; writes nothing but its output."""
    from msgspec.structs import replace

    from autograder.course.mark import own_mark
    from autograder.course.rules import Rules
    from autograder.intake import read_everything
    from autograder.judge.engine import Limits
    from autograder.lessons.installed import loadable
    spare_the_given(target, paths)
    settings = course_settings()
    if settings.decides_marks:                  # of the current folder, which might be a student's
        click.echo("autograder check: using the points and limits of autograder.toml in this folder", err=True)
    with answers(target, language, each=True) as answer:
        rules, tried = Rules(settings, Limits(**limits)), [settings.lesson(name) for name in lessons_to_try(lesson)]
        submissions, left = read_everything(paths, tried, rules.limits.budget, partial(loadable, Path.cwd()))
        for index, graded in enumerate(rules.graded(submissions, say), start=1):
            if settings.mark.scale != "none":
                graded = replace(graded, mark=own_mark(graded, settings))
            answer.progress(graded, index, len(submissions))
            answer(graded)
        answer.besides(left)
        if target != "-" and len(answer.grades) > 1:
            answer.people = names_here()
    return exit_code(answer.grades, answer.left)
