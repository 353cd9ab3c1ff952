"""Find the lessons there are, each with its place: those of this package, of other packages, and of a course.

A course's own lessons come first and are loaded only where the user trusts the course (see trust.py): they are what
lies in its `lessons/<name>/`, with `solutions/` and `assignments/` beside that. A package that brings lessons looks the
same inside, and names each in the entry point group `autograder.lessons`.
"""

import os
import re
import shutil
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from hashlib import blake2b
from importlib import import_module
from importlib.metadata import entry_points
from importlib.util import find_spec
from pathlib import Path, PurePosixPath
from types import ModuleType

from autograder.faults import Refused
from autograder.lessons import DEFAULT
from autograder.lessons.kit.bounded import TooLong, bounded
from autograder.lessons.kit.home import Home
from autograder.lessons.kit.lesson import Lesson
from autograder.lessons.order import fault_in_checks, fault_in_files, fault_in_ways, place_and_words
from autograder.lessons.own_code import package_of
from autograder.lessons.tables import fault_in_tables, learn_words
from autograder.lessons.trust import is_trusted

GROUP = "autograder.lessons"                    # of entry points: the name of a lesson -> a package that has it
FOLDER = "lessons"                              # of a course, with a folder for each lesson of its own
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]*")
#: the folder of a course; the name of one that was carried here; None for no course, and so no lessons of its own
Where = Path | str | None


class LessonError(Refused):
    """A lesson is not there, not trusted or not in order: what was seen, expected and to do, in one line."""


def lesson_names(course: Where = None) -> list[str]:
    """The lessons that can be used in this course, its own first and then the default one."""
    own = _own(course)
    others = sorted(({*_ours(), *_of_packages()}) - {*own}, key=lambda name: (name != DEFAULT, name))
    return [*own, *others]


def trusted_names(course: Where = None) -> list[str]:
    """The same for who names no lesson: LessonError if the course has its own and may not use them.

    Another lesson in their place would be a surprise.
    """
    if line := untrusted(course):
        raise LessonError(line)
    return lesson_names(course)


def every_lesson(course: Where = None) -> list[Lesson]:
    """All of them, in that order."""
    return [load_lesson(name, course) for name in lesson_names(course)]


def loadable(course: Where = None) -> Iterator[Lesson]:
    """The same, without those that have a fault of their own."""
    for name in lesson_names(course):
        with suppress(LessonError):
            yield load_lesson(name, course)


def load_lesson(name: str, course: Where = None) -> Lesson:
    """The lesson with this name; LessonError names the existing ones."""
    if name in _own(course):
        return _carried[course] if isinstance(course, str) and course in _carried else _loaded(Path(course or ""), name)
    if name in _ours():
        return _of_ours(name)
    if name in _of_packages():
        return _loaded(_folder_of(name), name)
    raise LessonError(_not_there(course, name, lesson_names(course)))


def lesson_in(course: Path, name: str) -> Lesson:
    """The lesson with this name in the folder of a course, for a caller who knows that the course is trusted."""
    return _loaded(course, name)


def lesson_called(name: str, course: Where = None) -> str:
    """The lesson with this name or with an assignment of this name; LessonError names the existing ones."""
    names = lesson_names(course)
    if name in names:
        return name
    of = {assignment: lesson for lesson in reversed(names)
          for assignment in assignments_of(load_lesson(lesson, course))}
    if name not in of:
        raise LessonError(_not_there(course, name, list(dict.fromkeys([*names, *of]))))
    return of[name]


def own_lessons(course: Where) -> list[str]:
    """The lessons that lie in the folder of a course, trusted or not."""
    if course is None or course in _carried:
        return []
    return sorted(path.parent.name for path in Path(course, FOLDER).glob("*/lesson.py"))


def not_lessons(course: Where) -> list[str]:
    """The folders where lessons lie in a course that have no lesson.py, each as a line that says so."""
    if course is None or course in _carried:
        return []
    return [f"{FOLDER}/{path.name} has no lesson.py, so it is not used as a lesson"
            for path in sorted(Path(course, FOLDER).glob("*/"))
            if path.is_dir() and _NAME.fullmatch(path.name) and not (path / "lesson.py").exists()]


def untrusted(course: Where, name: str = "") -> str:
    """The line that says how to trust a course, if it has lessons (or one of this name) and is not trusted; else ""."""
    names = own_lessons(course)
    if not names or name and name not in names or is_trusted(Path(course or "")):
        return ""
    there = os.path.realpath(course or "")
    return (f"{', '.join(names)} in {there}/{FOLDER} {'are' if len(names) > 1 else 'is'} not used: the checks of a "
            f"lesson run with your rights, and you have not said that you trust this course; if you do: autograder "
            f"trust {there}")


def copy_assignments(lesson: Lesson, course: Path) -> None:
    """Copy the source notebook of each edition, with the modules beside it, into a course."""
    for edition in lesson.editions.values():
        folder = PurePosixPath(edition).parent
        shutil.copytree(lesson.home.path(str(folder)), course / folder,
                        ignore=shutil.ignore_patterns("__pycache__", ".*"))


def assignments_of(lesson: Lesson) -> list[str]:
    """What nbgrader calls the lesson: the folder of each edition, its own name first."""
    return sorted({Path(path).parent.name for path in lesson.editions.values()}, key=lambda name: name != lesson.name)


def _not_there(course: Where, name: str, there: list[str]) -> str:
    found = [line for line in not_lessons(course) if line.startswith(f"{FOLDER}/{name} ")]
    return next(iter(found), "") or untrusted(course, name) or (
        f"there is no lesson {name!r}; there are: {', '.join(there)}")


# --- where they are -----------------------------------------------------------------------------------------------

def _own(course: Where) -> list[str]:
    if isinstance(course, str) and course in _carried:
        return [_carried[course].name]
    names = own_lessons(course)
    return names if names and is_trusted(Path(course or "")) else []


@cache
def _ours() -> list[str]:
    return [path.parent.name for path in Path(__file__).parent.glob("*/lesson.py") if path.parent.name != "kit"]


@cache
def _of_packages() -> dict[str, str]:
    """The lessons of other packages -> the package that has the folder lessons/ with it."""
    return {point.name: point.value.partition(":")[0] for point in sorted(entry_points(group=GROUP), reverse=True)}


def _folder_of(name: str) -> Path:
    """The folder of the package that brings this lesson, which is not imported for it."""
    package = _of_packages()[name]
    spec = find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        raise LessonError(f"the entry point {name!r} of {GROUP} names {package!r}, which is not a package; install the "
                          "lesson again")
    return Path(next(iter(spec.submodule_search_locations)))


@lru_cache
def _of_ours(name: str) -> Lesson:
    return _checked(_read(Home.of_ours(name), name))


# --- a lesson in a folder -----------------------------------------------------------------------------------------

@dataclass(frozen=True)
class _Loaded:
    """A lesson, and the state of its files when it was loaded."""

    lesson: Lesson
    state: tuple


_known: dict[tuple[Path, str], _Loaded] = {}
_carried: dict[str, Lesson] = {}                # what came from another machine, by its digest


def _loaded(root: Path, name: str) -> Lesson:
    """The lesson in this folder's lessons/<name>/, loaded again after any of its files changed."""
    root = Path(os.path.realpath(root))
    known = _known.get((root, name))
    if known is None or known.state != _state(known.lesson):
        lesson = _checked(_read(Home("", f"{FOLDER}/{name}", (root,)), name))
        known = _known[root, name] = _Loaded(lesson, _state(lesson))
    return known.lesson


def _read(home: Home, name: str) -> Lesson:
    """The lesson with the code at this place, run now."""
    if not _NAME.fullmatch(name):
        raise LessonError(f"{home.place}: a lesson cannot be called {name!r}; expected letters, digits, _ and -")
    if not home.package:
        home = replace(home, package=package_of(name, str(home.folder), home.parts()))
    lesson = getattr(_imported(home, "lesson"), "LESSON", None)
    if not isinstance(lesson, Lesson):
        raise LessonError(f"{home.place}/lesson.py has no LESSON = Lesson(...)")
    if lesson.name != name:
        raise LessonError(f"{home.place}/lesson.py: the lesson is called {lesson.name!r}, and its folder {name!r}; "
                          "give both the same name")
    lesson = replace(lesson, home=home)
    if fault := fault_in_checks(lesson):
        raise LessonError(fault)
    return lesson if home.ours else whole(lesson)       # ours is looked at when it is proven, and in its tests


def whole(lesson: Lesson) -> Lesson:
    """The lesson, if what is only needed now and then is in order too: it is said now, and not amid a class."""
    for part in ("mistakes", "variants", "families", "other_ways"):
        if lesson.has(part):
            _imported(lesson.home, part)
    if fault := fault_in_ways(lesson) or fault_in_tables(lesson):
        raise LessonError(fault)
    learn_words(lesson)
    return lesson


def _imported(home: Home, part: str) -> ModuleType:
    """This module of the lesson; LessonError names the line at which it failed."""
    try:
        with bounded():
            return import_module(f"{home.package}.{part}")
    except (Exception, SystemExit, TooLong) as error:       # the lesson is somebody's own Python and can raise anything
        said = place_and_words(error, f"{home.folder}/", f"{home.folder}/{part}")
        remedy = ("; a lesson imports its own parts as in `from . import probes` or `from .. import probes`"
                  if isinstance(error, ImportError) else "")
        said = said.removeprefix(f"{home.folder}/").replace(f"{home.package}.", "")
        raise LessonError(f"{home.place}/{said}{remedy}") from error


def _files(lesson: Lesson) -> list[str]:
    """The files below its root that the lesson names, other than its code."""
    editions = [path for language, path in lesson.editions.items()]
    spoken = [str(PurePosixPath(edition).parent / PurePosixPath(path).name)
              for edition in editions for path in lesson.beside.values()]
    return list(dict.fromkeys([lesson.reference, *editions, *lesson.beside.values(), *spoken]))


def _checked(lesson: Lesson) -> Lesson:
    """The lesson, if the files that it names are there and in order."""
    if not lesson.editions:
        raise LessonError(f"{lesson.home.place}/lesson.py: editions names no notebook")
    for path in [lesson.reference, *lesson.editions.values(), *lesson.beside.values()]:
        try:
            lesson.home.path(path)
        except FileNotFoundError as error:
            raise LessonError(str(error)) from None
    if fault := fault_in_files(lesson):
        raise LessonError(fault)
    return lesson


def _state(lesson: Lesson) -> tuple:
    """What changes whenever any of its files does."""
    home, found = lesson.home, []
    for path in [*sorted(home.folder.rglob("*")), *(home.roots[-1] / name for name in _files(lesson))]:
        try:
            state = path.stat()
        except OSError:
            continue
        found.append((str(path), state.st_mtime_ns, state.st_size, state.st_ino))
    return tuple(found)


# --- a lesson that travels ----------------------------------------------------------------------------------------

def to_carry(lesson: Lesson) -> dict[str, bytes]:
    """All of a lesson that a machine without it needs to grade; nothing for one that comes with the autograder."""
    home = lesson.home
    if home.ours:
        return {}
    code = {f"{home.place}/{path}": content for path, content in home.parts("").items()}
    return code | {name: home.read(name) for name in _files(lesson) if (home.roots[-1] / name).is_file()}


def carried(name: str, files: Mapping[str, bytes]) -> str:
    """Load a lesson that came from a machine that is trusted like this one; returns what to call it as a course."""
    digest = blake2b(repr((name, sorted(files.items()))).encode(), digest_size=16).hexdigest()
    if digest not in _carried:
        _carried[digest] = _read(Home("", f"{FOLDER}/{name}", (Path("carried", digest),), files), name)
    return digest
