"""Compute the version of the checks, which changes whenever a mark could, and that of the catalogue's answers."""

from functools import lru_cache
from hashlib import blake2b
from importlib.resources import files
from itertools import chain
from pathlib import Path

from autograder.lessons.kit.lesson import Lesson

_ROOMS = ("intake", "judge", "sandbox", "lessons/kit")      # of the package; with the records and the lesson they
                                                            # decide a mark


@lru_cache
def checks_version(lesson: Lesson, limits: str = "") -> str:
    """16 hex digits over everything in `answers_version`, and over what a course may choose.

    Points and left-out exercises count, and so do limits that differ from the defaults.
    """
    digest = blake2b(answers_version(lesson).encode(), digest_size=8)
    for exercise in lesson.exercises:
        digest.update(f"{exercise.name} {exercise.points} {exercise.skipped is not None}\0".encode())
    digest.update(limits.encode())
    return digest.hexdigest()


@lru_cache
def answers_version(lesson: Lesson) -> str:
    """16 hex digits over the engine, the lesson's checks and mistakes, the reference and what is given.

    They decide what a known mistake answers; no course's points change that.
    """
    digest = blake2b(digest_size=8)
    package = Path(str(files("autograder")))
    for path in sorted(_engine(package)):
        digest.update(path.relative_to(package).as_posix().encode() + b"\0" + path.read_bytes())
    for name, content in sorted(lesson.home.parts().items()):
        if name == "other_ways.py":             # shown, and never asked
            continue
        digest.update(f"lessons/{lesson.name}/{name}\0".encode() + content)
    digest.update(lesson.reference.encode() + b"\0" + lesson.home.read(lesson.reference))
    for language in lesson.editions:
        digest.update("\0".join([language, *chain(*lesson.modules_in(language).items())]).encode())
    return digest.hexdigest()


def _engine(package: Path) -> list[Path]:
    return [package / "records.py", *(path for room in _ROOMS for path in (package / room).rglob("*.py"))]
