"""Everything that a lesson is written with; a lesson imports nothing else of the autograder.

These names stay as they are while VERSION has the same number before the point; a new name raises the number behind it.
What each of them does is in its docstring: `python -c "from autograder import kit; help(kit.check)"`. The pictures of a
lesson are drawn with autograder.lessons.kit.canvas, which is not here because it needs Matplotlib.

The lesson itself       Lesson, Exercise, Implementation
A check                 check, Check, Ask, Call, Outcome, Wrong, Unanswered, is_stub, UNWRITTEN
Its sentences           text, Text, quoted, kind_of_error, unknown_name
Facts to check          equal, exactly, entry, pair, triple, arrays, refuses, leaves_arguments, same_again,
                        stays_as_it_was, answers_what_was_asked, for_these
Numbers                 TOLERANCE, as_array, relative_error, difference, off, place, odd_one_out, picture_of
Inputs                  Case, twice, sliced
Derivatives             predicts_changes, same_shape
A mistake               Mistake, changed, written
Right ways to write it  Pick, function, order, dressed, OtherWay
Advice and remarks      Subject, Answers, answer_of, gave_up_on_size, how_derived, inexact, nudged, EXACT, INEXACT,
                        OUT_OF_REACH
Functions as steps      Model, Step, Way, Trial, State, Do, setting
"""

from autograder.lessons.kit.cases import Case, sliced, twice
from autograder.lessons.kit.compare import (
    TOLERANCE,
    as_array,
    difference,
    odd_one_out,
    off,
    place,
    relative_error,
)
from autograder.lessons.kit.derivatives import predicts_changes, same_shape
from autograder.lessons.kit.exceptions import unknown_name
from autograder.lessons.kit.facts import (
    answers_what_was_asked,
    arrays,
    entry,
    equal,
    exactly,
    for_these,
    leaves_arguments,
    pair,
    refuses,
    same_again,
    stays_as_it_was,
    triple,
)
from autograder.lessons.kit.lesson import (
    UNWRITTEN,
    Ask,
    Check,
    Exercise,
    Implementation,
    Lesson,
    Mistake,
    Unanswered,
    Wrong,
    changed,
    check,
    is_stub,
    written,
)
from autograder.lessons.kit.model import Do, Model, State, Step, Trial, Way, setting
from autograder.lessons.kit.picture import picture_of
from autograder.lessons.kit.quoting import kind_of_error, quoted
from autograder.lessons.kit.remarks import (
    EXACT,
    INEXACT,
    OUT_OF_REACH,
    Answers,
    answer_of,
    gave_up_on_size,
    how_derived,
    inexact,
    nudged,
)
from autograder.lessons.kit.writing import Pick, dressed, function, order
from autograder.records import Call, OtherWay, Outcome, Subject, Text, text

VERSION = "1.1"

__all__ = [
    "EXACT", "INEXACT", "OUT_OF_REACH", "TOLERANCE", "UNWRITTEN", "VERSION",
    "Answers", "Ask", "Call", "Case", "Check", "Do", "Exercise", "Implementation", "Lesson", "Mistake", "Model",
    "OtherWay", "Outcome", "Pick", "State", "Step", "Subject", "Text", "Trial", "Unanswered", "Way", "Wrong",
    "answer_of", "answers_what_was_asked", "arrays", "as_array", "changed", "check", "difference",
    "dressed", "entry", "equal", "exactly", "for_these", "function", "gave_up_on_size", "how_derived", "inexact",
    "is_stub", "kind_of_error", "leaves_arguments", "nudged", "odd_one_out", "off", "order", "pair", "picture_of",
    "place", "predicts_changes", "quoted", "refuses", "relative_error", "same_again", "same_shape", "setting", "sliced",
    "stays_as_it_was", "text", "triple", "twice", "unknown_name", "written",
]
