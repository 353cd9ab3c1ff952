"""Look at an installation and a course: what is there, what is missing, and the command that mends it.

Nothing is written, no student's code runs, and nothing that is found stops the rest from being looked at.
"""

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from autograder.doctor import exchange, installation, of_course
from autograder.doctor.findings import Finding, first_line, missing, named_command
from autograder.faults import Refused, Stopped

__all__ = ["Finding", "examine"]


def examine(folder: Path | None) -> Iterator[Finding]:
    """Everything there is to say about this installation and about the course in this folder; None: it was deleted."""
    course, found = of_course.course_in(folder)
    isolation = of_course.isolation_in(folder)
    yield from _looked("versions", installation.versions)
    yield from _looked("commands", installation.commands)
    yield from _looked("kernel", installation.kernel)
    yield from _looked("umask", installation.umask)
    yield from _looked("processes", installation.processes)
    yield from _looked("wall", lambda: installation.wall(isolation))
    yield from found
    yield from _looked("settings", lambda: of_course.settings(folder))
    yield from _looked("lessons", lambda: of_course.lessons(folder))
    if course is None:
        return
    yield from _looked("assignments", lambda: of_course.assignments(course))
    yield from _looked("gradebook", lambda: of_course.gradebook(course))
    yield from _looked("files", lambda: of_course.files(course, shared=exchange.is_there(course)))
    yield from _looked("exchange", lambda: exchange.exchange(course))
    yield from _looked("formgrader", lambda: of_course.formgrader(course))


def _looked(about: str, look: Callable[[], Iterable[Finding]]) -> list[Finding]:
    """What was found; whatever goes wrong in looking is a finding too."""
    try:
        return list(look())
    except (Refused, Stopped) as error:
        return [missing(about, str(error), named_command(str(error)))]
    except (Exception, SystemExit) as error:    # a course's configuration is Python of its own
        return [missing(about, f"this could not be looked at: {first_line(error)}")]
