"""How long grading takes, beside what else there is, on the same submissions with the same checks: `make bench`.

Everything is measured in one run on one machine: a table goes to standard output, a plot and the numbers to the folder
that --output names. Ours is measured from the command line to the last file written, our start-up counted; nbgrader
without its start-up. Sizes take from a minute (100) to a quarter of an hour (10,000).
"""
from __future__ import annotations

import argparse
import json
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from rich.console import Console
from rich.table import Table

from autograder.authoring.demo import make_class
from autograder.intake import read
from autograder.judge.engine import Engine
from autograder.lessons.installed import load_lesson
from autograder.records import Submission
from benchmarks import all_differ, alternatives, bare, scale
from benchmarks.cluster import on_a_cluster
from benchmarks.measure import AUTOGRADER, cold, run, seconds
from benchmarks.plot import plot

DIFFER, FLOOR = ", all differ", "floor: the same calls in one warm process"
WIDTH = 110                               # of the table, also where the output is no terminal


class Row(NamedTuple):
    """One line of the table."""

    what: str
    submissions: int
    seconds: float
    peak_mb: float | None = None

    @property
    def each_ms(self) -> float:
        return self.seconds / self.submissions * 1000


def measured(sizes: Sequence[int], stock: int, differ: int, folder: Path) -> Iterator[Row]:
    """Every row, as it is measured; the smallest class is the one that the alternatives share."""
    courses = {size: _made(folder / f"class-{size}", size) for size in sizes}
    small = courses[min(sizes)]
    some = _readable(small)
    notebook = small / some[0].name
    yield Row("autograder --help, cold", 1, cold(small, "--help"))
    yield Row("autograder check, one notebook, cold", 1, cold(small, "check", str(notebook)))
    yield from _engine_alone(some[:stock])
    students = [submission.student for submission in some[:stock]]
    for what, hook in (("nbgrader autograde with our hook", True), ("nbgrader autograde, stock", False)):
        each = alternatives.nbgrader(small, folder / f"nbgrader-{hook}", students, hook)
        yield Row(what, len(students), each * len(students))
    for size, course in courses.items():
        for jobs in (2, 1) if size < 10_000 else (2,):
            done = _graded(course, "--jobs", str(jobs))
            yield Row(f"autograder grade, {jobs} job{'s' * (jobs > 1)}", size, done.seconds, done.peak_mb)
        again = run([*AUTOGRADER, "grade", "--json", "answers.jsonl"], course)
        yield Row("autograder grade, nothing changed", size, again.seconds, again.peak_mb)
    yield from _all_differ(folder, differ, stock)
    middle = courses[sorted(sizes)[len(sizes) // 2]]
    size = len(list((middle / "submitted").iterdir()))
    with on_a_cluster(workers=2) as address:
        done = _graded(middle, "--cluster", address)
        yield Row("autograder grade, a Dask cluster of 2", size, done.seconds, done.peak_mb)


def _all_differ(folder: Path, students: int, stock: int) -> Iterator[Row]:
    """A class of which no two notebooks are alike: ours, nbgrader's own kernel with hidden asserts, and the floor."""
    course = folder / "all-differ"
    all_differ.make_class(course, students)
    some = _readable(course)[:stock]
    yield from _engine_alone(some, DIFFER)
    each = alternatives.nbgrader(course, folder / "nbgrader-differ", [one.student for one in some], hook=False)
    yield Row(f"nbgrader autograde, stock{DIFFER}", len(some), each * len(some))
    done = _graded(course, "--jobs", "2")
    yield Row(f"autograder grade, 2 jobs{DIFFER}", students, done.seconds, done.peak_mb)


def _made(course: Path, students: int) -> Path:
    make_class(course, students)
    return course


def _readable(course: Path) -> list[Submission]:
    """The submissions that stock nbgrader can grade too: the right name, and a kernel that lives to the end."""
    found = read([course / "submitted"], load_lesson("multihead"))
    return [one for one in found if one.unreadable is None and one.name.endswith("/multihead/multihead.ipynb")
            and not one.notices and "os._exit" not in "".join(cell.source for cell in one.cells)]


def _engine_alone(submissions: list[Submission], where: str = "") -> Iterator[Row]:
    """One warm engine, one submission after another; and the same without judge and wall."""
    with Engine(load_lesson("multihead")) as engine:
        for submission in submissions:        # whatever is set up once is set up
            engine.grade(submission)
        took = seconds(lambda: [engine.grade(submission) for submission in submissions])
        frames = bare.recorded(engine, submissions)
    yield Row(f"engine alone, 1 process{where}", len(submissions), took)
    for what, forked in (("bare forked limit: the same calls, no judge", True), (FLOOR, False)):
        yield Row(f"{what}{where}", len(submissions), bare.seconds(frames, forked))


def _graded(course: Path, *options: str):
    """A class from files to gradebook, autograded/ and feedback/, as if for the first time."""
    for made in alternatives.MADE:
        path = course / made
        shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)
    return run([*AUTOGRADER, "grade", *options, "--json", "answers.jsonl"], course)


def table(rows: Sequence[Row]) -> Table:
    """What a person reads."""
    shown = Table("what", "submissions", "seconds", "ms each", "a second", "largest process",
                  caption="start-up counted for autograder, not for nbgrader")
    for row in rows:
        many = row.submissions > 1
        shown.add_row(row.what, f"{row.submissions:,}" if many else "", f"{row.seconds:.2f}",
                      f"{row.each_ms:.1f}" if many else "", f"{1000 / row.each_ms:.1f}" if many else "",
                      f"{row.peak_mb:.0f} MB" if row.peak_mb else "")
    return shown


def claims(rows: Sequence[Row]) -> Iterator[str]:
    """What the numbers say beside each other."""
    each = {row.what: row.each_ms for row in rows if row.submissions > 1}
    best = min((row for row in rows if row.what == "autograder grade, 2 jobs"), key=lambda row: row.each_ms)
    stock = each["nbgrader autograde, stock"]
    yield (f"a class of {best.submissions:,}, end to end, 2 jobs: {stock / best.each_ms:.0f} times the rate of stock "
           "nbgrader")
    yield f"nbgrader autograde with our hook: {stock / each['nbgrader autograde with our hook']:.1f} times stock"
    best, stock = each[f"autograder grade, 2 jobs{DIFFER}"], each[f"nbgrader autograde, stock{DIFFER}"]
    yield f"a class in which all differ, end to end, 2 jobs: {stock / best:.0f} times the rate of stock nbgrader"
    engine, floor = (each[f"{what}{DIFFER}"] for what in ("engine alone, 1 process", FLOOR))
    yield f"there the engine takes {engine / floor:.2f} times the same calls in one warm process"
    engine, bare_limit = each["engine alone, 1 process"], each["bare forked limit: the same calls, no judge"]
    yield f"the engine takes {engine / bare_limit:.2f} times the bare forked limit"
    peaks = [row for row in rows if row.what == "autograder grade, 2 jobs"]
    if len(peaks) > 1:
        small, large = peaks[-2:]
        yield (f"peak memory: {large.peak_mb:.0f} MB for {large.submissions:,}, {small.peak_mb:.0f} MB for "
               f"{small.submissions:,}")
    dask = next((row for row in rows if "Dask" in row.what), None)
    local = next((row for row in peaks if dask and row.submissions == dask.submissions), None)
    if dask and local:
        yield f"a Dask cluster of 2 takes {dask.seconds / local.seconds:.2f} times what 2 local jobs take"
    if not alternatives.otter_is_there():
        yield "otter is not installed, so it was not measured"


def _scale(students: int, output: Path) -> None:
    ways, console = [], Console()
    console.width = max(console.width, WIDTH)
    with console.status("making the class") as status:
        for way in scale.measured(students):
            ways.append(way)
            status.update(f"after {way.how}, {way.seconds:.1f} s")
    console.print(scale.table(ways))
    output.mkdir(parents=True, exist_ok=True)
    (output / "scale.json").write_text(json.dumps([way._asdict() for way in ways], indent=1) + "\n")


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--sizes", default="100,1000,10000", help="of the classes (default: %(default)s)")
    parser.add_argument("--stock", type=int, default=50, help="how many nbgrader grades too (default: %(default)s)")
    parser.add_argument("--differ", type=int, default=300,
                        help="of the class in which all differ (default: %(default)s)")
    parser.add_argument("--output", type=Path, default=Path("bench"), help="folder for plot and numbers")
    parser.add_argument("--scale", type=int, metavar="STUDENTS",
                        help="only grade a class of this size in which all differ, here and on two clusters")
    options = parser.parse_args()
    if options.scale:
        _scale(options.scale, options.output)
        return
    sizes = sorted(int(size) for size in options.sizes.split(","))
    rows, console = [], Console()
    console.width = max(console.width, WIDTH)
    with tempfile.TemporaryDirectory() as folder, console.status("making classes") as status:
        for row in measured(sizes, options.stock, options.differ, Path(folder)):
            rows.append(row)
            status.update(f"after: {row.what}, {row.seconds:.1f} s")
    console.print(table(rows))
    said = list(claims(rows))
    console.print("\n".join(said))
    options.output.mkdir(parents=True, exist_ok=True)
    plot(rows, options.output / "bench.png")
    numbers = [{**row._asdict(), "each_ms": row.each_ms} for row in rows]
    (options.output / "bench.json").write_text(json.dumps({"rows": numbers, "claims": said}, indent=1) + "\n")


if __name__ == "__main__":
    main()
