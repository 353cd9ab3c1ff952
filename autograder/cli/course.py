"""The commands for a whole class: `autograder grade`, `diff` and `demo`."""

import os
from pathlib import Path
from typing import Any

import click

from autograder.cli.class_list import class_list
from autograder.cli.common import BROKEN, answers, exit_code, say
from autograder.cli.lessons import THE_DEFAULT, chosen_lesson, course_and_lesson, lesson_option
from autograder.cli.options import common, course_options, examples, jobs_option, json_target, run_options
from autograder.cli.report import write_course_report
from autograder.cli.watching import Watch, profiled, stopping_kindly, watched


@click.command(short_help="Grade the course in this folder.", epilog=examples(
    "autograder grade                               # new and changed work",
    "autograder grade --student student-07 --force  # one student, once more",
    "autograder grade --dry-run                     # who would change?"))
@course_options
@click.option("--dry-run", is_flag=True, help="Only say who would change; write nothing. The same as `diff`.")
@lesson_option("the one that was handed in")
@run_options
@json_target
@common
def grade(target: str | None, language: str, jobs: int, students: tuple[str, ...], force: bool, dry_run: bool,
          lesson: str | None, cluster: str | None, log: str | None, profile: bool, **limits: Any) -> int:
    """Grade the course in this folder: submitted/ -> gradebook, autograded/, feedback/, report.html."""
    choices = {"jobs": jobs, "students": students, "force": force, "cluster": cluster}
    if dry_run:
        return _changes(target, language, lesson, limits, **choices)
    return _grade_course(Path.cwd(), target, language, lesson, limits, log=log, profile=profile, **choices)


@click.command(short_help="Say whose grade would change; write nothing.", epilog=examples(
    "autograder diff                                # before a changed check or point takes effect"))
@course_options
@lesson_option("the one that was handed in")
@json_target
@common
def diff(target: str | None, language: str, jobs: int, students: tuple[str, ...], force: bool, lesson: str | None,
         **limits: Any) -> int:
    """Say who would change if the course were graded now: by how much, in which check. Writes nothing.

    Compares with each student's last grade, whatever the checks and the work were then. The JSON holds the grades as
    they would be.
    """
    return _changes(target, language, lesson, limits, jobs=jobs, students=students, force=force)


@click.command(short_help="Make a synthetic class, and grade it.", epilog=examples(
    "autograder demo                                # 30 students in demo-class/",
    "autograder demo --students 200 /tmp/class --lang en"))
@click.argument("folder", metavar="[DIR]", default="demo-class", type=click.Path(file_okay=False, path_type=Path))
@click.option("--students", metavar="N", type=click.IntRange(1, 10_000), default=30, show_default=True,
              help="How many students the class has.")
@jobs_option
@lesson_option(THE_DEFAULT)
@json_target
@common
def demo(folder: Path, students: int, jobs: int, lesson: str | None, target: str | None, language: str,
         **limits: Any) -> int:
    """Make a synthetic class out of the catalogue of mistakes, and grade it."""
    from autograder.authoring.demo import make_class
    try:
        lesson = chosen_lesson(lesson)
        make_class(folder, students, lesson=lesson, where=Path.cwd())
    except FileExistsError as error:
        raise click.UsageError(str(error)) from None
    return _grade_course(folder, target, language, lesson, limits, jobs=jobs, students=(), force=False)


def _grade_course(folder: Path, target: str | None, language: str, lesson: str | None, limits: dict[str, Any],
                  log: str | None = None, profile: bool = False, **choices: Any) -> int:
    work, lesson = course_and_lesson(folder, lesson)
    course = work.course
    _wall(limits, **choices)
    from autograder.judge.engine import Limits
    from autograder.run.grade_course import grade_course
    with profiled(profile), answers(target, language, each=False) as answer, watched(log) as watch:
        with stopping_kindly(watch):
            grades = grade_course(work, lesson=lesson, limits=Limits(**limits), language=language,
                                  on_grade=answer.progress, on_event=watch, profile=profile, **choices)
        answer.all(grades)
        answer.besides(watch.left)
        if not choices.get("students"):
            answer.class_is(class_list(course, graded=[grade.student for grade in answer.grades]))
            for note in answer.people.notes:
                click.echo(f"autograder grade: {note}", err=True)
    overview, complete = write_course_report(work, lesson, language, len(grades))
    if target != "-":
        from autograder.output.plain import named
        page = course.path("feedback", grades[0].student, lesson).with_suffix(".html")
        click.echo(f"\nEach student has a page of feedback, such as {named(os.path.relpath(page))}")
        click.echo(f"The class on one page: {os.path.relpath(overview)}")
    return exit_code(answer.grades, answer.left) if complete else BROKEN


def _wall(limits: dict[str, Any], cluster: str | None = None, **choices: Any) -> None:
    """Raise NoIsolation if the wall is unavailable, before importing what other systems lack."""
    if cluster is None:
        from autograder.course.rules import say_wall
        from autograder.judge.engine import Limits
        say_wall(Limits(**limits), say)


def _changes(target: str | None, language: str, lesson: str | None, limits: dict[str, Any], **choices: Any) -> int:
    work, lesson = course_and_lesson(Path.cwd(), lesson)
    _wall(limits, **choices)
    from autograder.judge.engine import Limits
    from autograder.output.changes import Change, change_lines
    from autograder.run.grade_course import changes_of_course
    watch = Watch()
    found = changes_of_course(work, lesson=lesson, limits=Limits(**limits), on_event=watch, **choices)
    changes = [Change(*pair) for pair in found]
    grades = [change.after for change in changes if change.after is not None]
    if target is not None:
        with answers(target, language, each=False) as answer:
            for grade in grades:
                answer(grade)
    if target != "-":
        people = class_list(work.course, graded=[change.student for change in changes])
        absent = people.without([change.student for change in changes]) if not choices.get("students") else []
        click.echo("\n".join(change_lines(changes, watch.left, people, absent)))
    return exit_code(grades, watch.left)
