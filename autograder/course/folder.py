"""Read a course folder as nbgrader sees it: its configuration, its directories and what was handed in.

Only traitlets is imported, since importing nbgrader takes longer than grading a small class.
"""
from __future__ import annotations

import os
import re
from dataclasses import dataclass, field
from glob import escape, glob
from pathlib import Path
from string import Formatter
from typing import Any

from traitlets.config.loader import Config, ConfigFileNotFound, JSONFileConfigLoader, PyFileConfigLoader

from autograder.faults import Refused
from autograder.intake.names import is_text

CONFIG = "nbgrader_config"
_ANYONE = "\ue000"                       # the place of a student's name in a path until it becomes a pattern
#: nbgrader's defaults for what the configuration leaves out
_DEFAULTS = {
    "course_id": "", "db_url": "", "root": "", "student_id_exclude": "", "groupshared": False,
    "directory_structure": os.path.join("{nbgrader_step}", "{student_id}", "{assignment_id}"),
    "source_directory": "source", "release_directory": "release", "submitted_directory": "submitted",
    "autograded_directory": "autograded", "feedback_directory": "feedback",
    "ignore": [".ipynb_checkpoints", "*.pyc", "__pycache__", "feedback"],
}
COURSE_SETTINGS = tuple(_DEFAULTS)      # the options of nbgrader's CourseDirectory that matter here


class CourseError(Refused):
    """This folder is not a course, or its configuration is wrong: what was seen, expected and to do, in one line."""


@dataclass(frozen=True)
class Course:
    """A course folder. `config` is its whole configuration, for nbgrader's own classes."""

    root: Path
    config: Config = field(repr=False)

    @classmethod
    def find(cls, folder: Path) -> Course:
        """The course in this folder; CourseError if there is none.

        A folder without nbgrader_config.py is a course with nbgrader's defaults if it has a folder submitted/.
        """
        folder = Path(folder).resolve()
        if not folder.is_dir():
            raise CourseError(f"there is no folder {folder}")
        config, own = _everywhere(), read_config(folder)
        config.merge(own)
        course = cls(folder, config)
        course._check()
        root = own.get("CourseDirectory", {}).get("root", "")
        return cls(Path(folder, root).resolve(), config)

    def _check(self) -> None:
        for name, default in _DEFAULTS.items():
            if not isinstance(self.setting(name), type(default)):
                raise self._wrong(name, f"a {type(default).__name__}")
        if _gaps(self.setting("directory_structure")) != {"nbgrader_step", "student_id", "assignment_id"}:
            raise self._wrong("directory_structure", "the gaps {nbgrader_step}, {student_id} and {assignment_id}")
        configured = any((self.root / f"{CONFIG}{suffix}").exists() for suffix in (".py", ".json"))
        if not configured and not self.path("submitted", "", "").is_dir():
            raise CourseError(f"{self.root} is not a course: it has no {CONFIG}.py and no folder submitted/; go to the "
                              "folder of the course, or make one with `autograder init my-course`")

    def _wrong(self, name: str, expected: str) -> CourseError:
        return CourseError(f"{self.root / CONFIG}.py: CourseDirectory.{name} is {self.setting(name)!r}, "
                           f"expected {expected}")

    def setting(self, name: str) -> Any:
        """An option of nbgrader's CourseDirectory, or nbgrader's default for it."""
        value = self.config.get("CourseDirectory", {}).get(name, _DEFAULTS[name])
        return value.get_value(list(_DEFAULTS[name])) if hasattr(value, "get_value") else value

    @property
    def course_id(self) -> str:
        return self.setting("course_id").strip()

    @property
    def db_url(self) -> str:
        """Where the gradebook is."""
        return self.setting("db_url") or f"sqlite:///{self.root / 'gradebook.db'}"

    def path(self, step: str, student: str, assignment: str) -> Path:
        """The folder of one step ("source", "submitted", "autograded", ...); source and release have the student ".".
        """
        if os.sep in student or student == "..":
            raise CourseError(f"{student!r} cannot be the name of a student's folder")
        below = self.setting("directory_structure").format(
            nbgrader_step=self.setting(f"{step}_directory"), student_id=student, assignment_id=assignment)
        return Path(os.path.normpath(os.path.join(self.root, below)))

    def submissions(self, assignment: str) -> list[tuple[str, Path]]:
        """Each student who handed in this assignment, by name, with the folder of their work."""
        gaps = {"nbgrader_step": escape(self.setting("submitted_directory")), "assignment_id": escape(assignment)}
        pattern = os.path.join(escape(str(self.root)),
                               self.setting("directory_structure").format(student_id="*", **gaps))
        student = self._student_pattern(assignment).fullmatch
        found = {match["student"]: Path(folder) for folder in glob(pattern)
                 if os.path.isdir(folder) and is_text(folder) and (match := student(os.path.normpath(folder)))}
        return sorted((student, folder) for student, folder in found.items() if student not in self.excluded)

    @property
    def assignments(self) -> set[str]:
        """The names of the assignments that the course has notebooks for."""
        source = self.path("source", ".", "x").parent
        return {path.name for path in source.iterdir() if path.is_dir()} if source.is_dir() else set()

    @property
    def excluded(self) -> set[str]:
        """The students that the configuration leaves out."""
        return {name.strip() for name in self.setting("student_id_exclude").split(",")} - {""}

    def _student_pattern(self, assignment: str) -> re.Pattern[str]:
        path = re.escape(str(self.path("submitted", _ANYONE, assignment)))
        first, *others = path.split(_ANYONE)
        return re.compile(first + "(?P<student>[^/]+)" + "(?P=student)".join(others))

    @property
    def file_mode(self) -> int:
        """The permissions that nbgrader gives to autograded files."""
        return 0o664 if self.setting("groupshared") else 0o444

    @property
    def own_mode(self) -> int:
        """The permissions of what the autograder itself writes and writes again."""
        return 0o664 if self.setting("groupshared") else 0o644


def _gaps(template: str) -> set[str]:
    """The names of the gaps in a format string; none if it is not a format string."""
    try:
        return {gap for _, gap, _, _ in Formatter().parse(template) if gap is not None}
    except ValueError:
        return set()


def read_config(folder: Path) -> Config:
    """The contents of nbgrader_config.py and nbgrader_config.json in this folder; CourseError if one does not run."""
    config = Config()
    for loader, suffix in ((PyFileConfigLoader, ".py"), (JSONFileConfigLoader, ".json")):
        try:
            config.merge(loader(CONFIG + suffix, str(folder)).load_config())
        except ConfigFileNotFound:
            continue
        except Exception as error:          # the file is the course's own Python and can raise anything
            raise CourseError(f"{folder / CONFIG}{suffix} does not run: {type(error).__name__}: {error}") from error
    return config


def _everywhere() -> Config:
    """What Jupyter's own configuration folders say about nbgrader, except which folder is the course."""
    from jupyter_core.paths import jupyter_config_path
    config = Config()
    for path in reversed(jupyter_config_path()):
        config.merge(read_config(Path(path)))
    if "CourseDirectory" in config:
        config.CourseDirectory.pop("root", None)
    return config
