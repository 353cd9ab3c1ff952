"""`autograder dev`: update or check the files of a checkout that are generated from other files."""

import os
from collections.abc import Iterable
from importlib import import_module
from pathlib import Path
from types import ModuleType

import click

from autograder.cli.common import DONE
from autograder.cli.options import examples

OUT_OF_DATE = 1
#: what is generated, each after what it is made from -> the module that makes it, and its help. The module has
#: `differences()`, a sentence for each file that is out of date, and `write()`, which returns the changed files.
STEPS = {
    "source": ("autograder.authoring.source", "Write the solution into the solution cells of the notebooks."),
    "modules": ("autograder.authoring.modules", "Write the modules beside the notebooks, in every language."),
    "pictures": ("autograder.authoring.pictures", "Draw the pictures of the notebooks."),
    "locale": ("autograder.locale.catalogues", "Collect the texts for students, and compile their translations."),
    "release": ("autograder.authoring.release", "Make the students' version of every assignment."),
    "syscalls": ("autograder.sandbox.syscalls", "Compile the filter of system calls."),
}


@click.group(hidden=True, short_help="Keep a checkout up to date with itself.", epilog=examples(
    "autograder dev all                             # after any change",
    "autograder dev all --check                     # in CI"))
def dev() -> None:
    """Bring up to date what a checkout of the autograder makes from its own files. For those who change it.

    \b
    Exit codes: 0 all is up to date, 1 something is not, 2 wrong usage.
    """


def _add(name: str, steps: Iterable[str], about: str) -> None:
    @dev.command(name, help=about, short_help=about, epilog=examples(f"autograder dev {name} --check"))
    @click.option("--check", is_flag=True, help="Change nothing; say what is out of date, and exit with 1.")
    def command(check: bool) -> int:
        return _up_to_date(steps, check)


for _name, (_, _about) in STEPS.items():
    _add(_name, [_name], _about)
_add("all", STEPS, "Do all of it, in the right order.")


def _up_to_date(steps: Iterable[str], check: bool) -> int:
    """Update each step, or only check it; returns the exit code."""
    _must_be_a_checkout()
    outdated = [name for name in steps if not _step(name, check)]
    for name in outdated:
        click.echo(f"out of date: run `autograder dev {name}`" if check else f"autograder dev {name}: see above")
    if not outdated:
        click.echo(f"up to date: {', '.join(steps)}")
    return OUT_OF_DATE if outdated else DONE


def _step(name: str, check: bool) -> bool:
    """Whether this step is up to date afterwards; prints what is not, and what was written."""
    try:
        module = _module(name)
        differences = module.differences()
        if differences and not check:
            for path in module.write():
                click.echo(f"wrote {os.path.relpath(path)}")
            differences = module.differences()
    except ValueError as error:             # a source file is wrong, and the error says where
        click.echo(str(error))
        return False
    except ModuleNotFoundError as error:
        raise click.UsageError(f"this needs {error.name}, which `make setup` installs") from None
    for sentence in differences:
        click.echo(sentence)
    return not differences


def _module(name: str) -> ModuleType:
    return import_module(STEPS[name][0])


def _must_be_a_checkout() -> None:
    """Raise Refused if this is not a checkout, or another one is running."""
    from autograder.authoring.new.checkout import Checkout
    Checkout.running(Path.cwd())
