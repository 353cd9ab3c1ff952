"""`autograder export`: write the marks in the formats of other systems."""
from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from autograder.cli.class_list import absent_from, class_of, nothing_from, section_option
from autograder.cli.common import DONE, NOT_ALL_GRADED, course_settings, writing
from autograder.cli.final_marks import OWN, Export, to_export, why_empty
from autograder.cli.last_grades import stored
from autograder.cli.lessons import lesson_option
from autograder.cli.options import examples, language_option, nobodys_work, spare_the_given

if TYPE_CHECKING:
    from autograder.course.settings import Settings
    from autograder.output.exports import Format, Order
    from autograder.records import Grade

FORMATS = ("gradescope", "junit", "csv", "canvas", "brightspace", "moodle", "github")


@click.command(short_help="Write the marks in the format of another system.", epilog=examples(
    "autograder export --format csv --decimal comma --output marks.csv      # for a Dutch Excel",
    "autograder export --format brightspace --roster class.csv --item 'Week 5' --output grades.csv",
    "autograder export --format moodle --roster worksheet.csv --output filled.csv",
    "autograder check work.ipynb --json work.jsonl && autograder export --format gradescope work.jsonl"))
@click.argument("file", metavar="[FILE.jsonl]", required=False, type=click.Path(dir_okay=False, path_type=Path))
@click.option("--format", "name", type=click.Choice(FORMATS), required=True, help="What to write.")
@click.option("--output", metavar="FILE|DIR|-", default="-", callback=nobodys_work,
              help="Where to write; for gradescope and github a folder with a file per submission. "
                   "[default: standard output]")
@click.option("--roster", metavar="FILE.csv", type=click.Path(dir_okay=False, path_type=Path),
              help="A CSV of the students: a column `student` (the folder in submitted/) beside the columns "
                   "of Canvas, Brightspace or Moodle, as in their own export.")
@click.option("--match", metavar="COLUMN", default="",
              help="The roster's column with the students' names, if it is not `student`.")
@click.option("--item", metavar="NAME", default="", help="What the other system calls the assignment; for Canvas "
              "\"Name (id)\".  [default: the lesson's name]")
@click.option("--grade-column", metavar="NAME", default="",
              help="The column of Moodle's worksheet to fill.  [default: Grade or Cijfer]")
@click.option("--decimal", type=click.Choice(["point", "comma"]), default="point", show_default=True,
              help="The decimal separator; with a comma, csv and canvas separate columns by semicolons.")
@click.option("--as", "unit", type=click.Choice(["mark", "points"]),
              help="What canvas, brightspace and moodle get.  [default: the mark, if autograder.toml has a scale]")
@click.option(OWN, is_flag=True,
              help="The autograder's own points: without manual scores, extra credit and late penalties.")
@section_option
@lesson_option("the only lesson with grades")
@language_option
def export(file: Path | None, name: str, output: str, roster: Path | None, match: str, item: str, grade_column: str,
           section: str, decimal: str, unit: str | None, own_points: bool, lesson: str | None, language: str) -> int:
    """Write the marks in the format of another system.

    In a course's folder they are those of nbgrader's gradebook: with manual scores and extra credit, less late
    penalties. From the JSON lines of `check --json` in FILE.jsonl they are the autograder's own points.

    Unknown marks (a cell that waits for a person, a file that cannot be read, a fault of ours) are left empty, never 0:
    standard error then says whose, and the exit code is 1. Only Gradescope gets 0 for a file that cannot be read, as
    its student would read nothing without a score.
    """
    from autograder.output.class_list import of_these
    from autograder.output.exports import FORMATS as ALL
    from autograder.output.exports import Order, unknown
    from autograder.output.exports.roster import read_roster
    kind = ALL[name]
    if roster is not None and not kind.roster:
        raise click.UsageError(f"--roster is for {', '.join(each for each, kind in ALL.items() if kind.roster)}, and "
                               f"{name} does not take one")
    spare_the_given(output, [str(path) for path in (file or stored(), roster) if path], "what is read for it")
    settings = course_settings()
    scaled = _scaled(settings, unit, own_points)
    found = to_export(file, lesson or "", own_points)
    people = class_of(file, section, found.grades)
    absent = absent_from(people, found) if file is None else []
    if section:
        found = found._replace(grades=of_these(found.grades, people))
    known = {grade.student for grade in found.grades}
    order = Order(language, item or found.lesson, roster and read_roster(roster, match, known),
                  "," if decimal == "comma" else ".", grade_column, scaled, people, absent, found.marks)
    files = _files(kind, found.grades, order, output)
    notes = [*found.notes, *people.notes, *nothing_from(people, absent)]
    for note in [*notes, *_notes(order, found.grades, settings.late.rule)]:
        click.echo(f"autograder export: {note}", err=True)
    _write(files, output)
    _say_who_is_unknown(kind, found)
    return NOT_ALL_GRADED if unknown(found.grades) else DONE


def _scaled(settings: Settings, unit: str | None, own_points: bool) -> bool:
    """Whether marks on the course's scale are exported, instead of points. UsageError where there are none."""
    scaled = settings.mark.scale != "none" and not own_points
    if unit == "mark" and not scaled:
        raise click.UsageError("there are no marks, only points: autograder.toml has no scale"
                               if not own_points else f"{OWN} are points; leave out --as")
    return scaled and unit != "points"


def _say_who_is_unknown(kind: Format, found: Export) -> None:
    """Name everyone without points, and what this format has in their place."""
    from autograder.output.exports import unknown
    from autograder.output.plain import plain
    for grade in unknown(found.grades):
        whose = plain(grade.student or grade.submission)
        instead = kind.unreadable if grade.status == "unreadable" else "left empty"
        click.echo(f"autograder export: {whose} has no points ({why_empty(grade, found.marks)}); {instead}", err=True)


def _files(kind: Format, grades: Sequence[Grade], order: Order, output: str) -> dict[str, bytes]:
    """The content of each file by its name; "" is the output itself."""
    if not kind.each or len(grades) == 1 and not Path(output).is_dir():
        return {"": kind.write(grades, order)}
    if output == "-":
        raise click.UsageError(f"{len(grades)} submissions each have a file: name a folder with --output")
    files: dict[str, bytes] = {}
    for grade in grades:
        name = re.sub(r"[^\w.@+-]", "_", grade.student or grade.submission).lstrip(".") + kind.suffix
        if name in files:
            raise click.UsageError(f"two submissions would be {name} in {output}; export them one by one")
        files[name] = kind.write([grade], order)
    return files


def _write(files: dict[str, bytes], output: str) -> None:
    from autograder.atomic import whole_file
    if output == "-":
        sys.stdout.flush()
        sys.stdout.buffer.write(files[""])
        return
    with writing(output):
        if "" not in files:
            Path(output).mkdir(parents=True, exist_ok=True)
        for name, data in files.items():
            with whole_file(Path(output, name) if name else Path(output).resolve()) as file:
                file.write(data)


def _notes(order: Order, grades: Sequence[Grade], late: str) -> list[str]:
    from autograder.output.exports.roster import named
    from autograder.output.plain import plain
    notes = list(order.roster.notes) if order.roster is not None else []
    if order.roster is not None:
        given = {grade.student for grade in grades}
        more = [student for student in order.roster.rows if student not in given]
        notes += [f"left out, without a grade here: {plain(named(more))} of {order.roster.path}"] if more else []
    if late != "none" and order.marks is None:
        notes.append("late penalties are in nbgrader's gradebook, not in these points")
    return notes
