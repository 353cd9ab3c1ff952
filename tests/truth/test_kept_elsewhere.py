"""A backward that reads what its forward left outside the cache loses what is paid for remembering nothing, no more."""
from __future__ import annotations

import pytest

from autograder.judge.engine import Assessment, Assessor
from autograder.lessons.installed import load_lesson
from autograder.proof.opening import open_local

LESSON = load_lesson("multihead")
REMEMBERS = 0.125                               # what "The same call gives the same answer again" is worth
FORWARD = LESSON.reference_source[LESSON.reference_source.index("def multihead("):LESSON.reference_source.index(
    "def multihead_backward(")]
RETURN = 'return y, {"x": x, "heads": heads, "attention": attention_cache, "joined": joined}'
READ = 'attention_backward(cache["attention"]'

#: where the attention's cache is kept -> the line in the forward that does it, and what the backward reads
PLACES = {
    "a list": ("LEFT.append(attention_cache)", "LEFT[-1]"),
    "a dict": ('LEFT_BY["last"] = attention_cache', 'LEFT_BY["last"]'),
    "an attribute": ("split_heads.left = attention_cache", "split_heads.left"),
    "a context": ("IN_CONTEXT.set(attention_cache)", "IN_CONTEXT.get()"),
}
TOP = "\n\n\nimport contextvars\nLEFT, LEFT_BY, IN_CONTEXT = [], {}, contextvars.ContextVar('left')\n"


@pytest.fixture(scope="module")
def assessor() -> Assessor:
    return Assessor(LESSON)


def kept(place: str, *changes: tuple[str, str]) -> str:
    """The reference with the attention's cache in this place, and further changes."""
    keep, read = PLACES[place]
    source = LESSON.reference_source
    for old, new in ((RETURN, f"{keep}\n    {RETURN}"), (READ, f"attention_backward({read}"), *changes):
        assert source.count(old) == 1, old
        source = source.replace(old, new)
    return source + TOP


def lost(assessment: Assessment) -> dict[str, float]:
    return {one.name: one.max_points - one.points for one in assessment.exercises
            if one.points is not None and one.points < one.max_points}


@pytest.mark.parametrize("place", PLACES)
def test_what_is_kept_elsewhere_costs_what_remembering_nothing_is_worth(assessor: Assessor, place: str) -> None:
    found = assessor.assess(open_local(kept(place)))
    assert lost(found) == {"multihead_backward": REMEMBERS}
    assert not found.for_a_person
    said = next(one.diagnosis for one in found.exercises if one.name == "multihead_backward")
    assert said.mistakes == ("only-same-answer-twice",)
    assert "outside the cache" in str(said.hints[0].values["why"])


def test_a_further_mistake_costs_and_is_named_too(assessor: Assessor) -> None:
    found = assessor.assess(open_local(kept("a list", ("dx = dx + dpart @", "dx = dpart @"))))
    assert lost(found)["multihead_backward"] > REMEMBERS
    said = next(one.diagnosis for one in found.exercises if one.name == "multihead_backward")
    assert said.mistakes == ("dx-only-v",)


def test_an_answer_that_is_always_the_first_stays_wrong(assessor: Assessor) -> None:
    """Nothing that is wrong straight after its forward is forgiven."""
    found = assessor.assess(open_local(kept("a list").replace("LEFT[-1]", "LEFT[0]")))
    assert lost(found)["multihead_backward"] > 6
