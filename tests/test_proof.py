"""The proof: it holds for the lesson as it is, and breaks for every way in which a lesson can be wrong."""
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from autograder import proof
from autograder.faults import Refused
from autograder.judge.engine import Assessor, Engine
from autograder.lessons.installed import load_lesson
from autograder.lessons.kit.lesson import Lesson, Mistake, changed, check, written
from autograder.proof import catalogue, ends, render, verify
from autograder.proof.claim import Claim, Matrix, Proof
from autograder.proof.leave_one_out import leave_one_out, same_behaviour
from autograder.records import Call, text

LESSON = load_lesson("multihead")
FUNCTIONS = replace(LESSON, exercises=tuple(each for each in LESSON.exercises if not each.implementations))
HALVED = changed(("return h.reshape(B, T, H * d)", "return h.reshape(B, T, H * d) / 2"))


@pytest.fixture(scope="session")
def quick(computed_once) -> Proof:
    """A third of a quick proof, but for the mistakes, of which it has all."""
    def prove(folder: Path) -> Proof:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(proof, "PART", 3 * proof.PART)
            return verify(LESSON, quick=True)
    return computed_once("quick-proof", prove)


@pytest.fixture(scope="module")
def assessor() -> Assessor:
    return Assessor(FUNCTIONS)


def silent(what: str, done: int, of: int) -> None:
    assert 0 < done <= of, what


def mistake(make=HALVED, exercises=("merge_heads",), **others) -> Mistake:
    return Mistake(**{"id": "merge-halved", "exercises": exercises, "why": "halves what it joins",
                      "hint": text("Is every number still the same?"), "make": make, **others})


def with_mistakes(*mistakes: Mistake) -> Lesson:
    lesson = replace(FUNCTIONS)
    vars(lesson)["mistakes"] = mistakes
    return lesson


def broken_claims(assessor: Assessor, *mistakes: Mistake) -> dict[str, tuple[str, ...]]:
    """The claims that these mistakes break, with the exceptions of each."""
    lesson = with_mistakes(*mistakes)
    found = catalogue.claims(lesson, catalogue.try_all(lesson, assessor, silent))
    return {claim.says.split()[0]: claim.exceptions for claim in found if not claim.holds}


# --- the lesson as it is ------------------------------------------------------------------------------------------

def test_a_quick_proof_of_the_lesson_holds(quick: Proof):
    assert quick.holds, render(quick)


@pytest.mark.integration
def test_the_whole_of_a_quick_proof_holds():
    whole = verify(LESSON, quick=True)
    assert whole.holds, render(whole)


def test_the_proof_claims_everything_that_it_should(quick: Proof):
    says = " / ".join(claim.says for claim in quick.claims)
    for part in ("the reference, in this process", "the reference, behind the wall", "were not written",
                 "release/multihead/multihead.ipynb", "in order", "caught, where they are made", "habits",
                 "named by their diagnosis", "leave one out", "mutants caught", "in other words"):
        assert part in says


def test_every_mistake_stands_in_the_matrix_of_each_of_its_exercises(quick: Proof):
    matrices = {matrix.exercise: matrix for matrix in quick.matrices}
    for one in LESSON.mistakes:
        for exercise in one.exercises if one.advice is None else ():
            assert matrices[exercise].caught_by[one.id], one.id


def test_the_report_has_a_line_for_every_claim_check_and_mistake(quick: Proof):
    report = render(quick, table=True)
    for claim in quick.claims:
        assert claim.says in report
    for matrix in quick.matrices:
        for name in (*matrix.checks, *matrix.caught_by):
            assert f" {name} " in report


# --- a catalogue that is not in order -----------------------------------------------------------------------------

def test_a_mistake_that_is_caught_breaks_no_claim_but_that_it_is_named(assessor: Assessor):
    assert broken_claims(assessor, mistake()) == {"mistakes": ("merge-halved: named merge_heads: times-1/2",)}


@pytest.mark.parametrize(("fields", "why"), [
    ({"hint": text(" ")}, "has no hint"),
    ({"why": ""}, "does not say how people come to write it"),
    ({"make": changed()}, "is the reference itself"),
    ({"make": changed(("no such line", ""))}, "cannot be made: a line that it changes is not in the reference, "
                                              "or the change is not valid Python"),
    ({"make": written("def merge_heads(h) return h")}, "cannot be made: a line that it changes is not in the "
                                                       "reference, or the change is not valid Python"),
    ({"exercises": ("merge_head",)}, "names an unknown exercise"),
    ({"exercises": ()}, "names an unknown exercise"),
])
def test_an_entry_that_is_not_in_order_breaks_the_proof(assessor: Assessor, fields: dict, why: str):
    assert broken_claims(assessor, mistake(**fields))["entries"] == (f"merge-halved: {why}",)


def test_an_id_that_stands_there_twice_breaks_the_proof(assessor: Assessor):
    assert broken_claims(assessor, mistake(), mistake())["entries"] == (
        "merge-halved: is in the catalogue more than once",) * 2


def misplaced(assessor: Assessor, one: Mistake) -> tuple[str, ...]:
    lesson = with_mistakes(one)
    claim = catalogue.claims(lesson, catalogue.try_all(lesson, assessor, silent))[1]
    assert claim.says.startswith("mistakes caught")
    return claim.exceptions


def test_a_mistake_that_no_check_catches_breaks_the_proof(assessor: Assessor):
    assert misplaced(assessor, mistake(make=written("harmless = True"))) == ("merge-halved: no check catches it",)


def test_a_mistake_that_costs_points_elsewhere_breaks_the_proof(assessor: Assessor):
    assert misplaced(assessor, mistake(exercises=("split_heads",))) == (
        "merge-halved: costs points in merge_heads, expected in split_heads",)
    assert misplaced(assessor, mistake(exercises=("split_heads", "merge_heads"))) == (
        "merge-halved: costs points in merge_heads, expected in split_heads, merge_heads",)


def test_a_mistake_in_an_own_test_is_caught_and_needs_no_name():
    """Its checks say what the test lets through."""
    empty = mistake(make=written("def own_test(multihead, multihead_backward):\n    pass\n"), exercises=("own_test",))
    lesson = replace(LESSON)
    lesson.__dict__["mistakes"] = (empty,)
    assert catalogue.in_own_test(lesson, empty)
    tried = catalogue.try_all(lesson, Assessor(LESSON), silent)
    assert [claim for claim in catalogue.claims(lesson, tried) if not claim.holds] == []
    assert catalogue.nameable(lesson, tried) == []


@pytest.mark.integration
def test_no_mistake_of_the_functions_costs_points_in_the_own_test():
    """A quick proof tries every 7th of them."""
    tried = catalogue.try_all(LESSON, Assessor(LESSON), silent)
    elsewhere = [one for one in tried if not catalogue.in_own_test(LESSON, one.mistake)]
    assert len(elsewhere) > 150
    assert [one.mistake.id for one in elsewhere if "own_test" in one.lost] == []


def test_a_quick_proof_leaves_the_own_test_out_for_most_mistakes_that_are_made_elsewhere(monkeypatch):
    asked = []
    monkeypatch.setattr(catalogue, "try_out", lambda lesson, assessor, one: asked.append((one, assessor)))
    catalogue.try_all(LESSON, "whole", silent, ("functions", 7))
    assert len(asked) == len(LESSON.mistakes)
    for number, (one, assessor) in enumerate(asked, start=1):
        assert assessor == ("whole" if number % 7 == 0 or one.exercises == ("own_test",) else "functions")
    asked.clear()
    catalogue.try_all(LESSON, "whole", silent)
    assert {assessor for _, assessor in asked} == {"whole"}


def test_a_habit_that_costs_points_breaks_the_proof(assessor: Assessor):
    assert broken_claims(assessor, mistake(advice=text("Do not halve."))) == {
        "habits": ("merge-halved: costs points in merge_heads",)}


def test_a_habit_without_a_notice_breaks_the_proof(assessor: Assessor):
    habit = mistake(make=written("harmless = True"), advice=text("That is harmless."))
    assert broken_claims(assessor, habit) == {"habits": ("merge-halved: gets no notice",)}


# --- the ends of the scale ----------------------------------------------------------------------------------------

def test_a_reference_that_loses_points_breaks_the_proof(assessor: Assessor):
    lesson = replace(FUNCTIONS)
    vars(lesson)["reference_source"] = HALVED(LESSON.reference_source)
    with Engine(FUNCTIONS) as engine:
        here, behind = ends.full_marks(lesson, assessor, engine)
    assert not here.holds
    assert "merge_heads: general is wrong" in here.exceptions
    assert behind.holds


def test_a_check_that_fails_itself_is_named_with_its_exception():
    @check(text("A present"), "1/4")
    def odd(ask):
        """Its argument cannot cross the wall."""
        ask.value(Call("split_heads", (np.zeros((1, 1, 2)), np.int64(2))))
    first, *others = FUNCTIONS.exercises
    lesson = replace(FUNCTIONS, exercises=(replace(first, checks=(*first.checks, odd)), *others))
    with pytest.raises(Refused, match=r"an argument of split_heads cannot be sent .*\(a int64 cannot travel\)"), \
            Engine(lesson):
        pass


def test_points_for_functions_that_nobody_wrote_break_the_proof():
    @check(text("A present"), "1/4")
    def present(ask):
        """Always passes, and pays at once."""
    first, *others = FUNCTIONS.exercises
    lesson = replace(FUNCTIONS, exercises=(replace(first, checks=(*first.checks, present)), *others))
    with Engine(lesson) as engine:
        claims = ends.nothing(lesson, Assessor(lesson), engine)
    assert [claim.exceptions for claim in claims] == [("split_heads earns 0.25",)] * len(claims)
    assert not any(claim.holds for claim in claims)


def test_untouched_functions_have_the_parameters_of_the_reference():
    source = ends.untouched(LESSON)
    assert "def multihead(x, params, heads, allowed):\n    raise NotImplementedError()" in source
    assert source.count("def ") == len(LESSON.exercises)


# --- one left out -------------------------------------------------------------------------------------------------

def test_what_behaves_the_same_is_left_out_together(assessor: Assessor):
    both = next(one for one in LESSON.mistakes if one.id == "both-direct-reshape")
    assert {"both-direct-reshape", "split-direct-reshape", "merge-direct-reshape"} <= same_behaviour(
        catalogue.try_out(LESSON, assessor, both))


def test_a_mistake_that_is_not_left_out_would_be_named(assessor: Assessor):
    one = catalogue.try_out(LESSON, assessor, next(one for one in LESSON.mistakes if one.id == "mask-inverted"))
    assert leave_one_out(assessor, [one], silent)[0].exceptions == ()
    blind = replace(one, named={})
    blind = replace(blind, mistake=replace(one.mistake, id="another-id"))
    assert leave_one_out(assessor, [blind], silent)[0].exceptions == ("another-id: would be called mask-inverted",)


def test_the_catalogue_is_whole_again_afterwards(assessor: Assessor):
    one = catalogue.try_out(LESSON, assessor, next(one for one in LESSON.mistakes if one.id == "mask-inverted"))
    leave_one_out(assessor, [one], silent)
    assert "mask-inverted" in {known.id for known in assessor.catalogue.mistakes("multihead")}


# --- claims and matrices ------------------------------------------------------------------------------------------

@pytest.mark.parametrize(("right", "of", "least", "holds"), [
    (100, 100, 100.0, True), (99, 100, 100.0, False), (99, 100, 99.0, True), (98, 100, 99.0, False),
    (0, 0, 100.0, True), (19.875, 20, 100.0, False)])
def test_a_claim_holds_from_its_least_share_on(right: float, of: float, least: float, holds: bool):
    assert Claim("so many", right, of, least=least).holds is holds


def test_a_proof_holds_only_if_all_claims_do():
    good, bad = Claim("good", 1, 1), Claim("bad", 0, 1, ("that one",))
    assert Proof("a lesson", False, "none", (good, good), (), {}).holds
    broken = Proof("a lesson", False, "none", (good, bad), (), {})
    assert not broken.holds
    assert "BROKEN   0.00 %  0 of 1  bad\n         - that one" in render(broken)


def test_a_check_is_good_for_what_no_other_check_catches():
    matrix = Matrix("split_heads", ("one", "two", "three", "four"), frozenset({"three"}),
                    {"a": frozenset({"one", "two"}), "b": frozenset({"two"}), "c": frozenset({"three", "two"})})
    assert [matrix.catches(check) for check in matrix.checks] == [1, 3, 1, 0]
    assert [matrix.alone(check) for check in matrix.checks] == [0, 1, 0, 0]
    report = render(Proof("a lesson", False, "none", (), (matrix,), {}), table=True)
    words = {line.split()[0]: " ".join(line.split()[2:]) for line in report.splitlines() if line.startswith("    ")}
    assert words["one"] == "nothing that another check does not catch"
    assert words["two"] == "1 that no other check catches"
    assert words["three"] == "kept for what it explains"
    assert "    a                                ab..\n" in report
