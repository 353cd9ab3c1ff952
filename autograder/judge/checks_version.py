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
def checks_version(lesson: Lesson, limits: str = "") -> str:
    """16 hex digits over the engine, the lesson's checks and mistakes, the reference and what is given.

    Points and left-out exercises that a course chose itself count too, and so do limits that are not the usual ones.
    """
    digest = blake2b(digest_size=8)
    package = Path(str(files("autograder")))
    lessons = [path for name in (lesson.name, "shared") for path in (package / "lessons" / name).rglob("*.py")]
    for path in sorted([*_engine(package), *lessons]):
        digest.update(path.relative_to(package).as_posix().encode() + b"\0" + path.read_bytes())
    for relative in (lesson.reference, *lesson.given.values(), *lesson.tools.values()):
        digest.update(relative.encode() + b"\0" + course_file(relative).read_bytes())
    for exercise in lesson.exercises:
        digest.update(f"{exercise.name} {exercise.points} {exercise.skipped is not None}\0".encode())
    digest.update(limits.encode())
    return digest.hexdigest()


def _engine(package: Path) -> list[Path]:
    return [path for path in package.rglob("*.py") if path.relative_to(package).parts[0] not in _NO_MARKS]
