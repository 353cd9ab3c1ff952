"""What is said of a mistake never contradicts the verdicts beside it.

Each mistake of the catalogue is left out, so that words of the steps and of the first wrong one are said of it.
"""
from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import pytest
from sampled import by_turns

from autograder.judge.engine import Assessor
from autograder.lessons.installed import load_lesson
from autograder.locale.language import LANGUAGES, translate
from autograder.output.feedback import exercise_html
from autograder.output.marks import begins
from autograder.proof.opening import open_local
from autograder.records import ExerciseGrade, Text

LESSON = load_lesson("multihead")
MISTAKES = {mistake.id: mistake for mistake in LESSON.mistakes if mistake.advice is None}
assessor = cache(lambda: Assessor(LESSON))

#: what a sentence says is right -> the checks that then passed
CLAIMS = {
    "dWO, dWV, dWK and dWQ are right": ("dwo", "dwv", "dwk", "dwq"), "dX is right": ("dx",),
    "With a full mask everything is right": ("full-mask",), "With one head everything is right": ("one-head",),
    "With a single token everything is right": ("one-token",), "Y is right, and": ("irregular-mask",)}
FACTORS = {"2": "2", "1/2": "0.5", "B": "{0}.shape[0]", "1/B": "1 / {0}.shape[0]", "T": "{0}.shape[1]"}
RETURNS = {"split_heads": ("return x.swapaxes(1, 2)", "x"), "merge_heads": ("return h.reshape(B, T, H * d)", "h"),
           "multihead": ('y = joined @ params["wo"]', "x"), "multihead_backward": ("return dx, grads", "dx")}


def texts(said: Text) -> Iterator[Text]:
    yield said
    for value in said.values.values():
        if isinstance(value, Text):
            yield from texts(value)


def claimed(exercise: ExerciseGrade) -> Iterator[str]:
    """The checks that passed, if what is said of the exercise is true."""
    for one in (part for hint in exercise.diagnosis.hints for part in texts(hint)):
        for sentence, checks in CLAIMS.items():
            if one.template.startswith(sentence):
                yield from checks
        if one.template.startswith("{right}: right"):
            yield from (name.lower() for name in str(one.values["right"]).split(", ") if name.startswith("dW"))


@pytest.mark.parametrize("id", by_turns(MISTAKES, 32, 4))
def test_what_is_said_to_be_right_is_right(id: str) -> None:
    judge = assessor()
    whole, mistake = judge.catalogue, MISTAKES[id]
    try:
        judge.catalogue = whole.without(id)
        exercises = judge.assess(open_local(mistake.make(LESSON.reference_source))).exercises
    finally:
        judge.catalogue = whole
    for exercise in exercises:
        passed = {verdict.check for verdict in exercise.verdicts if verdict.verdict == "passed"}
        assert {*claimed(exercise)} <= passed, [translate(hint, "en") for hint in exercise.diagnosis.hints]
        for language in LANGUAGES:
            page = exercise_html(exercise, language)
            assert ("Not true yet: " if language == "en" else "Nog niet waar: ") in page or all(
                verdict.verdict != "wrong" for verdict in exercise.verdicts)
            assert "Wrong: " not in page
            assert "Fout: " not in page


def test_a_title_never_stands_behind_a_word_that_contradicts_it() -> None:
    """A title says what should be true, so all but right begins with that it is not, or was not looked at."""
    exercises = assessor().assess(open_local(MISTAKES["dx-only-v"].make(LESSON.reference_source))).exercises
    words = {(verdict.verdict, translate(begins(verdict), "nl")) for one in exercises for verdict in one.verdicts}
    assert ("passed", "goed") in words
    assert ("wrong", "nog niet waar") in words


@pytest.mark.parametrize("name", by_turns(FACTORS, 3, 1))
@pytest.mark.parametrize("function", RETURNS)
def test_a_factor_has_the_one_name_that_is_true(function: str, name: str) -> None:
    source = LESSON.reference_source
    old, array = RETURNS[function]
    assert source.count(old) == 1
    factor = FACTORS[name].format(array)
    new = f"return dx * ({factor}), grads" if function == "multihead_backward" else f"{old} * ({factor})"
    exercises = {one.name: one for one in assessor().assess(open_local(source.replace(old, new))).exercises}
    factors = [id for id in exercises[function].diagnosis.mistakes if id.startswith("times-")]
    assert factors in ([f"times-{name}"], [])
    assert exercises[function].diagnosis.mistakes
