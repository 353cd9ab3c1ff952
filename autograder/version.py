"""The version of the checks: it changes whenever a mark could."""
from __future__ import annotations

from functools import lru_cache
from hashlib import blake2b
from importlib.resources import files
from pathlib import Path

from autograder.course import course_file
from autograder.lesson import Lesson

_NO_MARKS = ("output", "locale", "nbgrader", "_course", "lessons")      # folders that cannot change a mark


@lru_cache
def checks_version(lesson: Lesson) -> str:
    """16 hex digits over the engine, the lesson's checks and mistakes, the reference and what is given."""
    digest = blake2b(digest_size=8)
    package = Path(str(files("autograder")))
    for path in sorted([*_engine(package), *(package / "lessons" / lesson.name).rglob("*.py")]):
        digest.update(path.relative_to(package).as_posix().encode() + b"\0" + path.read_bytes())
    for relative in (lesson.reference, *lesson.given.values()):
        digest.update(relative.encode() + b"\0" + course_file(relative).read_bytes())
    return digest.hexdigest()


def _engine(package: Path) -> list[Path]:
    return [path for path in package.rglob("*.py") if path.relative_to(package).parts[0] not in _NO_MARKS]
