"""`autograder extend`: give students more time."""
from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from autograder.cli.common import DONE, course_settings
from autograder.cli.lessons import course_and_lesson, lesson_option
from autograder.cli.options import examples, handed_in
from autograder.faults import did_you_mean

if TYPE_CHECKING:
    from autograder.course.folder import Course

PATIENCE = 5.0                              # seconds to wait for another command in this course
Given = dict[tuple[str, str], str]          # (assignment, student) -> until when, as it was written


@click.command(short_help="Give students more time.", epilog=examples(
    "autograder extend student-07 --until '2026-11-02 20:00'    # on the course's own clock",
    "autograder extend --list extensions-of-the-dean.csv        # columns: student, until",
    "autograder extend student-07 --remove",
    "autograder extend                                          # who has more time?"))
@click.argument("students", metavar="[STUDENT]...", nargs=-1, shell_complete=handed_in)
@click.option("--until", metavar="TIME", help="Such as '2026-11-02 20:00', on the course's clock, or with a time zone.")
@click.option("--list", "file", metavar="FILE.csv", type=click.Path(dir_okay=False, path_type=Path),
              help="A CSV with the columns student and until; others are ignored.")
@click.option("--remove", is_flag=True, help="Take the extension back.")
@lesson_option("the one that was handed in")
def extend(students: tuple[str, ...], until: str | None, file: Path | None, remove: bool, lesson: str | None) -> int:
    """Give students more time, by name or by a list; `autograder grade` then counts from there.

    Who has more time is kept in extensions.csv, beside nbgrader_config.py. Without arguments it is shown.
    """
    from autograder.course.lock import only_one
    _check(students, until, file, remove)
    work, lesson = course_and_lesson(Path.cwd(), lesson)
    course = work.course
    with only_one(course.root, "autograder extend", PATIENCE):
        return _extend(course, students, until, file, remove, lesson)


def _check(students: tuple[str, ...], until: str | None, file: Path | None, remove: bool) -> None:
    """Refuse what does not go together."""
    if file is not None and (students or until or remove):
        raise click.UsageError("--list names the students and the times; leave out the rest")
    if until is not None and remove:
        raise click.UsageError("--until gives more time and --remove takes it back; choose one")
    if bool(students) != (until is not None or remove):
        raise click.UsageError("name the students and --until TIME (or --remove)" if students
                               else "name the students whom this is for")


def _extend(course: Course, students: tuple[str, ...], until: str | None, file: Path | None, remove: bool,
            lesson: str) -> int:
    from autograder.course.extensions import extensions, read_list, write_extensions
    before = extensions(course.root)
    if file is None and not students:
        _show(course, {key: words for key, words in before.items() if key[0] == lesson})
        return DONE
    new = read_list(file, lesson) if file is not None else {(lesson, student): until or "" for student in students}
    if remove:
        absent = [student for _, student in new if (lesson, student) not in before]
        if absent:
            raise click.UsageError(f"{absent[0]} has no extension for {lesson}")
        write_extensions(course.root, {key: words for key, words in before.items() if key not in new})
        _tell(course, dict.fromkeys(new, ""))
        click.echo("\n".join(f"{student}: no extension any more" for _, student in new))
    else:
        _check_times(course, new)
        write_extensions(course.root, {**before, **new})
        _tell(course, new)
        _show(course, new)
    click.echo("`autograder grade` counts from there", err=True)
    return DONE


def _check_times(course: Course, given: Given) -> None:
    """Refuse a time that is not understood, or that is not later than the due date; ask about unknown students."""
    from autograder.course.extensions import moment
    from autograder.course.late import in_zone
    from autograder.nbgrader.marks import due_date
    zone = course_settings(course.root).timezone
    due = {assignment: due_date(course, assignment) for assignment, _ in given}
    for (assignment, student), words in given.items():
        until, usual = moment(words, zone, f"--until of {student}"), due[assignment]
        if usual is not None and until <= usual:
            raise click.UsageError(f"{student}: {in_zone(until, zone)} is not later than the due date of {assignment}, "
                                   f"{in_zone(usual, zone)}")
        if usual is None:
            click.echo(f"autograder extend: nbgrader knows no due date of {assignment} yet; until then nobody is late",
                       err=True)
        there = [name for name, _ in course.submissions(assignment)]
        if student not in there:
            click.echo(f"autograder extend: {student} has not handed in {assignment} yet{did_you_mean(student, there)}",
                       err=True)


def _show(course: Course, given: Given) -> None:
    from autograder.course.extensions import moment
    from autograder.course.late import in_zone
    zone = course_settings(course.root).timezone
    for (assignment, student), words in sorted(given.items()):
        click.echo(f"{student}: {assignment} until {in_zone(moment(words, zone, student), zone)} ({zone})")
    if not given:
        click.echo("nobody has an extension")


def _tell(course: Course, given: Given) -> None:
    """Tell nbgrader's gradebook, for the students that it has work of."""
    from autograder.course.extensions import moment
    from autograder.nbgrader.extending import set_extensions
    zone = course_settings(course.root).timezone
    for assignment in {assignment for assignment, _ in given}:
        set_extensions(course, assignment, {
            student: moment(words, zone, student) if words else None
            for (of, student), words in given.items() if of == assignment})
