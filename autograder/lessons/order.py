"""Say what is not in order in a lesson that somebody wrote, in one line that names the file; "" if all is well."""

import json
import traceback
from collections import Counter
from collections.abc import Iterator
from importlib import import_module
from typing import Any

from autograder.lessons.kit.bounded import TooLong, bounded
from autograder.lessons.kit.lesson import Exercise, Lesson
from autograder.records import OtherWay, Text


def fault_in_checks(lesson: Lesson) -> str:
    """The first exercise or check that would give other points than was meant."""
    twice = _twice([exercise.name for exercise in lesson.exercises])
    if twice:
        return f"{lesson.home.place}/lesson.py: the exercise {twice} is listed twice; list each once"
    faults = (f"{lesson.home.place}/checks/{exercise.name}.py: {fault}"
              for exercise in lesson.exercises for fault in _faults(exercise))
    return next(faults, "")


def _faults(exercise: Exercise) -> Iterator[str]:
    names = [check.name for check in exercise.checks]
    if twice := _twice(names):
        yield f"the check {twice} is listed twice in CHECKS; list each once"
    for check in exercise.checks:
        for needed in check.needs:
            if needed not in names:
                yield (f"the check {check.name} needs {needed!r}, and {exercise.name} has no such check; it has: "
                       f"{', '.join(names)}")
    total = sum(check.points for check in exercise.checks)
    if total != exercise.points:
        either = "1" if exercise.points == 1 else f"1 or to {exercise.points}"
        yield (f"the checks are worth {total} together, but {exercise.name} is worth {exercise.points}; let their "
               f"points add up to {either}")


def _twice(names: list[str]) -> str:
    return next((name for name, times in Counter(names).items() if times > 1), "")


def fault_in_files(lesson: Lesson) -> str:
    """A solution that does not run or lacks an exercise, or an edition that is not a notebook.

    The solution is run here, as the lesson's own code was: where it fails has a line in a file.
    """
    names: dict[str, Any] = {"__name__": "reference", "print": lambda *args, **named: None}
    for path, source in lesson.source_files.items():
        try:
            with bounded():
                exec(compile(source, path, "exec", dont_inherit=True), names)
        except (Exception, SystemExit, TooLong) as error:       # it is somebody's own Python and can raise anything
            return f"{place_and_words(error, path, path)}"
    for exercise in lesson.exercises:
        if exercise.name not in names:
            return (f"{lesson.reference} has no function {exercise.name}, which is an exercise in "
                    f"{lesson.home.place}/lesson.py")
    return next((fault for path in lesson.editions.values() if (fault := _notebook(lesson, path))), "")


def _notebook(lesson: Lesson, path: str) -> str:
    try:
        notebook = json.loads(lesson.home.text(path))
    except ValueError as error:
        return f"{path} is not a notebook: {error}; save it again in Jupyter, or take an older version of it"
    if not isinstance(notebook, dict) or not isinstance(notebook.get("cells"), list):
        return f"{path} is not a notebook: it has no cells; save it again in Jupyter, or take an older version of it"
    return ""


def fault_in_ways(lesson: Lesson) -> str:
    """What is wrong with other_ways.py, where there is one."""
    if not lesson.has("other_ways"):
        return ""
    ways = getattr(import_module(f"{lesson.home.package}.other_ways"), "OTHER_WAYS", None)
    names = [exercise.name for exercise in lesson.exercises]
    if not isinstance(ways, dict) or not all(
            name in names and isinstance(each, (tuple, list)) and all(
                isinstance(way, OtherWay) and isinstance(way.source, str) and isinstance(way.about, Text)
                for way in each) for name, each in ways.items()):
        return (f"{lesson.home.place}/other_ways.py: expected OTHER_WAYS = "
                f'{{"{names[0]}": [OtherWay(text("one sentence"), "its source")]}}, with names of exercises')
    return ""


def place_and_words(error: BaseException, folder: str, otherwise: str) -> str:
    """Where in this folder or file, and how, code of the lesson's own failed: "file, line N: TypeError: its words"."""
    if isinstance(error, SyntaxError) and (error.filename or "").startswith(folder):
        return f"{error.filename}, line {error.lineno}: {type(error).__name__}: {error.msg}"
    file, line = next(((frame.filename, frame.lineno) for frame in reversed(traceback.extract_tb(error.__traceback__))
                       if frame.filename.startswith(folder)), (otherwise, 1))
    if isinstance(error, TooLong):
        return f"{file}, line {line}: this does not end: it was {error}; is that an endless loop?"
    if isinstance(error, SystemExit):
        return f"{file}, line {line}: this ends the program; a lesson only defines things"
    return f"{file}, line {line}: {type(error).__name__}: {str(error).partition(chr(10))[0]}"
