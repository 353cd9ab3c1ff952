"""The command line: parses arguments, prints and exits with a code; the other rooms do the work.

Exit codes: 0 done (whatever the marks), 1 some submissions could not be graded, or the doctor found something missing,
2 wrong usage, 3 the autograder itself is broken; as in shells, 130 after Ctrl-C and 141 after a closed pipe. Slow
imports are made by the command that needs them. Each file of this folder holds commands that belong together.
"""

import io
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click

from autograder.cli import (
    check,
    course,
    dev,
    doctor,
    export,
    extend,
    feedback,
    forget,
    init,
    lesson,
    new,
    package,
    report,
    trust,
)
from autograder.cli.common import BROKEN, DONE, INTERRUPTED, NO_READER, WRONG_USAGE, course_settings, exit_code
from autograder.cli.options import examples
from autograder.faults import FULL, Refused, Stopped

__all__ = ["cli", "exit_code", "main", "run"]
SETTINGS = "autograder.toml"
RUN_CODE = {"check", "grade", "diff", "demo", "release", "verify"}     # which needs Linux
COMPLETE = "_AUTOGRADER_COMPLETE"            # set by a shell that asks how to complete a word
COMMANDS = (check.check, init.init, course.grade, course.diff, report.report, export.export, feedback.feedback,
            extend.extend, lesson.release, lesson.verify, new.new, trust.trust, package.package, course.demo,
            forget.forget, doctor.doctor, dev.dev)


def _show_version(context: click.Context, option: click.Parameter, value: bool) -> None:
    if value and not context.resilient_parsing:
        from autograder import __version__
        from autograder.judge.checks_version import checks_version
        from autograder.lessons.installed import lesson_names, load_lesson
        checks = (f"{name} {checks_version(load_lesson(name, Path.cwd()))}" for name in lesson_names(Path.cwd()))
        click.echo(f"autograder {__version__}, checks of {', '.join(checks)}")
        context.exit()


class _Commands(click.Group):
    """Commands whose options default to the course's settings, if this folder has an autograder.toml."""

    def resolve_command(self, ctx: click.Context, args: list[str]
                        ) -> tuple[str | None, click.Command | None, list[str]]:
        name, command, rest = super().resolve_command(ctx, args)
        if name in RUN_CODE and sys.platform != "linux" and {"-h", "--help"}.isdisjoint(rest):
            raise _elsewhere()
        if name is not None and command is not None and os.path.exists(SETTINGS):
            whatever = name == "doctor" or not {"-h", "--help"}.isdisjoint(rest)
            ctx.default_map = {name: _course_defaults(command, whatever)}
        return name, command, rest


def _elsewhere() -> Stopped:
    """What stops macOS and Windows, before anything is imported that they lack."""
    from autograder.lessons.kit.course_file import course_file
    return Stopped("students' code runs in Linux processes only; on macOS and Windows, one command grades in a "
                   f"container: see {course_file('docs/container.md')}")


def _course_defaults(command: click.Command, whatever_it_holds: bool) -> dict[str, Any]:
    try:
        options = course_settings().options
    except Refused:
        if whatever_it_holds:               # help and a diagnosis must not depend on a valid file
            return {}
        raise
    names = (parameter.name for parameter in command.params)
    return {name: options[name] for name in names if name is not None and name in options}


@click.group(cls=_Commands, epilog=examples(
    "autograder check work.ipynb                    # one submission, or a folder or zip with many",
    "autograder grade                               # the course in this folder",
    "autograder export --format csv --output marks.csv",
    "autograder grade --help                        # what a command takes"),
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.option("--version", is_flag=True, is_eager=True, expose_value=False, callback=_show_version,
              help="Show the version, and that of the checks.")
def cli() -> None:
    """Grade the multi-head attention lesson: students' code runs behind a wall, verdicts are formed outside.

    \b
    Exit codes: 0 done (whatever the marks), 1 some submissions could not be graded,
    2 wrong usage, 3 the autograder itself is broken.
    """


@contextmanager
def _refusals() -> Iterator[None]:
    """Say what a course, a file or a setting does not allow as wrong usage of the command."""
    try:
        yield
    except Refused as error:
        raise click.UsageError(str(error)) from None


def _refusing(command: click.Command) -> click.Command:
    for each in command.commands.values() if isinstance(command, click.Group) else ():
        _refusing(each)
    if command.callback is not None:
        command.callback = _refusals()(command.callback)
    return command


for _command in COMMANDS:
    cli.add_command(_refusing(_command))


def main() -> None:
    """The command `autograder`. SIGTERM is handled like Ctrl-C, so that nothing is left behind."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    _open_what_is_closed()
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
    if COMPLETE in os.environ:
        cli.main(prog_name="autograder", complete_var=COMPLETE)
    code = run(sys.argv[1:])
    try:
        sys.stdout.flush()
    except OSError:                       # the disk is full, which was already reported
        _silence_output()
    sys.exit(code)


def run(arguments: list[str]) -> int:
    """Run the command and return its exit code; any failure is one line on standard error."""
    try:
        with _refusals(), cli.make_context("autograder", arguments) as context:
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
        click.echo(f"{where}: {error.format_message().removesuffix('.')} (see {where} --help)", err=True)
        return WRONG_USAGE
    except (KeyboardInterrupt, click.Abort) as stop:
        click.echo(str(stop) or "stopped", err=True)
        return INTERRUPTED
    except BrokenPipeError:
        _silence_output()
        return NO_READER
    except OSError as error:
        return _full(error) if error.errno in FULL else _broken(error)
    except Exception as error:
        return _broken(error)


def _full(error: OSError) -> int:
    where = error.filename or "standard output"
    click.echo(f"autograder: cannot write {where}: {error.strerror}; make room, or write elsewhere", err=True)
    return WRONG_USAGE


def _broken(error: Exception) -> int:
    if isinstance(error, Stopped):
        click.echo(f"autograder: {error}", err=True)
    elif os.environ.get("AUTOGRADER_TRACEBACK") == "1":
        import traceback
        traceback.print_exc()
    else:
        what = f"{type(error).__name__}: {error}".splitlines()[0]
        click.echo(f"autograder: broken: {what} (AUTOGRADER_TRACEBACK=1 shows where)", err=True)
    return BROKEN


def _open_what_is_closed() -> None:
    """Open all three standard streams: output to a closed one is lost, and no file gets its descriptor."""
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)                           # gets the lowest free number
        if getattr(sys, name) is None:
            setattr(sys, name, os.fdopen(number, "w" if number else "r", encoding="utf-8", closefd=False))


def _silence_output() -> None:
    """Discard what standard output still buffers, so that the last flush stays silent."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
