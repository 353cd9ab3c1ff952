"""Read and write the checkout or the course that new parts go into, and check the names of the parts."""
from __future__ import annotations

import keyword
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from autograder.atomic import replace_file
from autograder.faults import Refused
from autograder.lessons.installed import FOLDER, lesson_names, load_lesson, own_lessons
from autograder.lessons.kit.lesson import Exercise, Lesson
from autograder.lessons.trust import is_trusted

LONGEST = 60                                    # characters of a name, which becomes that of files


class CannotMake(Refused):
    """Nothing was written: what was seen, what was expected and what to do, in one line."""


@dataclass
class Made:
    """What was written, and the file to open next."""

    root: Path
    files: dict[str, str] = field(default_factory=dict)         # relative path -> its whole content
    opens: str = ""                                             # the file to open next, with the line

    def line_of(self, path: str, words: str) -> str:
        """The position of these words in a file to be written, as editors take it: path:line."""
        before = self.files[path].partition(words)[0]
        return f"{path}:{before.count(chr(10)) + 1}"

    @property
    def new(self) -> list[str]:
        return [path for path in self.files if not (self.root / path).exists()]


@dataclass(frozen=True)
class Checkout:
    """The repository of the autograder in this folder, or a course with lessons of its own."""

    root: Path
    lessons: str = "autograder/lessons"         # where they are in it

    @classmethod
    def here(cls, folder: Path) -> Checkout:
        """The course in this folder, or the checkout. Raises CannotMake if it is neither, or not the user's."""
        folder = folder.resolve()
        course = any((folder / name).is_file() for name in ("nbgrader_config.py", "autograder.toml"))
        if not course or (folder / "autograder" / "lessons").is_dir():
            return cls.running(folder)
        if not is_trusted(folder):
            raise CannotMake(f"{folder} is not a course that you trust, so its lessons would not be used; if you do: "
                             f"autograder trust {folder}")
        return cls(folder, FOLDER)

    @classmethod
    def running(cls, folder: Path) -> Checkout:
        """The checkout in this folder. Raises CannotMake if there is none, or another one is running."""
        folder = folder.resolve()
        running = Path(__file__).resolve().parents[3]
        if not (folder / "autograder" / "lessons").is_dir() or not (folder / "pyproject.toml").is_file():
            raise CannotMake(f"{folder} is not a checkout of the autograder or a course; change to the one that you "
                             "work in, or make a course with `autograder init --empty`")
        if running != folder:
            raise CannotMake(f"this is the autograder of {running}; run `python -m autograder` to work in {folder}")
        return cls(folder)

    @property
    def is_course(self) -> bool:
        return self.lessons == FOLDER

    @property
    def names(self) -> list[str]:
        """The lessons that can be added to, and whose names are taken."""
        return own_lessons(self.root) if self.is_course else lesson_names()

    def lesson(self, name: str) -> Lesson:
        """The lesson with this name; CannotMake if it lies elsewhere."""
        if self.is_course and name not in self.names:
            raise CannotMake(f"{name} is not a lesson of this course; its own are: {', '.join(self.names) or 'none'}")
        return load_lesson(name, self.root if self.is_course else None)

    def folder(self, lesson: str) -> str:
        """Where the parts of this lesson are."""
        return f"{self.lessons}/{lesson}"

    def exercise(self, lesson: Lesson, name: str) -> Exercise:
        """The exercise with this name; CannotMake lists the existing ones."""
        found = {exercise.name: exercise for exercise in lesson.exercises}
        if name not in found:
            raise CannotMake(f"{lesson.name} has no exercise {name!r}; it has: {', '.join(found)}")
        return found[name]

    def read(self, path: str) -> str:
        try:
            return (self.root / path).read_text(encoding="utf-8")
        except FileNotFoundError:
            raise CannotMake(f"expected the file {path}, which does not exist") from None

    def must_be_new(self, path: str) -> None:
        if (self.root / path).exists():
            raise CannotMake(f"{path} already exists and was left unchanged; choose another name")

    def write(self, made: Made) -> None:
        """Write all of it. Each file is complete at any moment."""
        for path, content in made.files.items():
            try:
                replace_file(self.root / path, content.encode(), 0o644)
            except OSError as error:
                raise CannotMake(f"cannot write {path}: {error.strerror or error}; make room for it, and run this again"
                                 ) from None


def snake(name: str, what: str) -> str:
    """A valid name for a function or a folder; CannotMake says what it should look like."""
    return _valid(name, what, "_", "two_words")


def dashed(name: str, what: str) -> str:
    """A valid name with dashes; CannotMake says what it should look like."""
    return _valid(name, what, "-", "two-words")


def _valid(name: str, what: str, between: str, like: str) -> str:
    if not re.fullmatch(rf"[a-z][a-z0-9]*(?:{between}[a-z0-9]+)*", name) or keyword.iskeyword(name) or (
            len(name) > LONGEST):
        raise CannotMake(f"{name!r} cannot be the name of {what}; expected lower-case words like {like}, at most "
                         f"{LONGEST} characters")
    return name


def rendered(template: str, **values: Any) -> str:
    """One of the templates with its gaps filled."""
    environment = Environment(loader=PackageLoader("autograder.authoring.new"), undefined=StrictUndefined,
                              keep_trailing_newline=True, trim_blocks=True, lstrip_blocks=True)
    return environment.get_template(f"{template}.jinja").render(values)
