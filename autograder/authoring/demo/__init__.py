"""Make a synthetic class: a course folder with work that students could have handed in, the same for the same seed.

No real work is in it: every notebook is the assignment's own, filled in from the reference, from the implementations on
which students' tests are tried, and from the catalogue of mistakes; a few are damaged or dishonest.
"""

import random
import shutil
from collections.abc import Mapping
from datetime import datetime, timedelta
from pathlib import Path, PurePosixPath

from autograder.atomic import replace_file
from autograder.authoring.demo.cast import Cast
from autograder.authoring.demo.notebooks import Assignment
from autograder.lessons import DEFAULT
from autograder.lessons.installed import copy_assignments, load_lesson, to_carry
from autograder.lessons.kit.course_file import course_file
from autograder.lessons.trust import trust

MARKER = ".autograder-demo"               # marks a folder that may be overwritten
#: what a demo and its grading leave in the folder
_MADE = ("assignments", "lessons", "solutions", "submitted", "autograded", "feedback", "gradebook.db", ".autograder",
         "report.html")
_FIRST_DAY = datetime(2026, 3, 2, 9, 0)
_DAYS = 14


class NotADemo(FileExistsError, ValueError):
    """The folder holds something else, which is left untouched; one line."""


def make_class(course: Path, students: int = 30, seed: int = 1, lesson: str = DEFAULT,
               where: Path | None = None) -> None:
    """Write a course folder with this many students, replacing an earlier demo in it.

    The lesson may be one of the course in the folder `where`: then the demo gets it too.

    Raises NotADemo if the folder holds anything else.
    """
    loaded, rng = load_lesson(lesson, where), random.Random(seed)
    _clear(course)
    (course / MARKER).write_text("Made by `autograder demo`, which may replace everything here.\n", encoding="utf-8")
    shutil.copy(course_file("nbgrader_config.py"), course)
    copy_assignments(loaded, course)
    for name, content in to_carry(loaded).items():
        replace_file(course / name, content)
    if not loaded.home.ours:
        trust(course)                           # the copy of a lesson that is trusted, made just now
    given = {PurePosixPath(path).name: loaded.home.read(path) for path in loaded.beside.values()}
    works = Cast(Assignment.of(loaded), rng).works(students)
    digits = max(2, len(str(students)))
    for number, work in enumerate(works, start=1):
        _hand_in(course / "submitted" / f"student-{number:0{digits}}" / loaded.name, {**given, **work}, rng)


def _clear(course: Path) -> None:
    """Empty the folder of an earlier demo and what it left. Raises NotADemo if it holds anything else."""
    if course.exists() and not course.is_dir():
        raise NotADemo(f"{course} is not a folder; choose another place for the demo")
    course.mkdir(parents=True, exist_ok=True)
    if not (course / MARKER).exists() and any(course.iterdir()):
        raise NotADemo(f"{course} is not empty and was not made by `autograder demo`; choose another folder")
    for path in [*(course / name for name in _MADE), *course.glob("report-*.html")]:
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)


def _hand_in(folder: Path, files: Mapping[str, bytes], rng: random.Random) -> None:
    """Write what nbgrader leaves when a student submits: the files and the timestamp."""
    folder.mkdir(parents=True)
    for name, content in files.items():
        (folder / name).write_bytes(content)
    moment = _FIRST_DAY + timedelta(seconds=rng.randrange(_DAYS * 24 * 3600))
    (folder / "timestamp.txt").write_text(f"{moment:%Y-%m-%d %H:%M:%S}.000000 UTC\n", encoding="utf-8")
