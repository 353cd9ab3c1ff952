"""The answers of the catalogue are computed once for a user's whole machine, whatever a course chooses."""
from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from threading import Thread

import numpy as np
import pytest

from autograder.judge import cache
from autograder.judge.checks_version import answers_version, checks_version
from autograder.lessons.installed import load_lesson
from autograder.records import text

LESSON = load_lesson("multihead")


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return tmp_path


def some(number: int) -> dict[str, np.ndarray]:
    return {"some": np.array([number])}


def computed(fits=lambda found: True, compute=lambda: some(1)) -> int:
    return int(cache.computed("version", "name", fits, compute)["some"][0])


def test_what_two_need_at_once_is_computed_once(place: Path):
    made: list[str] = []

    def of_another() -> dict[str, np.ndarray]:
        made.append("another")
        return some(2)
    other = Thread(target=computed, kwargs={"compute": of_another})

    def of_the_first() -> dict[str, np.ndarray]:
        made.append("the first")
        other.start()
        other.join(timeout=0.2)                 # would be done by then if it did not wait
        return some(1)
    assert computed(compute=of_the_first) == 1
    other.join()
    assert made == ["the first"]
    assert computed(compute=of_another) == 1


def test_what_does_not_fit_is_computed_again(place: Path):
    computed()
    assert computed(fits=lambda found: found["some"][0] == 3, compute=lambda: some(3)) == 3
    assert computed() == 3


def test_a_cache_that_cannot_be_written_costs_time_and_nothing_else(place: Path):
    (place / "multihead-autograder").write_text("a file where the folder would be")
    assert [computed(), computed(compute=lambda: some(2))] == [1, 2]


def test_no_choice_of_a_course_has_the_catalogue_computed_again():
    first, *others = LESSON.exercises
    for course in (replace(LESSON, exercises=(replace(first, skipped=text("not this year")), *others)),
                   replace(LESSON, exercises=LESSON.exercises[:-1])):
        assert answers_version(course) == answers_version(LESSON)
        assert checks_version(course) != checks_version(LESSON)


def test_the_lessons_that_are_used_keep_their_answers_and_what_nobody_uses_goes(place: Path):
    for number in range(3 * cache.VERSIONS_KEPT):
        cache.save(f"version-{number}", "name", some(number))
        os.utime(cache.folder() / f"version-{number}", (number, number))        # as if long ago, one after the other
        assert cache.load("version-0", "name") is not None
    assert cache.load("version-1", "name") is None
