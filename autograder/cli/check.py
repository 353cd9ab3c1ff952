"""`autograder check`: one submission, or a pile of them."""
from __future__ import annotations

from typing import Any

import click

from autograder.cli.common import answers, course_lesson, engine, exit_code
from autograder.cli.options import common, examples, json_target, spare_the_given


@click.command(short_help="Grade notebooks or .py files, folders or zips.", epilog=examples(
    "autograder check student-07.ipynb",
    "autograder check downloads.zip --json grades.jsonl     # many at once, and as JSON lines",
    "autograder check work.py --lang en --seconds 10"))
@click.argument("paths", metavar="PATH...", nargs=-1, required=True, type=click.Path())
@json_target
@common
def check(paths: tuple[str, ...], target: str | None, language: str, **limits: Any) -> int:
    """Grade notebooks or .py files, folders or zips; writes nothing but its answer."""
    from autograder.intake import read
    spare_the_given(target, paths)
    lesson = course_lesson()
    with answers(target, language, each=True) as answer:
        submissions = list(read(paths, lesson))
        with engine(limits, lesson) as grader:
            for index, submission in enumerate(submissions, start=1):
                graded = grader.grade(submission)
                answer.progress(graded, index, len(submissions))
                answer(graded)
    return exit_code(answer.grades)
