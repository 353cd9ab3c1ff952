"""Give each verdict its code, sign, word and colour for the report."""

from dataclasses import dataclass

from autograder.locale.language import VERDICT_WORDS, translate
from autograder.output.marks import verdict_mark
from autograder.records import Verdict


@dataclass(frozen=True)
class Sign:
    """What a cell shows: the sign, its word, and the class of its colour."""

    sign: str
    word: str
    colour: str


def _word(verdict: str) -> str:
    return translate(VERDICT_WORDS[verdict], "en")


#: code -> sign, from right to uninformative, in the order in which a column is sorted
SIGNS = {
    "p": Sign("✓", _word("passed"), "good"),
    "s": Sign("≈", "right, given right earlier functions", "soft-good"),
    "d": Sign("∂", "right for the student's own forward", "soft-good"),
    "h": Sign("○", "right, but does not count yet", "half"),
    "w": Sign("✗", _word("wrong"), "bad"),
    "r": Sign("!", _word("raised"), "bad"),
    "f": Sign("#", _word("refused"), "bad"),
    "n": Sign("·", _word("unwritten"), "none"),
    "m": Sign("?", _word("missing"), "none"),
    "t": Sign("T", _word("timed_out"), "alarm"),
    "o": Sign("M", _word("out_of_memory"), "alarm"),
    "c": Sign("C", _word("crashed"), "alarm"),
    "q": Sign("Q", _word("quit"), "alarm"),
    "x": Sign("§", _word("tampering"), "alarm"),
    "b": Sign("‼", _word("broken"), "alarm"),
    "k": Sign("–", _word("skipped"), "none"),
    " ": Sign("", "no such check in this grade", "none"),
}
BLANK = ("n", "m")                              # nothing was written that could be judged
_CODES = {"wrong": "w", "raised": "r", "unwritten": "n", "refused": "f", "missing": "m", "timed_out": "t",
          "out_of_memory": "o", "crashed": "c", "quit": "q", "tampering": "x", "broken": "b", "skipped": "k"}
_WORLDS = {"stand-in": "s", "own-derivative": "d"}


def code_of(verdict: Verdict | None) -> str:
    """The code of a verdict; " " if the grade has none."""
    if verdict is None:
        return " "
    if verdict.verdict == "passed":
        return _WORLDS.get(verdict.world or "", "p") if verdict_mark(verdict) == "✓" else "h"
    return _CODES.get(verdict.verdict, "w")


def earned(verdict: Verdict) -> bool:
    """Whether the check holds and counts."""
    return verdict.verdict == "passed" and verdict_mark(verdict) == "✓"


def judged(verdict: Verdict) -> bool:
    """Whether the check was tried and the autograder did not fail at it."""
    return verdict.verdict not in ("skipped", "broken")
