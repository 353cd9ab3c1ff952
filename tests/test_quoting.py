"""What a message may quote of what a student's code chose, once that has seen hidden inputs."""
from __future__ import annotations

import numpy as np
import pytest
from local import LESSON, Opened, source

from autograder.judge.engine import Assessor
from autograder.judge.examples import REMEMBERS
from autograder.judge.local_subject import LocalSubject
from autograder.judge.worlds import AskIn, Attempt, attempt
from autograder.lessons.kit.quoting import ANOTHER, because, count_of, lengths_in, once, quoted, shape_of, stopped
from autograder.lessons.kit.quoting import unwritten as not_written
from autograder.locale.language import translate
from autograder.records import Outcome, text

REFERENCE = LocalSubject(LESSON.reference_source, "reference")
CHECKS = {(exercise.name, check.name): check for exercise in LESSON.exercises for check in exercise.checks}
HERE = Outcome("raised", error="KeyError", kinds=("KeyError",), where=(2, 9), within="inner")
THERE = Outcome("raised", error="OSError", kinds=("OSError",), where=(2, 10), within="outer")


def tried(exercise: str, check: str, then: str) -> Attempt:
    return attempt(CHECKS[exercise, check], AskIn("own", LocalSubject(source(then=then), "student"), REFERENCE))


def said(attempted: Attempt) -> str:
    return translate(attempted.why, "en")


@pytest.mark.parametrize("shape", [(), (3,), (2, 3), (1, 2, 3, 4, 5, 6, 7, 8)])
def test_a_shape_is_written_as_python_does(shape):
    assert translate(quoted(shape_of(shape)), "nl") == str(shape)


def test_of_a_shape_only_lengths_of_the_question_are_quoted():
    why = text("{name} has shape {got}", name="y", got=shape_of((2, 31, 5)))
    assert translate(quoted(why, {2, 5}), "en") == "y has shape (2, ?, 5)"


def test_the_lengths_of_a_question_are_those_of_its_arrays_and_its_whole_numbers():
    assert lengths_in([np.zeros((2, 3)), {"w": np.zeros((7, 1))}, 4, True, 0.5, "x", (np.zeros(9), None)]) == {
        1, 2, 3, 4, 7, 9}


@pytest.mark.parametrize(("then", "shape"), [
    ("return x.reshape(B, T, H, -1)", "(2, 5, 3, 4)"), ("return np.zeros((B, 1234, H, 0))", "(2, ?, 3, ?)"),
    ("return np.zeros((B * T, C))", "(?, 12)"), ("return np.zeros((0, 77, 2821, 13765))", "(?, ?, ?, ?)")])
def test_a_hidden_answer_of_another_shape_shows_no_other_number(then, shape):
    code = f"def split_heads(x, heads):\n    (B, T, C), H = x.shape, heads\n    {then}"
    found = tried("split_heads", "general", code)
    assert said(found).startswith(f"split_heads(x, heads) has shape {shape}, expected (2, 3, 5, 4)")
    assert (found.picture is None) == ("?" in shape)


@pytest.mark.parametrize("key", ["'seen 0.25'", "'wq '", "'0'", "'\\n'"])
def test_a_key_that_a_call_invents_is_not_quoted(key):
    then = f"_right = multihead\n\n\ndef multihead(x, params, heads, allowed):\n    params[{key}] = 1\n" \
           "    return _right(x, params, heads, allowed)"
    assert said(tried("multihead", "keeps-arguments", then)) == "multihead changes its argument params; work on a copy"


def test_a_key_that_was_there_is_quoted():
    then = "_right = multihead\n\n\ndef multihead(x, params, heads, allowed):\n    params['wk'] *= 2\n" \
           "    return _right(x, params, heads, allowed)"
    assert "params['wk']" in said(tried("multihead", "keeps-arguments", then))


def test_a_key_of_the_cache_is_quoted_only_if_the_reference_has_it():
    then = "_right = multihead_backward\n\n\ndef multihead_backward(cache, params, dy):\n" \
           "    answer = _right(cache, params, dy)\n    cache[{0}] = 1\n    return answer"
    assert "cache['joined']" in said(tried("multihead_backward", "keeps-arguments", then.format("'joined'")))
    assert "argument cache;" in said(tried("multihead_backward", "keeps-arguments", then.format("'0.25'")))


def test_an_exercise_tells_of_one_cause():
    why = text("{function} raised {error}", function="f", error=stopped(HERE))
    causes = [text("first"), text("second"), text("first")]
    assert once(because(why, cause) for cause in causes) == [
        because(why, causes[0]), why, because(why, causes[0])]


def test_many_things_are_not_counted():
    assert translate(count_of((1, 2, 3)), "en") == "a tuple or a list of 3"
    assert translate(count_of((0,) * 1234), "en") == "a tuple or a list"


def test_an_exercise_tells_of_one_exception_and_one_place():
    def raised(outcome):
        return text("{function} raised {error}", function="f", error=stopped(outcome))
    cause = text("A name is asked for that is not in that dict: print its keys just before that line.")
    first, second, third, *rest = once([
        because(raised(HERE), cause), None, because(raised(THERE), cause), raised(HERE), not_written("f", THERE)])
    assert translate(first, "en").startswith("f raised KeyError (cell 3, line 9). A name")
    assert second is None
    assert third == text("{function} raised {error}", function="f", error=ANOTHER)
    assert rest[0] == raised(HERE)
    assert "outer" not in str(rest[1])


def examples(then: str) -> list[str]:
    """What is said of the examples of the backward."""
    judged = Assessor(LESSON).assess(Opened(source(then=then)))
    (backward,) = [one for one in judged.exercises if one.name == "multihead_backward"]
    return [translate(verdict.message, "en") for verdict in backward.verdicts
            if CHECKS["multihead_backward", verdict.check].shown and verdict.verdict != "passed"]


KEEPING = """seen = []
_right, _forward = multihead_backward, multihead


def multihead(x, params, heads, allowed):
    seen.extend(np.asarray(x).ravel().tolist()[:3])
    return _forward(x, params, heads, allowed)


def multihead_backward(cache, params, dy):
    if dy.shape == (1, 1, 2):
        %s
    return _right(cache, params, dy)"""


def test_an_example_tells_what_it_does_when_nothing_else_was_asked():
    (said_,) = examples(KEEPING % "raise ValueError(f'seen {len(seen)} numbers')")
    assert "stops at a raise or assert of your own, with ValueError: seen 2 numbers, where" in said_


def test_the_numbers_of_an_example_are_those_of_a_fresh_process():
    (said_,) = examples(KEEPING % "return np.full((1, 1, 2), seen[0]), {}")
    assert said_ == "dx[0, 0, 0] is 1, expected 16 (sequence 0, time step 0, feature 0)"


def test_an_example_that_is_right_by_itself_is_said_to_remember():
    assert examples(KEEPING % "if len(seen) > 9: raise ValueError(str(seen))") == [REMEMBERS.template]
