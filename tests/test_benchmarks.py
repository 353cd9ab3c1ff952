"""The benchmarks still measure what they are about."""
import os
import tempfile

import pytest

from autograder.intake.reading import read
from autograder.judge.engine import Engine
from autograder.lessons.installed import load_lesson
from benchmarks import scale
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


def test_a_class_for_which_there_is_no_room_is_not_begun(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with pytest.raises(SystemExit, match="name a larger disk with TMPDIR"):
        next(scale.measured(10**12))
    assert list(tmp_path.iterdir()) == []


def test_a_process_that_is_watched_has_used_time_and_memory_and_one_that_is_gone_none() -> None:
    watched = scale.Watched(os.getpid(), [2**22 + 1], None)
    watched.look()
    assert list(watched.mb) == list(watched.seconds) == [os.getpid()]
    assert watched.mb[os.getpid()] > 10
    assert watched.seconds[os.getpid()] > 0
