"""Make the folder of a new course out of what is installed: configuration, settings with comments, assignments."""

import os
import re
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path

from autograder.atomic import replace_file
from autograder.lessons.installed import copy_assignments, load_lesson
from autograder.lessons.kit.course_file import course_file

CONFIG, ASSIGNMENTS = "nbgrader_config.py", "assignments"
SETTINGS, README = "autograder.toml", "README.md"
_COURSE_ID = re.compile(r'^c\.CourseDirectory\.course_id = .*$', re.MULTILINE)


def make_course(folder: Path, lessons: Sequence[str]) -> list[str]:
    """Make a course with these lessons, or with none; returns what was made. A README that is there stays.

    Raises FileExistsError, in one line, if anything of a course is there already: then nothing is written.
    """
    folder = folder.resolve()
    there = [name for name in (CONFIG, SETTINGS, ASSIGNMENTS) if os.path.lexists(folder / name)]
    if there:
        raise FileExistsError(f"{folder} already has {', '.join(there)}; choose another folder, or remove that")
    (folder / ASSIGNMENTS).mkdir(parents=True)
    for name in lessons:
        copy_assignments(load_lesson(name), folder)
    named = lessons[0] if lessons else re.sub(r"\W+", "-", folder.name).strip("-") or "course"
    config = course_file(CONFIG).read_text(encoding="utf-8")
    made = {CONFIG: _COURSE_ID.sub(f'c.CourseDirectory.course_id = "{named}"', config),
            **{name: files("autograder.authoring").joinpath("course", name).read_text("utf-8")
               for name in (SETTINGS, README) if not os.path.lexists(folder / name)}}
    for name, words in made.items():
        replace_file(folder / name, words.encode())
    there = [f"{ASSIGNMENTS}/{path.name}" for path in sorted((folder / ASSIGNMENTS).iterdir())]
    return [*made, *(there or [f"{ASSIGNMENTS}/"])]
