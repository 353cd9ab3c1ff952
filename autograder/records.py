"""The records that flow through the autograder, in the order in which they arise.

`.ipynb` -> intake -> Submission -> wall <-> worker -> Outcome -> judge -> Verdict
-> diagnosis, score -> Grade; with what people did in the gradebook and the course's rules -> Mark -> outputs.

Everything here is data: no record does anything, and all of them are plain enough to travel as bytes.
Words for people are `Text`: an English sentence with named gaps, translated only when it is shown.
"""
from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any, Literal, Protocol

import msgspec


class Text(msgspec.Struct, frozen=True, tag=True):
    """A sentence for people: the English template (the gettext msgid) and what fills its `{gaps}`."""

    template: str
    values: dict[str, str | int | float | Text] = {}     # a Text among them is translated in turn


def text(template: str, **values: Any) -> Text:
    """Mark a sentence for translation (Babel extracts the first argument) and keep what fills its gaps."""
    return Text(template, values)


class OtherWay(msgspec.Struct, frozen=True):
    """A right way to write an exercise besides the one of the class, for a student whose own is right."""

    about: Text                          # one sentence: what is different about it
    source: str                          # the function, in lines of at most 64 characters, to be read beside another


# --- what a student handed in -------------------------------------------------------------------------------------

class Cell(msgspec.Struct, frozen=True):
    """One code cell of the student's own, as written."""

    index: int                           # its position among all cells of the notebook, from 0
    source: str
    grade_id: str = ""                   # nbgrader's name of the cell, where it has one


class NotebookCell(msgspec.Struct, frozen=True):
    """A cell as the file has it. `given`: nbgrader's flags lock it, or it only carries points."""

    index: int
    kind: str                             # "code", "markdown" or "raw"
    source: str
    grade_id: str = ""
    given: bool = False
    marks: str = ""                       # nbgrader's flags and points, where it has a grade_id


class Left(msgspec.Struct, frozen=True):
    """A file or folder among the submissions that was not looked at, why not, and what to do about it."""

    path: str
    why: Text
    asks: bool = True                    # it may be somebody's work, so a person has to see to it
    entries: tuple[str, ...] = ()        # everything that lies in it


class HandedIn(msgspec.Struct, frozen=True):
    """What a course knows of a submission besides the work, read together with it. No worker ever gets it."""

    folder: str = ""                     # where the work lies
    at: datetime | None = None           # in UTC, without a zone; None where no file says it clearly
    stamp: bytes = b""                   # what the file with the time says
    files: dict[str, bytes] = {}         # those of nbgrader's exchange that its later steps need
    asks: tuple[Text, ...] = ()          # why a person should see when it was handed in


class Submission(msgspec.Struct, frozen=True):
    """One student's work: the student's own code cells, in the order of the notebook."""

    name: str                            # the path as it was given; below a folder or zip, the path in it
    student: str
    lesson: str
    cells: tuple[Cell, ...] = ()
    key: str = ""                        # of the content: equal keys, equal work
    language: str = ""                   # of the edition that the student used: "nl", "en" or unknown
    notices: tuple[Text, ...] = ()       # everything that was repaired or left out on reading
    unreadable: Text | None = None       # why nothing could be read
    for_a_person: tuple[Text, ...] = ()  # why a person should look at how it was handed in
    left: Left | None = None             # set for what was not looked at, and so is not a submission
    python: str = ""                     # the notebook's own version of Python, where that is newer than ours
    fault: Text | None = None            # why we failed to read it, whoever made it
    seconds: float = 0.0                 # of processor time that reading it took
    notebook: tuple[NotebookCell, ...] = ()     # all of its cells, for the one that a person reads
    handed_in: HandedIn = HandedIn()     # known of what lies in a course


# --- what is asked of a subject, and what it answers --------------------------------------------------------------

class Result(msgspec.Struct, frozen=True, eq=False):
    """An argument that is (part of) the answer to an earlier call: the cache that `multihead` returned, say.

    The subject keeps its own answers, so that what is not plain data never has to travel. `instead` takes the place of
    the arrays and numbers in it, in the order of Subject.insides; None leaves one as it is.
    """

    of: Call
    part: int | None = None              # which element of a returned tuple; None is all of it
    instead: tuple[Any, ...] = ()


class Call(msgspec.Struct, frozen=True, eq=False, weakref=True):
    """One question to a subject: a function's name and its arguments. Made once, compared by identity.

    Arguments are None, bool, int, float, str, arrays, dicts of those, a Result, or a Proxy. `watch`: arrays of which
    is seen whether the call moves their numbers one by one.
    """

    function: str
    args: tuple[Any, ...]
    watch: tuple[Any, ...] = ()


class Proxy(msgspec.Struct, frozen=True):
    """An argument that is a function: calling it calls back to the judge.

    `answers` gives the result; without it, the stand-in of this name does (see StandIns).
    """

    name: str
    answers: Callable[..., Outcome] | None = None


class Opaque(msgspec.Struct, frozen=True):
    """Replaces what is not plain data in an answer, or too large to be kept; only the name of its type is known."""

    type: str


AnswerStatus = Literal["answered", "raised", "timed_out", "out_of_memory", "crashed", "quit", "missing",
                       "refused", "tampering", "skipped", "broken"]


class Outcome(msgspec.Struct, frozen=True):
    """What came back for a Call. `value` is plain data: numbers, text, read-only arrays, tuples, dicts, Opaque."""

    status: AnswerStatus
    value: Any = None
    changed: tuple[str, ...] = ()        # arguments that the call altered: "0", "1.wq", "0.attention.weights"
    shares: tuple[str, ...] = ()         # "1.x~0": this part of the answer shares memory with that argument
    error: str = ""                      # the exception's type, or what ended the process
    message: str = ""                    # the exception's text, cut
    kinds: tuple[str, ...] = ()          # the built-in exception types that it is, nearest first
    where: tuple[int, int] | None = None # the cell and line of the student's at which it arose
    within: str = ""                     # the student's function that this line belongs to
    seconds: float = 0.0
    moved: bool = False                  # whether the numbers of a watched array were moved one by one
    unwatched: bool = False              # whether the code kept that from being seen
    own: bool = False                    # whether a `raise` or `assert` of the student's own raised the exception


class CellReport(msgspec.Struct, frozen=True):
    """How one cell of the student's ran. `status` is a verdict word, or "ok"."""

    cell: int
    status: str
    error: str = ""                      # what it raised, or the evidence of how its process ended
    output: str = ""                     # what it printed, cut
    line: int = 0                        # of the cell, at which it raised; 0 where that is not known


class Subject(Protocol):
    """Something that answers calls: the reference, a known mistake, or a student's code behind the wall."""

    #: The outcome of this call; the same Call gives the same recorded Outcome when it is asked again.
    def answer(self, call: Call) -> Outcome: ...

    #: Whether the answer to this earlier call is unchanged since it was given.
    def unchanged(self, call: Call) -> bool: ...

    #: The arrays and numbers that this (part of an) answer holds, at any depth; None for what is not plain data.
    def insides(self, result: Result) -> list[Any]: ...

    #: Whether this function is known to keep nothing from one call to the next.
    def forgets(self, function: str) -> bool: ...

    #: Tell in which order calls will probably be asked; None where something else is asked.
    def expect(self, order: Sequence[Call | None]) -> None: ...


#: stand-ins for a process: for each name, what the judge answers when the process calls it
StandIns = Mapping[str, Callable[..., Outcome]]


# --- what the judge concludes -------------------------------------------------------------------------------------

VERDICTS = ("passed", "wrong", "raised", "unwritten", "timed_out", "out_of_memory", "crashed", "quit", "missing",
            "refused", "tampering", "skipped", "broken")


class Picture(msgspec.Struct, frozen=True):
    """Where an array differs from what was expected, to be drawn.

    It holds numbers only for examples in the notebook; of a hidden check it holds the shapes and, where
    exactly one place along an axis differs or is right, that place: what the message says in words.
    """

    name: str                            # what was compared: "split_heads(x, 2)", "grads['wq']"
    letters: str                         # the axes of what was expected, a letter each: "BHTd"
    axes: tuple[Text, ...]               # what one place along each of them is called: "head", "time step"
    got: tuple[int, ...]                 # the shapes
    want: tuple[int, ...]
    seen: tuple[str, ...] = ()           # the numbers, in the order of the array
    expected: tuple[str, ...] = ()
    wrong: tuple[int, ...] = ()          # which of them differ, where the shapes are equal
    axis: int | None = None              # the axis along which one place ...
    index: int = 0                       # ... this one ...
    differs: bool = True                 # ... differs from all others, or is the only one that is right


class Verdict(msgspec.Struct, frozen=True):
    """One check of one exercise: the word, what it is worth, and why.

    `points` is None where our own fault stood in the way; `world` is None where the check failed.
    """

    check: str
    title: Text
    verdict: str
    points: float | None
    max_points: float
    world: str | None = None             # "own", "stand-in", "mended", "straight-after" or "own-derivative"
    message: Text | None = None          # what was seen and expected; of a hidden check no inputs, no values
    mistakes: tuple[str, ...] = ()       # ids of the catalogue, best first
    picture: Picture | None = None       # of the first difference, where it can be drawn


class Diagnosis(msgspec.Struct, frozen=True):
    """Which known mistakes explain everything that an exercise's function answered, with a hint for each."""

    mistakes: tuple[str, ...] = ()
    hints: tuple[Text, ...] = ()


class ExerciseGrade(msgspec.Struct, frozen=True):
    """One exercise: its verdicts in order, and their points (None where the autograder itself is broken)."""

    name: str
    points: float | None
    max_points: float
    verdicts: tuple[Verdict, ...]
    diagnosis: Diagnosis = Diagnosis()
    skipped: bool = False                # skipped exercises leave the maximum


class Mark(msgspec.Struct, frozen=True):
    """The final mark of one student, and what it is made of; `course/mark.py` makes every one of them.

    `points` are the autograder's and a person's, less the late penalty; `value` is the same on the course's scale.
    """

    student: str
    points: float | None                 # None while a cell waits for a person
    max_points: float
    exercises: dict[str, tuple[float | None, float]] = {}   # (points, max_points) of each cell that can bring points
    auto: float | None = None            # the autograder's part of the points; None where it has none
    by_hand: float = 0.0                 # what manual scores and extra credit add to that, or take off
    late_penalty: float = 0.0
    days_late: int = 0                   # by the calendar of the course, each day begun; 0 without a rule for late work
    pass_points: float = 0.0
    passed: bool | None = None
    value: float | None = None           # None without a scale, or without points
    waiting: tuple[str, ...] = ()        # the exercises that a person has yet to grade
    replaced: tuple[str, ...] = ()       # those with a manual score whose automatic one changed since
    outdated: bool = False               # whether the penalty in the gradebook is older than the score or the extension


GradeStatus = Literal["graded", "unreadable", "broken"]


class Grade(msgspec.Struct, frozen=True):
    """Everything about one submission. `key` and `checks` say what was judged, and by which version of the checks."""

    submission: str
    student: str
    lesson: str
    status: GradeStatus
    points: float | None
    max_points: float
    exercises: tuple[ExerciseGrade, ...] = ()
    cells: tuple[CellReport, ...] = ()
    notices: tuple[Text, ...] = ()       # for the student and the instructor
    for_a_person: tuple[Text, ...] = ()  # why a person should look at this one; for the instructor
    isolation: str = "none"
    seconds: float = 0.0
    language: str = ""
    key: str = ""
    checks: str = ""
    mark: Mark | None = None             # what the course makes of it, in its outputs alone: the store keeps none
