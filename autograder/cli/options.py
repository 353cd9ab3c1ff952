"""The options that several commands share."""

import math
import os
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path

import click

from autograder.course import FOLDER

DATABASE = b"SQLite format 3\0"             # how such a file begins


def _finite(context: click.Context, option: click.Parameter, value: float) -> float:
    if not math.isfinite(value):
        raise click.BadParameter("must be a number of seconds")
    return value


def nobodys_work(context: click.Context, option: click.Parameter, value: str | None) -> str | None:
    """The file to write, unless it is a submission or holds a course's grades."""
    what = _worth_keeping(Path(os.path.realpath(value))) if value and value != "-" and Path(value).exists() else ""
    if what:
        raise click.BadParameter(f"{value} {what} and would be overwritten")
    return value


def _worth_keeping(path: Path) -> str:
    if path.name.lower().endswith((".ipynb", ".py", ".zip", ".ipynb.txt", ".ipynb.json")):
        return "looks like a submission"
    if path.parent.name == FOLDER.name:
        return "is the autograder's own, which holds a course's grades,"
    with suppress(OSError), path.open("rb") as file:
        if file.read(len(DATABASE)) == DATABASE:
            return "is a database, such as nbgrader's gradebook,"
    return ""


def spare_the_given(target: str | None, paths: Iterable[str], what: str = "one of the submissions") -> None:
    """Raise UsageError if the output would overwrite an input, by whatever path its file is reached."""
    if not target or target == "-":
        return
    for path in paths:
        with suppress(OSError, ValueError):
            if os.path.realpath(target) == os.path.realpath(path) or os.path.samefile(target, path):
                raise click.UsageError(f"{target} is {what} and would be overwritten")


def examples(*lines: str) -> str:
    """The end of a command's help: examples to type, one per line."""
    return "\b\nExamples:\n" + "\n".join(f"  {line}" for line in lines)


language_option = click.option("--lang", "language", type=click.Choice(["nl", "en"]), show_default=False,
                               callback=lambda context, option, value: value or "",
                               help="The language of the feedback.  [default: of each student's notebook, else nl]")


def common(command: Callable[..., int]) -> Callable[..., int]:
    """The options of every command that runs students' code; all but the language are the fields of `Limits`."""
    for option in (
        click.option("--isolation", type=click.Choice(["auto", "namespaces", "process", "none"]), default="auto",
                     show_default=True, help="The wall around students' code; auto takes the best available."),
        click.option("--memory", "memory_mb", metavar="MB", type=click.IntRange(256, 2**20), default=1024,
                     show_default=True, help="Memory limit of a student's process."),
        click.option("--seconds", metavar="S", type=click.FloatRange(0, 3600, min_open=True), default=10.0,
                     callback=_finite, show_default=True, help="Processor time (or sleep) of one call."),
        click.option("--budget", metavar="S", type=click.FloatRange(0, 86400, min_open=True), default=60.0,
                     callback=_finite, show_default=True, help="Processor time (or sleep) of one submission in all."),
        click.option("--cell-seconds", metavar="S", type=click.FloatRange(0, 3600, min_open=True), default=10.0,
                     callback=_finite, show_default=True, help="Processor time (or sleep) of one notebook cell."),
        language_option,
    ):
        command = option(command)
    return command


json_target = click.option(
    "--json", "target", metavar="FILE|-", callback=nobodys_work,
    help="Write the grades as JSON lines, one per submission; - is standard output.")


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


jobs_option = click.option("--jobs", metavar="N", type=click.IntRange(1, 1024), default=_cores,
                           help="How many submissions to grade at once.  [default: one per core]")


def handed_in(context: click.Context, option: click.Parameter, begun: str) -> list[str]:
    """The students whose names begin with this, for shell completion."""
    with suppress(OSError):
        return sorted(name for name in os.listdir("submitted") if name.startswith(begun))
    return []


def course_options(command: Callable[..., int]) -> Callable[..., int]:
    """The options of the commands that grade the course in this folder."""
    for option in (
        click.option("--force", is_flag=True, help="Also grade what has not changed since the last run."),
        click.option("--student", "students", metavar="ID", multiple=True, shell_complete=handed_in,
                     help="Only this student; may be repeated."),
        jobs_option,
    ):
        command = option(command)
    return command


def run_options(command: Callable[..., int]) -> Callable[..., int]:
    """The options of the command that grades a whole class."""
    for option in (
        click.option("--profile", is_flag=True, help="Report where the time went, in seconds per stage."),
        click.option("--log", metavar="FILE", callback=nobodys_work,
                     help="Append events to this file as JSON lines, including which students handed in identical "
                          "work."),
        click.option("--cluster", metavar="ADDRESS",
                     help="Grade on the workers of this Dask scheduler instead of this machine."),
    ):
        command = option(command)
    return command
