"""The benchmarks still measure what they are about."""
import pytest

from autograder.intake.reading import read
from autograder.judge.engine import Engine
from autograder.lessons.installed import load_lesson
from benchmarks.own_tests import WORK, graded


@pytest.mark.slow
def test_an_own_test_that_keeps_nothing_needs_two_processes_and_any_other_one_for_each_trial() -> None:
    lesson = load_lesson("multihead")
    (work,) = read([WORK], lesson)
    with Engine(lesson) as engine:
        _, _, processes = graded(engine, work, analysed=True)
        _, _, fresh = graded(engine, work, analysed=False)
    test = next(exercise for exercise in lesson.exercises if exercise.implementations)
    assert (processes, fresh) == (2, 1 + len(test.implementations))
