"""The command line: parses arguments, prints and leaves with an exit code. Everything else happens elsewhere.

Exit codes: 0 done (whatever the marks), 1 some submissions could not be graded, 2 wrong usage, 3 the autograder
itself is broken. 130 and 141, as shells have it, for Ctrl-C and for a reader that left. What is slow to import is
imported by the command that needs it.
"""
from __future__ import annotations

import math
import os
import signal
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from autograder.output.streams import open_what_is_closed, silence_output

if TYPE_CHECKING:
    from autograder.grade import Engine
    from autograder.output.answers import Answers
    from autograder.records import Grade

LESSON = "multihead"
DONE, NOT_ALL_GRADED, WRONG_USAGE, BROKEN, INTERRUPTED, NO_READER = 0, 1, 2, 3, 130, 141


# --- options ------------------------------------------------------------------------------------------------------

def _finite(context: click.Context, option: click.Parameter, value: float) -> float:
    if not math.isfinite(value):
        raise click.BadParameter("must be a number of seconds")
    return value


def _nobodys_work(context: click.Context, option: click.Parameter, value: str | None) -> str | None:
    submissions = (".ipynb", ".py", ".zip", ".ipynb.txt", ".ipynb.json")
    if value and os.path.realpath(value).lower().endswith(submissions) and Path(value).exists():
        raise click.BadParameter(f"{value} looks like a submission and would be overwritten")
    return value


def _spare_the_given(target: str | None, paths: Iterable[str]) -> None:
    """UsageError where the answer would take the place of a submission, by whatever way its file is reached."""
    for path in paths if target and target != "-" else ():
        with suppress(OSError, ValueError):
            if os.path.realpath(target) == os.path.realpath(path) or os.path.samefile(target, path):
                raise click.UsageError(f"{target} is one of the submissions and would be overwritten")


def _common(command: Callable[..., int]) -> Callable[..., int]:
    """The options of every command that runs students' code; all but the language are the fields of `Limits`."""
    for option in (
        click.option("--isolation", type=click.Choice(["auto", "namespaces", "process", "none"]), default="auto",
                     show_default=True, help="The wall around students' code; auto takes the best there is."),
        click.option("--memory", "memory_mb", metavar="MB", type=click.IntRange(256, 2**20), default=1024,
                     show_default=True, help="What a student's process may use."),
        click.option("--seconds", metavar="S", type=click.FloatRange(0, 3600, min_open=True), default=5.0,
                     callback=_finite, show_default=True, help="How long one call may take."),
        click.option("--budget", metavar="S", type=click.FloatRange(0, 86400, min_open=True), default=60.0,
                     callback=_finite, show_default=True, help="How long one submission may take in all."),
        click.option("--lang", "language", type=click.Choice(["nl", "en"]), default="nl", show_default=True,
                     help="The language of the feedback."),
    ):
        command = option(command)
    return command


_json = click.option("--json", "target", metavar="FILE|-", callback=_nobodys_work,
                     help="Write the answer as JSON lines, one submission a line; - is standard output.")
def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


_jobs = click.option("--jobs", metavar="N", type=click.IntRange(1, 1024), default=_cores,
                     help="How many submissions at the same time.  [default: one per core]")


def _show_version(context: click.Context, option: click.Parameter, value: bool) -> None:
    if value and not context.resilient_parsing:
        from autograder import __version__
        from autograder.lesson import load_lesson
        from autograder.version import checks_version
        click.echo(f"autograder {__version__}, checks {checks_version(load_lesson(LESSON))}")
        context.exit()


# --- commands -----------------------------------------------------------------------------------------------------

@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.option("--version", is_flag=True, is_eager=True, expose_value=False, callback=_show_version,
              help="Show the version, and that of the checks.")
def cli() -> None:
    """Grade the multi-head attention lesson: students' code runs behind a wall, verdicts are formed outside.

    \b
    Exit codes: 0 done (whatever the marks), 1 some submissions could not be graded,
    2 wrong usage, 3 the autograder itself is broken.
    """


@cli.command(short_help="Grade notebooks or .py files, folders or zips.")
@click.argument("paths", metavar="PATH...", nargs=-1, required=True, type=click.Path())
@_json
@_common
def check(paths: tuple[str, ...], target: str | None, language: str, **limits: Any) -> int:
    """Grade notebooks or .py files, folders or zips; writes nothing but its answer."""
    from autograder.intake import read
    from autograder.lesson import load_lesson
    _spare_the_given(target, paths)
    lesson = load_lesson(LESSON)
    with _answers(target, language, each=True) as answer:
        submissions = list(read(paths, lesson))
        with _engine(limits) as engine:
            for index, submission in enumerate(submissions, start=1):
                graded = engine.grade(submission)
                answer.progress(graded, index, len(submissions))
                answer(graded)
    return exit_code(answer.grades)


def _course(command: Callable[..., int]) -> Callable[..., int]:
    """The options of the commands that grade the course in this folder."""
    for option in (
        click.option("--force", is_flag=True, help="Grade also what has not changed since the last time."),
        click.option("--student", "students", metavar="ID", multiple=True, help="Only this student; may be repeated."),
        _jobs,
    ):
        command = option(command)
    return command


@cli.command(short_help="Grade the course in this folder.")
@_course
@click.option("--dry-run", is_flag=True, help="Only say who would change; write nothing. The same as `diff`.")
@_json
@_common
def grade(target: str | None, language: str, jobs: int, students: tuple[str, ...], force: bool, dry_run: bool,
          **limits: Any) -> int:
    """Grade the course in this folder: submitted/ -> gradebook, autograded/, feedback/."""
    choices = {"jobs": jobs, "students": students, "force": force}
    if dry_run:
        return _changes(target, language, limits, **choices)
    return _grade_course(Path.cwd(), target, language, limits, **choices)


@cli.command(short_help="Say whose grade would change; write nothing.")
@_course
@_json
@_common
def diff(target: str | None, language: str, jobs: int, students: tuple[str, ...], force: bool, **limits: Any) -> int:
    """Say who would change if the course were graded now: by how much, in which check. Writes nothing.

    Compares with the last grade of each student, whatever the checks and the work were then. The JSON holds the
    grades as they would be.
    """
    return _changes(target, language, limits, jobs=jobs, students=students, force=force)


@cli.command(short_help="Make release/ out of assignments/.")
def release() -> int:
    """Make release/ out of assignments/, and prove that nothing leaked."""
    from autograder.lesson import load_lesson
    from autograder.nbgrader.release import release as make_release
    names = [Path(path).parent.name for path in load_lesson(LESSON).editions.values()]
    for name in [name for name in names if Path("assignments", name).is_dir()] or names[:1]:
        try:
            made = make_release(Path.cwd(), name)
        except (FileNotFoundError, ValueError) as error:
            raise click.UsageError(str(error)) from None
        click.echo(f"{os.path.relpath(made.folder)}: {', '.join(made.files)}; {made.points:g} points; "
                   f"none of {made.secret_lines} secret lines is in it")
    return DONE


@cli.command(short_help="Make a synthetic class, and grade it.")
@click.argument("folder", metavar="[DIR]", default="demo-class", type=click.Path(file_okay=False, path_type=Path))
@click.option("--students", metavar="N", type=click.IntRange(1, 10_000), default=30, show_default=True,
              help="How many students the class has.")
@_jobs
@_json
@_common
def demo(folder: Path, students: int, jobs: int, target: str | None, language: str, **limits: Any) -> int:
    """Make a synthetic class out of the catalogue of mistakes, and grade it."""
    from autograder.demo import make_class
    try:
        make_class(folder, students)
    except FileExistsError as error:
        raise click.UsageError(str(error)) from None
    return _grade_course(folder, target, language, limits, jobs=jobs, students=(), force=False)


@cli.command(short_help="Prove the lesson: every mistake is caught.")
@click.option("--quick", is_flag=True, help="Only every 7th mutant, variant and mistake left out.")
@click.option("--table", is_flag=True, help="Also show which checks catch each mistake.")
@_common
def verify(quick: bool, table: bool, language: str, **limits: Any) -> int:
    """Prove the lesson: the reference gets full marks, an untouched notebook zero, every mistake is caught."""
    from autograder.grade import Limits
    from autograder.lesson import load_lesson
    from autograder.proof import render
    from autograder.proof import verify as prove
    proof = prove(load_lesson(LESSON), Limits(**limits), quick, _trying if sys.stderr.isatty() else None)
    click.echo(render(proof, table))
    return DONE if proof.holds else BROKEN


def _trying(what: str, done: int, of: int) -> None:
    click.echo(f"\r{what}: {done} of {of}" + "\n" * (done == of), nl=False, err=True)


def _grade_course(folder: Path, target: str | None, language: str, limits: dict[str, Any], **choices: Any) -> int:
    _engine(limits)                       # before anything that other systems lack is imported
    from autograder.grade import Limits
    from autograder.grade_course import grade_course
    from autograder.nbgrader.course import Course, CourseError
    with _answers(target, language, each=False) as answer:
        try:
            course = Course.find(folder)
            grades = grade_course(folder, lesson=LESSON, limits=Limits(**limits), language=language,
                                  on_grade=answer.progress, **choices)
        except CourseError as error:
            raise click.UsageError(str(error)) from None
        for graded in grades:
            answer(graded)
    if target != "-":
        page = course.path("feedback", grades[0].student, LESSON).with_suffix(".html")
        click.echo(f"\nEach student has a page of feedback, such as {os.path.relpath(page)}")
    return exit_code(answer.grades)


def _changes(target: str | None, language: str, limits: dict[str, Any], **choices: Any) -> int:
    _engine(limits)
    from autograder.grade import Limits
    from autograder.grade_course import changes_of_course
    from autograder.nbgrader.course import CourseError
    from autograder.output.changes import change_lines
    try:
        changes = changes_of_course(Path.cwd(), lesson=LESSON, limits=Limits(**limits), **choices)
    except CourseError as error:
        raise click.UsageError(str(error)) from None
    if target is not None:
        with _answers(target, language, each=False) as answer:
            for change in changes:
                answer(change.after)
    if target != "-":
        click.echo("\n".join(change_lines(changes)))
    return exit_code(change.after for change in changes)


def _engine(limits: dict[str, Any]) -> Engine:
    """An engine that is not running yet; NoIsolation where its wall cannot be had, a notice where it is less."""
    from autograder.grade import Engine, Limits
    from autograder.lesson import load_lesson
    engine = Engine(load_lesson(LESSON), Limits(**limits))
    if engine.isolation_notice:
        click.echo(f"autograder: isolation is {engine.isolation}: {engine.isolation_notice}", err=True)
    return engine


# --- answers ------------------------------------------------------------------------------------------------------

@contextmanager
def _answers(target: str | None, language: str, each: bool) -> Iterator[Answers]:
    from autograder.output.answers import answers
    from autograder.output.jsonl import CannotWrite
    try:
        with answers(target, language, each) as answer:
            yield answer
    except CannotWrite as error:
        raise click.UsageError(str(error)) from None


def exit_code(grades: Iterable[Grade]) -> int:
    """3 if the autograder failed anywhere, else 1 if a submission could not be graded, else 0."""
    statuses = {"broken" if _has_broken(each) else each.status for each in grades}
    if "broken" in statuses:
        return BROKEN
    return NOT_ALL_GRADED if "unreadable" in statuses else DONE


def _has_broken(grade: Grade) -> bool:
    """Whether a check of it failed by our own fault; of an unreadable submission no check was tried."""
    return grade.status != "unreadable" and any(
        verdict.verdict == "broken" for exercise in grade.exercises for verdict in exercise.verdicts)


# --- the way in and out -------------------------------------------------------------------------------------------

def main() -> None:
    """The command `autograder`. A SIGTERM leaves through the same doors as Ctrl-C, so that nothing stays behind."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    open_what_is_closed()
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(errors="replace")
    code = run(sys.argv[1:])
    try:
        sys.stdout.flush()
    except OSError:                       # it is full, and was said to be
        silence_output()
    sys.exit(code)


def run(arguments: list[str]) -> int:
    """Run the command and return its exit code; whatever goes wrong is one line on standard error."""
    try:
        with cli.make_context("autograder", arguments) as context:
            code = cli.invoke(context) or DONE
        sys.stdout.flush()
        return code
    except click.exceptions.Exit as leaving:
        return leaving.exit_code
    except click.exceptions.NoArgsIsHelpError as error:
        error.show()
        return WRONG_USAGE
    except click.ClickException as error:
        where = error.ctx.command_path if isinstance(error, click.UsageError) and error.ctx else "autograder"
        click.echo(f"{where}: {error.format_message()} (see {where} --help)", err=True)
        return WRONG_USAGE
    except (KeyboardInterrupt, click.Abort):
        click.echo("stopped", err=True)
        return INTERRUPTED
    except BrokenPipeError:
        silence_output()
        return NO_READER
    except Exception as error:
        return _broken(error)


def _broken(error: Exception) -> int:
    from autograder.sandbox.tiers import NoIsolation
    if isinstance(error, NoIsolation):
        click.echo(f"autograder: {error}", err=True)
    elif os.environ.get("AUTOGRADER_TRACEBACK") == "1":
        import traceback
        traceback.print_exc()
    else:
        what = f"{type(error).__name__}: {error}".splitlines()[0]
        click.echo(f"autograder: broken: {what} (AUTOGRADER_TRACEBACK=1 shows where)", err=True)
    return BROKEN
