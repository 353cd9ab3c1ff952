"""Keep a failure to its own submission: if its part of a stage fails, it is broken and the others continue."""
from __future__ import annotations

import errno
import os
import traceback
from collections.abc import Collection
from difflib import get_close_matches
from typing import TYPE_CHECKING

if TYPE_CHECKING:                               # `--help` runs without them
    from autograder.records import ExerciseGrade, Grade, Text

FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_SAID = 200                              # characters of an exception's text, which may be about a student's file


class Refused(ValueError):
    """What was asked for cannot be done: what was seen, what was expected and what to do, in one line."""


class Stopped(Exception):
    """The run cannot continue: why, and what to do, in one line. What was finished is kept."""


def ends_the_run(error: BaseException) -> bool:
    """Whether every submission would fail in this way: the disk is full, or there are no workers."""
    return isinstance(error, Stopped) or isinstance(error, OSError) and error.errno in FULL


def reason(error: BaseException) -> Text:
    """What failed, for a person."""
    from autograder.records import text
    return text("the autograder failed: {error}", error=f"{type(error).__name__}: {error}"[:_SAID])


def no_semaphore(error: OSError) -> str:
    """What keeps processes from being started: Python's pool makes its semaphores in /dev/shm."""
    return (f"cannot start processes that grade, since nothing can be written in /dev/shm ({error.strerror or error}); "
            "in a container, start it with --tmpfs /dev/shm or --shm-size 64m")


def told_of_it() -> Text:
    """What failed, for the student: the words of the exception are for a person."""
    from autograder.records import text
    return text("The autograder failed on this, which is not your fault: there are no points yet, and a person has to "
                "look at it.")


def place_of(error: BaseException) -> str:
    """What failed, without the words of the exception: its type, and the line of ours at which it arose."""
    frames = traceback.extract_tb(error.__traceback__)
    ours = [frame for frame in frames if f"{os.sep}autograder{os.sep}" in frame.filename] or frames
    return f"{type(error).__name__} ({os.path.basename(ours[-1].filename)}, line {ours[-1].lineno})"


def broken(grade: Grade, error: BaseException) -> Grade:
    """The grade of a submission that we failed on: no points, which is not zero, and none of its content."""
    from msgspec.structs import replace
    return replace(grade, status="broken", points=None, exercises=tuple(map(_unknown, grade.exercises)), cells=(),
                   notices=(told_of_it(),), for_a_person=(reason(error),))


def _unknown(exercise: ExerciseGrade) -> ExerciseGrade:
    if exercise.skipped:
        return exercise
    from msgspec.structs import replace
    verdicts = tuple(replace(verdict, verdict="broken", points=None, world=None, message=None, mistakes=(),
                             picture=None) for verdict in exercise.verdicts)
    return replace(exercise, points=None, verdicts=verdicts, diagnosis=type(exercise.diagnosis)())


def did_you_mean(name: str, known: Collection[str]) -> str:
    """"; did you mean X?", or nothing where no existing name is near."""
    close = get_close_matches(name, known, n=1)
    return f"; did you mean {close[0]}?" if close else ""


def nearest(name: str, known: Collection[str]) -> str:
    """"; did you mean X?", or all existing names."""
    close = get_close_matches(name, known, n=1, cutoff=0.6)
    return f"; did you mean {close[0]!r}?" if close else f"; there are: {', '.join(known)}"
