"""Every submission in tests/submissions/ is graded as the expect.json beside it says: a new folder is a new test.

expect.json holds "why" (what this one shows) and "status", and whatever else should hold:
    "points"        exercise -> a number, or {"at_least": 1, "at_most": 2}
    "worlds"        "exercise/check" -> the world in which it passed, or null
    "verdicts"      "exercise/check" -> the verdict word
    "mistakes"      exercise -> ids of the catalogue that are named there; an empty list means that none is
    "notices"       parts of English templates: each is found in a notice, and each notice holds one of them
    "for_a_person"  the same for the reasons why a person should look
    "limits"        other limits than a student has, so that what hangs is over soon
What is left out is not looked at.
"""
from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from sampled import by_turns

from autograder.intake import read
from autograder.judge.engine import Engine, Limits
from autograder.lessons.installed import load_lesson
from autograder.lessons.kit.course_file import course_file
from autograder.records import Diagnosis, Grade, Submission, Text

FOLDER = Path(__file__).parent / "submissions"
SUBMISSIONS = sorted(path.parent.name for path in FOLDER.glob("*/expect.json"))
#: those that hang, count their steps by thousands or plot: seconds each
LONG = {"nothing-always-equal", "nothing-numerical-backward", "nothing-numerical-backward-inlined",
        "numerical-scores-only", "odd-function-hangs", "odd-hanging-cell", "odd-slow-cell", "odd-written-to-files",
        "own-test-hangs", "own-test-nudges-every-number", "own-test-other-exceptions", "right-magics-and-plots"}
LESSON = load_lesson("multihead")
EXERCISES = [exercise.name for exercise in LESSON.exercises]
CHECKS = [f"{exercise.name}/{check.name}" for exercise in LESSON.exercises for check in exercise.checks]


class Range(msgspec.Struct, forbid_unknown_fields=True):
    """Points that may vary a little."""

    at_least: float = 0.0
    at_most: float = 20.0


class Expect(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    """What an expect.json may say."""

    why: str
    status: str
    points: dict[str, float | Range] = {}
    worlds: dict[str, str | None] = {}
    verdicts: dict[str, str] = {}
    mistakes: dict[str, list[str]] = {}
    notices: list[str] | None = None
    for_a_person: list[str] | None = None
    limits: Limits = Limits()

    def names(self) -> set[str]:
        """Every exercise and check that it speaks of."""
        return self.points.keys() | self.worlds.keys() | self.verdicts.keys() | self.mistakes.keys()


def submission_in(slug: str) -> Submission:
    """The submission in this folder."""
    path = next(path for path in (FOLDER / slug).iterdir() if path.stem == "submission")
    return next(read([path], LESSON))


def seen(grade: Grade, expect: Expect) -> dict[str, Any]:
    """What the grade says of everything that is expected, in the words of expect.json."""
    exercises = {exercise.name: exercise for exercise in grade.exercises}
    verdicts = {f"{exercise.name}/{verdict.check}": verdict
                for exercise in grade.exercises for verdict in exercise.verdicts}
    return {
        "status": grade.status,
        "points": {name: within(exercises[name].points, want) for name, want in expect.points.items()},
        "worlds": {name: verdicts[name].world for name in expect.worlds},
        "verdicts": {name: verdicts[name].verdict for name in expect.verdicts},
        "mistakes": {name: named(exercises[name].diagnosis, want) for name, want in expect.mistakes.items()},
        "notices": found(grade.notices, expect.notices),
        "for_a_person": found(grade.for_a_person, expect.for_a_person),
    }


def within(points: float | None, want: float | Range) -> float | Range | None:
    """The range itself where the points lie in it, else the points."""
    inside = isinstance(want, Range) and points is not None and want.at_least <= points <= want.at_most
    return want if inside else points


def named(diagnosis: Diagnosis, want: list[str]) -> list[str]:
    """The expected ids where all of them are named (others may explain the same), else what is named."""
    return want if want and set(want) <= set(diagnosis.mistakes) else list(diagnosis.mistakes)


def found(texts: tuple[Text, ...], parts: list[str] | None) -> list[str] | None:
    """The expected parts that are there, and the whole template of every text that holds none of them."""
    if parts is None:
        return None
    templates = [text.template for text in texts]
    return ([part for part in parts if any(part in template for template in templates)]
            + [template for template in templates if not any(part in template for part in parts)])


@pytest.mark.parametrize("slug", by_turns(SUBMISSIONS, 12, 2, long=LONG))
def test_a_submission_is_graded_as_its_folder_says(slug: str, engine_with: Callable[[Limits], Engine]) -> None:
    expect = msgspec.json.decode((FOLDER / slug / "expect.json").read_bytes(), type=Expect)
    assert expect.names() <= {*EXERCISES, *CHECKS}
    grade = engine_with(expect.limits).grade(submission_in(slug))
    want = {name: getattr(expect, name) for name in seen(grade, expect)}
    assert seen(grade, expect) == want, expect.why


@pytest.mark.parametrize(("path", "points"), [
    ("solutions/multihead.py", [3, 2, 5, 7, 3]),
    ("assignments/multihead/multihead.ipynb", [3, 2, 5, 7, 3]),
    ("release/multihead/multihead.ipynb", [0, 0, 0, 0, 0]),
])
def test_the_courses_own_files_get_full_marks_or_none(path: str, points: list[int],
                                                      engine_with: Callable[[Limits], Engine]) -> None:
    grade = engine_with(Limits()).grade(next(read([course_file(path)], LESSON)))
    assert [exercise.points for exercise in grade.exercises] == points
    assert (grade.notices, grade.for_a_person) == ((), ())


def test_every_folder_holds_a_submission_and_what_is_expected_of_it() -> None:
    assert set(SUBMISSIONS) >= LONG
    for folder in FOLDER.iterdir():
        names = sorted(path.name for path in folder.iterdir())
        assert names[0] == "expect.json", folder
        assert names[1:] in (["submission.ipynb"], ["submission.py"]), folder


def test_an_unknown_key_is_an_error() -> None:
    with pytest.raises(msgspec.ValidationError, match="unknown field `point`"):
        msgspec.json.decode(json.dumps({"why": "", "status": "graded", "point": {}}), type=Expect)
