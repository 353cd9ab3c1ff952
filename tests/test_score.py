"""Points: exact, gated, and unknown where the autograder itself failed."""
from fractions import Fraction

import pytest

from autograder.judge.points import exercise_grade, ungraded
from autograder.judge.worlds import Attempt, Judged
from autograder.lessons.installed import lesson_names, load_lesson
from autograder.lessons.kit.lesson import Check, Exercise
from autograder.locale.language import translate
from autograder.records import Diagnosis, text


def a_check(name: str, points: str, needs: tuple[str, ...] = ()) -> Check:
    return Check(name, text(name), Fraction(points), lambda ask: None, needs)


EXERCISE = Exercise("f", "test_f", 2, (a_check("example", "1/3", ("value",)), a_check("value", "4/3"),
                                       a_check("property", "1/3", ("value",))))


def graded(*words: str):
    attempts = [Attempt(word, None, "own" if word == "passed" else None) for word in words]
    return exercise_grade(Judged(EXERCISE, attempts), Diagnosis(("a-mistake",)))


def test_thirds_add_up_to_exactly_two() -> None:
    assert graded("passed", "passed", "passed").points == 2.0


def test_examples_and_properties_are_worth_nothing_without_the_value() -> None:
    grade = graded("passed", "wrong", "passed")
    assert grade.points == 0
    assert [verdict.verdict for verdict in grade.verdicts] == ["passed", "wrong", "passed"]
    assert translate(grade.verdicts[0].message, "en") == (          # the title of a hidden case would tell what it asks
        "right, but it counts only once f is right for cases that are not in the notebook")


def test_a_gate_without_points_is_named() -> None:
    gate = Check("gate", text("The gate holds"), Fraction(0), lambda ask: None)
    exercise = Exercise("f", "test_f", 2, (gate, a_check("catch", "2", ("gate",))))
    attempts = [Attempt("wrong", None, None), Attempt("passed", None, "own")]
    grade = exercise_grade(Judged(exercise, attempts), Diagnosis())
    assert translate(grade.verdicts[1].message, "en") == (
        "right, but it counts only once this is right too: The gate holds")
    right = exercise_grade(Judged(exercise, [Attempt("passed", None, "own")] * 2), Diagnosis())
    assert [verdict.message for verdict in right.verdicts] == [None, None]


def test_a_broken_check_leaves_the_exercise_without_points_not_with_zero() -> None:
    grade = graded("passed", "passed", "broken")
    assert grade.points is None
    assert grade.verdicts[2].points is None
    assert grade.verdicts[1].points == pytest.approx(4 / 3)


def test_only_failed_checks_carry_the_mistakes() -> None:
    grade = graded("passed", "passed", "wrong")
    assert [verdict.mistakes for verdict in grade.verdicts] == [(), (), ("a-mistake",)]
    assert [verdict.world for verdict in grade.verdicts] == ["own", "own", None]


def test_a_skipped_exercise_says_why_and_has_no_points() -> None:
    why = text("later")
    grade = ungraded(Exercise("f", "test_f", 2, EXERCISE.checks, skipped=why), "skipped")
    assert (grade.skipped, grade.points, grade.verdicts[0].message) == (True, None, why)


def test_what_could_not_be_read_has_unknown_points_not_zero_and_stays_in_the_maximum() -> None:
    grade = ungraded(EXERCISE, "skipped")
    assert (grade.skipped, grade.points) == (False, None)
    assert {(one.verdict, one.points) for one in grade.verdicts} == {("skipped", None)}


@pytest.mark.parametrize("name", lesson_names())
def test_the_checks_of_every_exercise_add_up_to_its_points(name: str) -> None:
    for exercise in load_lesson(name).exercises:
        assert sum(check.points for check in exercise.checks) == exercise.points, exercise.name


@pytest.mark.parametrize("name", lesson_names())
def test_what_a_check_needs_exists_and_pays_by_itself(name: str) -> None:
    for exercise in load_lesson(name).exercises:
        checks = {check.name: check for check in exercise.checks}
        assert len(checks) == len(exercise.checks)
        for check in exercise.checks:
            assert all(not checks[needed].needs for needed in check.needs), check.name
