"""`autograder report`: write the class on one page, for the lecturer."""
from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import click

from autograder.cli.class_list import class_list, section_option
from autograder.cli.common import BROKEN, DONE, LESSON, course_here, course_lesson, course_settings, writing
from autograder.cli.last_grades import last_grades, lesson_of, stored
from autograder.cli.options import examples, nobodys_work, spare_the_given
from autograder.faults import Refused, broken

if TYPE_CHECKING:
    from autograder.course.folder import Course
    from autograder.course.submitted import SubmittedFolder
    from autograder.records import Grade
    from autograder.report.grid import Link
    from autograder.report.run import Run

KEY = Path(".autograder", "anonymous.key")
OWN_PROCESS = 2000                              # from this many students a run's report gets its own process
_given = click.Path(dir_okay=False, path_type=Path)


@click.command(short_help="Write the class on one page.", epilog=examples(
    "autograder report                                       # the course in this folder",
    "autograder report grades.jsonl --output class.html      # the JSON lines of check or grade",
    "autograder report --against ../2025/.autograder/store.db",
    "autograder report --anonymous                           # to show in class"))
@click.argument("file", metavar="[FILE.jsonl]", required=False, type=_given)
@click.option("--output", metavar="FILE", callback=nobodys_work,
              help="Where to write.  [default: report.html, or report-anonymous.html]")
@click.option("--anonymous", is_flag=True,
              help="Codes instead of names, no files or links. In a course's folder the codes stay the same.")
@click.option("--against", metavar="FILE", type=_given,
              help="Also say what got better and worse since this store or JSON file.")
@click.option("--pass-mark", metavar="POINTS", type=click.FloatRange(0, 1e6),
              help="Points needed to pass.  [default: 55% of the points, or what autograder.toml says]")
@section_option
@click.option("--lesson", metavar="NAME", default="", help="Which lesson, if the course has several.")
@click.option("--lang", "language", type=click.Choice(["nl", "en"]),
              help="The language of what students see: titles, messages, hints. The page itself is in English. "
                   "[default: that of most notebooks, else nl]")
def report(file: Path | None, output: str | None, anonymous: bool, against: Path | None, pass_mark: float | None,
           section: str, lesson: str, language: str | None) -> int:
    """Write the class on one page: how they did, what they did not understand, which check is odd, whom to look at.

    The grades come from the last `autograder grade` in this folder, or from the JSON lines of `check --json` or `grade
    --json` in FILE.jsonl. The page works offline from a file.
    """
    from autograder.course.submitted import SubmittedFolder
    course = course_here()
    work = SubmittedFolder(course) if course is not None else None
    run = _run(file, lesson, work if file is None else None)
    run = _with_class(run, course, section, work if file is None else None)
    target = output or _name(lesson_of(run.grades), anonymous)
    spare_the_given(target, [str(path) for path in (file, against, stored()) if path is not None],
                    "what is read for it")
    earlier = _run(against, lesson or lesson_of(run.grades)) if against is not None else None
    _check_pass_mark(pass_mark, run)
    complete = _write(Path(target), run, language, course, anonymous, earlier, pass_mark)
    click.echo(os.path.relpath(target))
    return DONE if complete else BROKEN


def write_course_report(work: SubmittedFolder, lesson: str, language: str | None, students: int) -> tuple[Path, bool]:
    """Write the page of a lesson that was just graded into the course's folder; whether all are on it as graded.

    A separate process makes it for a large class: it holds all grades at once, and this process already holds nbgrader.
    """
    course, page = work.course, work.course.root / _name(lesson)
    if students < OWN_PROCESS:
        run = _with_class(_run(stored(course.root), lesson, work), course, work=work)
        return page, _write(page, run, language, course)
    options = ["--lesson", lesson, *(["--lang", language] if language else [])]
    done = subprocess.run([sys.executable, "-m", "autograder", "report", *options], cwd=course.root, text=True,
                          stdin=subprocess.DEVNULL, capture_output=True, check=False)
    if done.returncode == BROKEN and done.stdout.strip():
        click.echo(done.stderr, err=True, nl=False)
    elif done.returncode != DONE:
        raise Refused(done.stderr.strip() or f"the report ended with exit code {done.returncode}")
    return page, done.returncode == DONE


def _with_class(run: Run, course: Course | None, section: str = "", work: SubmittedFolder | None = None) -> Run:
    """The run with the names of the class, and who handed in nothing; of a section only its students."""
    from autograder.output.class_list import of_these
    graded = {grade.student for grade in run.grades}
    people = class_list(course, section, graded)
    there = work.students(course_lesson(work.course.root, lesson_of(run.grades))) if work is not None else []
    absent = people.without(graded.union(there)) if work is not None else []
    return replace(run, people=people, absent=absent,
                   grades=of_these(run.grades, people) if section else run.grades)


def _name(lesson: str, anonymous: bool = False) -> str:
    """report.html, or a name with the lesson in it for any other lesson."""
    return "-".join(["report", *[lesson] * (lesson != LESSON), *["anonymous"] * anonymous]) + ".html"


def _write(target: Path, run: Run, language: str | None, course: Course | None, anonymous: bool = False,
           against: Run | None = None, pass_mark: float | None = None) -> bool:
    from autograder.atomic import whole_file
    from autograder.report.run import made_of, shows, signed
    settings, link = course_settings(course.root) if course else course_settings(), _links(course, target)
    choices: dict[str, Any] = {"language": language or _language(run.grades), "pass_mark": pass_mark,
                               "pass_share": settings.pass_percent / 100,
                               "secret": _secret(course) if anonymous else None}
    made = made_of(run, against and vars(against), choices, [link(grade) for grade in run.grades])
    if shows(target, made):
        return True
    from autograder.report.page import report_page
    page, complete = _with_everybody(run, partial(report_page, against=against, link=link, **choices))
    content = page.encode("utf-8", "replace")
    with writing(target), whole_file(target) as file:
        file.write(signed(content, made) if complete else content)
    return complete


def _with_everybody(run: Run, page: Callable[[Run], str]) -> tuple[str, bool]:
    """The page, and whether it shows all grades. A grade that breaks it is shown as broken."""
    try:
        return page(run), True
    except Exception as error:
        fails = [grade for grade in run.grades if not _can_be_shown(grade, run, page)]
        if not fails:
            raise
        grades = [broken(grade, error) if grade in fails else grade for grade in run.grades]
        click.echo(f"autograder: the report shows {fails[0].student} as broken: {type(error).__name__}: "
                   f"{error}"[:300], err=True)
        return page(replace(run, grades=grades)), False


def _can_be_shown(grade: Grade, run: Run, page: Callable[[Run], str]) -> bool:
    try:
        page(replace(run, grades=[grade]))
    except Exception:
        return False
    return True


def _language(grades: Sequence[Grade]) -> str:
    """The language of most notebooks."""
    from autograder.locale.language import LANGUAGES, language_for
    known = [language_for(grade, "") for grade in grades if grade.language]
    return max(LANGUAGES, key=known.count)


# --- where the grades come from -----------------------------------------------------------------------------------

def _run(path: Path | None, lesson: str, work: SubmittedFolder | None = None) -> Run:
    """The grades of one lesson in this file; of a course, only of students whose work is still in submitted/."""
    from autograder.cli.final_marks import with_own_marks
    from autograder.report.reading import read_left
    from autograder.report.run import Run
    course = work.course if work is not None else None
    settings = course_settings(course.root) if course is not None else course_settings()
    grades = last_grades(path, lesson)
    left = read_left(path) if path is not None and course is None else []
    rules: list[tuple[str, str]] = []
    places: dict[str, str] = {}
    if work is not None and course is not None:
        found = work.of(settings.lesson(lesson_of(grades)))
        there = {work.student for work in found.works}
        grades, left = [grade for grade in grades if grade.student in there] or grades, found.left
        grades, rules = _with_marks(course, lesson_of(grades), grades)
        from autograder.nbgrader.marks import formgrader_pages
        places = formgrader_pages(course, settings.lesson(lesson_of(grades)))
    grades = with_own_marks(grades)
    name = course.root.name if course is not None else str(path)
    return Run(grades, name, datetime.fromtimestamp((path or stored()).stat().st_mtime), left,
               places=places, rules=rules)


def _with_marks(course: Course, lesson: str, grades: Sequence[Grade]) -> tuple[list[Grade], list[tuple[str, str]]]:
    """The grades with the marks of the gradebook, where it has them, and the course's rules about marks.

    Pages that show an older mark are written again.
    """
    from autograder.cli.final_marks import marked
    from autograder.course.late import in_words
    from autograder.nbgrader.marks import due_date
    from autograder.nbgrader.pages import update_pages
    found = list(marked(course, lesson, grades))
    update_pages(course, found)
    return found, in_words(course_settings(course.root), due_date(course, lesson))


def _check_pass_mark(points: float | None, run: Run) -> None:
    """Refuse a pass mark that nobody can reach, or that is not the one behind the marks of the class."""
    from autograder.output.final import final_max
    if points is None:
        return
    most = max(map(final_max, run.grades))
    if points > most:
        raise click.UsageError(f"--pass-mark is {points:g}, and there are only {most:g} points; name at most {most:g}")
    if any(grade.mark is not None and grade.mark.value is not None for grade in run.grades):
        raise click.UsageError("--pass-mark cannot differ from the pass mark of the scale; set pass_points or "
                               "pass_percent in autograder.toml, which changes the marks too")


# --- what the page links to, and what it must not ----------------------------------------------------------------

def _links(course: Course | None, target: Path) -> Link:
    """The address of a student's feedback page relative to the report, if there is one."""
    def link(grade: Grade) -> str | None:
        from autograder.course.folder import CourseError
        if course is None or not grade.student:
            return None
        try:
            page = course.path("feedback", grade.student, grade.lesson or LESSON).with_suffix(".html")
        except CourseError:
            return None
        return quote(os.fsencode(os.path.relpath(page, target.absolute().parent))) if page.is_file() else None
    return link


def _secret(course: Course | None) -> bytes:
    """The key for the codes of an anonymous page: kept in the course's folder, else new each time."""
    if course is None:
        return os.urandom(32)
    path = course.root / KEY
    path.parent.mkdir(exist_ok=True)
    try:
        mode = 0o660 if course.setting("groupshared") else 0o600
        with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "wb") as file:
            file.write(os.urandom(32))
    except FileExistsError:
        pass
    secret = path.read_bytes()
    if len(secret) < 16:
        raise click.UsageError(f"{path} is too short to keep names secret; remove it, and a new one is made")
    return secret
