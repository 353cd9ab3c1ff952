"""Read when a student handed in, and what nbgrader's exchange put beside the work."""

import os
import stat
from pathlib import Path

from autograder.course.times import clock_was_changed, understood
from autograder.decoding import decoded
from autograder.intake.names import label
from autograder.records import Grade, HandedIn, Text, text

TIMESTAMP = "timestamp.txt"
SECRET = "submission_secret.txt"         # of nbgrader's exchange: a student needs it to fetch the feedback
_SAID = 60                               # characters of a time that was not understood
_CAP = 1024                              # bytes; a timestamp has about 40, a secret 128

_UNCLEAR = text("when this was handed in was not understood ({said}; expected a time such as {expected}), so look "
                "whether it is late", said="", expected="2026-03-06 19:59:00 UTC")
_TWICE = text("when this was handed in was not understood ({said}: the clock was changed then, so that this time came "
              "twice or never), so look whether it is late", said="")
_MISSING = text("nothing says when this was handed in ({file} is missing), so look whether it is late", file=TIMESTAMP)
#: the questions about the time: they are about the files beside the work, not about the work
OF_TIME = frozenset(why.template for why in (_UNCLEAR, _TWICE, _MISSING))


def handed_in(folder: Path, matters: bool = False) -> HandedIn:
    """What the files in the folder of the work say. A time that is not clear never means on time by itself.

    Where it `matters`, since late work loses something, a person is asked about a time that is missing too.
    """
    stamp, secret = _start_of(folder / TIMESTAMP), _start_of(folder / SECRET)
    words, _ = decoded(stamp, "replace")
    at = understood(words)
    asks: tuple[Text, ...] = ()
    if at is None and os.path.lexists(folder / TIMESTAMP):
        said = words.strip().split("\n")[0][:_SAID]
        why = _TWICE if clock_was_changed(said) else _UNCLEAR
        asks = (Text(why.template, {**why.values, "said": label(said)}),)
    elif matters and not stamp:
        asks = (_MISSING,)
    files = {TIMESTAMP: stamp if at is not None else b"", SECRET: secret}     # nbgrader stumbles over unclear times
    return HandedIn(str(folder), at, stamp, {name: content for name, content in files.items() if content}, asks)


def time_is_unclear(grade: Grade) -> bool:
    """Whether a person was asked about when this was handed in."""
    return any(why.template in OF_TIME for why in grade.for_a_person)


def _start_of(path: Path) -> bytes:
    """The beginning of a regular file; empty if there is none, or something else has its name."""
    try:
        file = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return b""
    try:
        return os.read(file, _CAP) if stat.S_ISREG(os.fstat(file).st_mode) else b""
    finally:
        os.close(file)
