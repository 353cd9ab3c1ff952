"""`autograder feedback`: make a zip of the students' pages that their learning environment takes back."""
from __future__ import annotations

import zipfile
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import click

from autograder.cli.class_list import class_list, section_option
from autograder.cli.common import DONE, NOT_ALL_GRADED, course_settings, writing
from autograder.cli.lessons import course_and_lesson, lesson_option
from autograder.cli.options import examples

if TYPE_CHECKING:
    from autograder.course.downloads import Downloads
    from autograder.course.folder import Course
    from autograder.output.class_list import ClassList
    from autograder.records import Grade

LMS = ("moodle", "canvas", "brightspace")
WHERE = {
    "moodle": "the assignment > Submissions > Upload multiple feedback files in a zip (with the feedback type Feedback "
              "files)",
    "canvas": "the assignment > Re-Upload Submissions",
    "brightspace": "the assignment > Submissions > Add Feedback Files",
}


@click.command(short_help="Make a zip of the students' pages for a learning environment.", epilog=examples(
    "autograder feedback                            # for the one whose zip `nbgrader zip_collect` collected",
    "autograder feedback --lms moodle --roster worksheet.csv --output feedback.zip",
    "autograder feedback --lms canvas --from submissions.zip"))
@click.option("--lms", type=click.Choice(LMS), 
              help="Who takes the zip.  [default: where the downloads are from]")
@click.option("--from", "downloads_given", metavar="ZIP", multiple=True,
              type=click.Path(exists=True, dir_okay=False, path_type=Path),
              help="The zip that was downloaded from there; may be repeated, the last one counts most.  [default: what "
                   "is in downloaded/]")
@click.option("--roster", metavar="FILE.csv", type=click.Path(dir_okay=False, path_type=Path),
              help="A CSV with a column `student`, and `Identifier` (Moodle) or `ID` (Canvas): for folders in "
                   "submitted/ that are not called by that number.")
@click.option("--output", metavar="FILE.zip", type=click.Path(dir_okay=False, path_type=Path),
              help="Where to write.  [default: feedback-LMS.zip]")
@section_option
@lesson_option("the one that was handed in")
def feedback(lms: str | None, downloads_given: tuple[Path, ...], roster: Path | None, output: Path | None,
             section: str, lesson: str | None) -> int:
    """Make a zip of the students' pages that Moodle, Canvas or Brightspace gives back to them.

    Whose a page is, is decided by the names in the learning environment's own zip, and by the roster. Who cannot be
    told is left out and named on standard error; the exit code is 1 then.
    """
    from autograder.course.return_names import places
    from autograder.output.plain import plain
    work, lesson = course_and_lesson(Path.cwd(), lesson)
    course = work.course
    downloads = _downloads(course, lesson, downloads_given)
    lms = _chosen(lms, downloads)
    pages, without = _pages(course, lesson, section)
    people = class_list(course, section, pages.keys())
    found = places(lms, _who(lms, pages, people, roster), downloads, f"{lesson}.html")
    for student, why in sorted({**without, **found.left}.items()):
        click.echo(f"autograder feedback: {plain(people.called(student))} is left out: {why}", err=True)
    if not found.places:
        raise click.UsageError("there is no page to give back")
    output = output or Path(f"feedback-{lms}.zip")
    _write(output, _contents(lms, found.places, pages, downloads))
    click.echo(f"{output}: {len(found.places)} pages. In {lms.capitalize()}: {WHERE[lms]}")
    return NOT_ALL_GRADED if without or found.left else DONE


def _chosen(lms: str | None, downloads: Downloads) -> str:
    """The learning environment that was named, or that the downloads are from."""
    if lms is None and not downloads.kinds:
        raise click.UsageError("there is no zip of a learning environment in downloaded/; name it with --from, or say "
                               "with --lms where the pages go")
    if lms is not None and downloads.kinds and lms not in downloads.kinds:
        raise click.UsageError(f"the download is {downloads.kinds[0].capitalize()}'s, not {lms.capitalize()}'s; name "
                               "the right one with --from")
    return lms or downloads.kinds[0]


def _pages(course: Course, lesson: str, section: str) -> tuple[dict[str, bytes], dict[str, str]]:
    """Each student's page with the marks as they are now, and why others have none."""
    from autograder.cli.final_marks import to_export
    from autograder.nbgrader.pages import update_pages
    from autograder.output.class_list import of_these
    grades: Iterable[Grade] = to_export(None, lesson, own_points=False).grades
    grades = of_these(grades, class_list(course, section)) if section else grades
    update_pages(course, grades, course_settings().language or "")
    pages, without = {}, {}
    for grade in grades:
        path = course.path("feedback", grade.student, lesson).with_suffix(".html")
        try:
            pages[grade.student] = path.read_bytes()
        except OSError:
            without[grade.student] = "there is no page in feedback/; `autograder grade` writes it"
    return pages, without


def _who(lms: str, pages: Collection[str], people: ClassList, roster: Path | None) -> list:
    """The students of these pages, with their numbers in the learning environment where the roster has them."""
    from autograder.course.return_names import COLUMN, Who
    from autograder.output.exports.roster import RosterError, number_in, read_roster
    path = roster or (Path(own) if (own := course_settings().roster) else None)
    rows: Mapping[str, Mapping[str, str]] = {}
    try:
        rows = read_roster(path, known=pages).rows if path is not None else {}
    except RosterError:
        if roster is not None:
            raise
    column = COLUMN.get(lms, "")
    return [Who(student, people.name(student), number_in(rows.get(student, {}).get(column, ""))) for student in pages]


def _downloads(course: Course, lesson: str, given: tuple[Path, ...]) -> Downloads:
    from autograder.course.downloads import collected, in_zips
    from autograder.intake.encoding import Unreadable
    from autograder.locale.language import translate
    try:
        return in_zips(given) if given else collected(course, lesson)
    except Unreadable as error:
        raise click.BadParameter(translate(error.why, "en"), param_hint="--from") from None


def _contents(lms: str, places: Mapping[str, str], pages: Mapping[str, bytes], downloads: Downloads
              ) -> dict[str, bytes]:
    """The files of the zip; Brightspace wants the index of its own download back."""
    found = {place: pages[student] for student, place in places.items()}
    index = downloads.index_of({place.partition("/")[0] for place in found}) if lms == "brightspace" else None
    return found if index is None else {**found, "index.html": index}


def _write(output: Path, contents: dict[str, bytes]) -> None:
    from autograder.atomic import whole_file
    from autograder.course.return_names import OURS
    from autograder.integrations.wheel import zipped
    if output.exists() and not _is_ours(output):
        raise click.UsageError(f"{output} exists and is not such a zip; it is not overwritten: name another with "
                               "--output")
    with writing(output), whole_file(output.resolve()) as file:
        file.write(zipped(contents, comment=OURS))


def _is_ours(path: Path) -> bool:
    from autograder.course.return_names import OURS
    try:
        with zipfile.ZipFile(path) as archive:
            return archive.comment == OURS
    except (OSError, zipfile.BadZipFile):
        return False
