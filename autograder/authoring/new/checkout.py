"""Read and write the checkout that new parts go into, and check the names of the parts."""
from __future__ import annotations

import keyword
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from autograder.atomic import replace_file
from autograder.lessons.installed import load_lesson
from autograder.lessons.kit.lesson import Exercise, Lesson

_SNAKE = re.compile(r"[a-z][a-z0-9]*(?:_[a-z0-9]+)*")
_DASHED = re.compile(r"[a-z][a-z0-9]*(?:-[a-z0-9]+)*")


class CannotMake(ValueError):
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
    """The repository of the autograder in this folder."""

    root: Path

    @classmethod
    def here(cls, folder: Path) -> Checkout:
        """The checkout in this folder. Raises CannotMake if there is none, or another one is running."""
        folder = folder.resolve()
        running = Path(__file__).resolve().parents[3]
        if not (folder / "autograder" / "lessons").is_dir() or not (folder / "pyproject.toml").is_file():
            raise CannotMake(f"{folder} is not a checkout of the autograder; change to the one that you work in")
        if running != folder:
            raise CannotMake(f"this is the autograder of {running}; run `python -m autograder` to work in {folder}")
        return cls(folder)

    def lesson(self, name: str) -> Lesson:
        return load_lesson(name)

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
            replace_file(self.root / path, content.encode(), 0o644)


def snake(name: str, what: str) -> str:
    """A valid name for a function or a folder; CannotMake says what it should look like."""
    if not _SNAKE.fullmatch(name) or keyword.iskeyword(name):
        raise CannotMake(f"{name!r} cannot be the name of {what}; expected lower-case words like split_heads")
    return name


def dashed(name: str, what: str) -> str:
    """A valid name with dashes; CannotMake says what it should look like."""
    if not _DASHED.fullmatch(name) or keyword.iskeyword(name):
        raise CannotMake(f"{name!r} cannot be the name of {what}; expected lower-case words like mask-ignored")
    return name


def rendered(template: str, **values: Any) -> str:
    """One of the templates with its gaps filled."""
    environment = Environment(loader=PackageLoader("autograder.authoring.new"), undefined=StrictUndefined,
                              keep_trailing_newline=True, trim_blocks=True, lstrip_blocks=True)
    return environment.get_template(f"{template}.jinja").render(values)
