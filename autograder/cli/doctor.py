"""`autograder doctor`: what is missing here."""
from __future__ import annotations

import json
import shutil
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING

import click

from autograder.cli.common import DONE, NOT_ALL_GRADED, writing
from autograder.cli.options import examples, nobodys_work

if TYPE_CHECKING:
    from autograder.doctor import Finding

_MARKS = {"ok": "✓", "missing": "✗", "note": "–"}
_INDENT = 14
_SUMS = {0: "Nothing is missing", 1: "1 thing to mend"}


@click.command(short_help="Say what is missing here.", epilog=examples(
    "autograder doctor                              # this installation, and the course in this folder",
    "autograder doctor --json -"))
@click.option("--json", "target", metavar="FILE|-", callback=nobodys_work,
              help="Write what was found as JSON lines, one per finding; - is standard output.")
def doctor(target: str | None) -> int:
    """Say what is there and what is missing here, each with the command that mends it. Changes nothing.

    Looks at the installation and, in a course's folder, at the course: its lessons, gradebook, files and exchange. What
    only some courses need has a dash. Exit code 1 if anything has to be mended.
    """
    from autograder.doctor import examine
    try:
        here = Path.cwd()
    except OSError:
        here = None
    found = list(examine(here))
    lacks = sum(each.state == "missing" for each in found)
    if target is not None:
        _write(target, found)
    if target != "-":
        for each in found:
            click.echo(_shown(each))
        click.echo(f"\n{_SUMS.get(lacks, f'{lacks} things to mend')}")
    return NOT_ALL_GRADED if lacks else DONE


def _write(target: str, found: list[Finding]) -> None:
    lines = "".join(json.dumps({**each._asdict(), "mend": each.mend or None}, ensure_ascii=False) + "\n"
                    for each in found)
    if target == "-":
        click.echo(lines, nl=False)
        return
    from autograder.atomic import replace_file
    with writing(target):
        replace_file(Path(target), lines.encode())


def _shown(finding: Finding) -> str:
    """A line or two, and the command on a line of its own that can be copied."""
    from autograder.output.plain import plain
    width = min(shutil.get_terminal_size().columns, 110)
    says = textwrap.fill(plain(finding.says), width, initial_indent=f"{_MARKS[finding.state]} {finding.about:<12}",
                         subsequent_indent=" " * _INDENT, break_long_words=False, break_on_hyphens=False)
    return f"{says}\n{' ' * _INDENT}{plain(finding.mend)}" if finding.mend else says
