"""Checks against answers of every kind: each ends in the right word, and our own fault is never the student's."""
from contextlib import contextmanager
from fractions import Fraction

import numpy as np
import pytest
from local import Opened, source

from autograder.judge.engine import Assessor
from autograder.judge.worlds import NOT_YET_SHOWN, AskIn, attempt
from autograder.lessons.installed import load_lesson
from autograder.lessons.kit.lesson import Check, Unanswered, Wrong
from autograder.locale.language import translate
from autograder.records import Call, Opaque, Outcome, Result, text

LESSON = load_lesson("multihead")
CALL = Call("f", (1,))


class Says:
    """A subject that always gives the same outcome, and remembers what it was asked."""

    def __init__(self, outcome: Outcome):
        self.outcome, self.asked = outcome, []

    def answer(self, call: Call) -> Outcome:
        self.asked.append(call)
        return self.outcome


def a_check(run, shown: bool = False) -> Check:
    return Check("c", text("c"), Fraction(1), run, shown=shown)


def word_of(outcome: Outcome, run=lambda ask: ask.value(CALL), shown: bool = False, only_examples: bool = False):
    subject = Says(outcome)
    return attempt(a_check(run, shown), AskIn("own", subject, subject, only_examples=only_examples))


@pytest.mark.parametrize("status", ["raised", "timed_out", "out_of_memory", "crashed", "quit", "missing", "refused",
                                    "tampering", "broken"])
def test_a_call_without_an_answer_ends_the_check_with_its_word(status: str) -> None:
    attempted = word_of(Outcome(status, error="ValueError", kinds=("ValueError",)))
    assert (attempted.word, attempted.world) == (status, None)
    assert attempted.why.values["function"] == "f"


def test_an_answer_passes_in_the_world_in_which_it_was_given() -> None:
    assert word_of(Outcome("answered", 3)).world == "own"


def test_a_fault_inside_the_check_is_broken_not_wrong() -> None:
    broken = word_of(Outcome("answered", 3), lambda ask: {}["0.123"])
    assert broken.word == "broken"
    assert "KeyError" in str(broken.why)
    assert "0.123" not in str(broken.why)


def test_what_is_no_plain_data_is_refused_and_none_is_wrong() -> None:
    from autograder.lessons.kit.compare import difference
    def run(ask):
        difference(ask.value(CALL), np.zeros(2), "C", "y")
    assert word_of(Outcome("answered", Opaque("object")), run).word == "refused"
    assert word_of(Outcome("answered", None), run).word == "wrong"


def test_a_stub_is_not_written_yet() -> None:
    outcome = Outcome("raised", error="NotImplementedError", kinds=("NotImplementedError", "RuntimeError"))
    assert (word_of(outcome).word, word_of(outcome).why.template) == ("unwritten", "{function} is not written yet")


def test_a_function_that_calls_a_stub_is_not_one() -> None:
    outcome = Outcome("raised", error="NotImplementedError", kinds=("NotImplementedError", "RuntimeError"),
                      within="softmax")
    assert (word_of(outcome).word, word_of(outcome).why.values["other"]) == ("raised", "softmax")


def test_the_text_of_an_exception_is_shown_where_nothing_but_examples_is_asked() -> None:
    outcome = Outcome("raised", error="ValueError", kinds=("ValueError",), message="x is 0.123", where=(4, 7))
    assert "0.123" not in str(word_of(outcome).why.values)
    assert word_of(outcome, shown=True).why == NOT_YET_SHOWN
    assert "0.123" in str(word_of(outcome, shown=True, only_examples=True).why.values)


def test_the_name_of_a_students_own_exception_is_hidden_and_cells_count_from_one() -> None:
    outcome = Outcome("raised", error="Hidden_0_123", kinds=("ValueError",), where=(4, 7))
    assert translate(word_of(outcome).why, "en") == "f raised ValueError (cell 5, line 7)"


def test_the_same_call_is_asked_once_in_a_world() -> None:
    subject = Says(Outcome("answered", 3))
    ask = AskIn("own", subject, subject)
    assert (ask.value(CALL), ask.value(CALL), len(subject.asked)) == (3, 3, 1)


def test_the_reference_answers_for_what_stands_in_as_plain_arrays() -> None:
    student, reference = Says(Outcome("answered", 1)), Says(Outcome("answered", ("y", {"x": "plain"})))
    backward = Call("backward", (Result(Call("forward", ()), 1), 2))
    AskIn("stand-in", student, reference, ["forward"]).value(backward)
    assert student.asked[0].args == ({"x": "plain"}, 2)
    AskIn("own", student, reference).value(backward)
    assert student.asked[1] is backward


def test_an_unanswered_check_says_of_which_function() -> None:
    def run(ask):
        raise Unanswered("own_test", Outcome("timed_out"))
    assert word_of(Outcome("answered", 1), run).why.values["function"] == "own_test"


def test_a_wrong_answer_keeps_its_reason() -> None:
    def run(ask):
        raise Wrong(text("because"))
    assert word_of(Outcome("answered", 1), run).why == text("because")


def test_a_missing_name_is_told_where_it_may_have_been() -> None:
    """In the notebook it runs: there the variables of the example cells exist."""
    def why(name: str) -> str:
        outcome = Outcome("raised", error="NameError", kinds=("NameError",), where=(11, 3),
                          message=f"name '{name}' is not defined")
        ask = AskIn("own", Says(outcome), Says(outcome), of_an_example=LESSON.names_in_an_example)
        return translate(attempt(a_check(lambda ask: ask.value(CALL)), ask).why, "en")
    assert why("params_one") == ("f raised NameError (cell 12, line 3); "
                         "variables of the example cells do not exist when your work is graded")
    assert why("hedas") == ("f raised NameError (cell 12, line 3). A name is used that does not exist there: is it "
                            "spelt as where it gets its value, and does that come first?")


def test_nothing_that_saw_hidden_inputs_runs_while_an_example_is_asked_to_be_quoted() -> None:
    """It could tell a process beside it what it has seen, by how busy it is."""
    opened, running, beside = Opened(source(("return x.swapaxes(1, 2)", "return x"))), [], []

    @contextmanager
    def watched(stand_ins, install):
        if not install:                         # nothing is replaced: the first process, the examples', those of tests
            beside.append(len(running))
        with opened(stand_ins, install) as subject:
            running.append(subject)
            yield subject
            running.remove(subject)
    assessed = Assessor(LESSON).assess(watched)
    example = assessed.exercises[0].verdicts[0]
    assert (example.verdict, example.message != NOT_YET_SHOWN) == ("wrong", True)
    assert len(beside) > 2
    assert not any(beside)
