"""A time is understood as a whole, or a person is asked: it decides what late work loses."""
from __future__ import annotations

from datetime import datetime

import pytest
from courses import LESSON, grade_of, new_course
from hypothesis import given
from hypothesis import strategies as st

from autograder.course.folder import exchange_files, timestamp, unclear_time
from autograder.course.submitted import asking_about_the_time, time_is_unclear
from autograder.course.times import understood
from autograder.records import text

FIVE = datetime(2025, 3, 4, 5, 6, 7)
UNDERSTOOD = {
    "2025-03-04 05:06:07 UTC": FIVE, "2025-03-04T05:06:07Z": FIVE, "2025-03-04 05:06:07": FIVE,
    "2025-03-04 05:06:07.890000 UTC": FIVE.replace(microsecond=890000), "2025-03-04 06:06:07 CET": FIVE,
    "2025-07-04 19:59 CEST": datetime(2025, 7, 4, 17, 59), "2025-03-04 06:06:07+01:00": FIVE,
    "2025-03-04 00:06:07 -0500": FIVE, "\n2025-03-04 05:06:07 UTC \n": FIVE,
}
UNCLEAR = ["2026-01-01 00:00:00 UTC\n" + "x" * 300, "x" * 300, "10", "yesterday", "2025-03-04", "05:06",
           "0000-01-01 00:00",
           "2025-02-30 00:00:00 UTC", "2025-03-04 25:00", "2025-03-04 05:06:07 EST", "0001-01-01 00:00 +0500",
           "9999-12-31 23:59 -0500", "2025-03-04 05:06 +99:00", "1e9", "٢٠٢٥-03-04 05:06", "\0", " "]


@pytest.mark.parametrize("words", UNDERSTOOD)
def test_what_nbgrader_and_people_write_is_understood(words):
    assert understood(words) == UNDERSTOOD[words]


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_a_time_is_read_whatever_saved_it(tmp_path, encoding):
    (tmp_path / "timestamp.txt").write_bytes("2025-03-04 05:06:07 UTC\r\n".encode(encoding))
    assert (timestamp(tmp_path), unclear_time(tmp_path)) == (FIVE, None)


@pytest.mark.parametrize("words", UNCLEAR)
def test_nothing_is_guessed(words):
    assert understood(words) is None


@given(st.text(max_size=1024))
def test_no_text_is_too_much(words):
    understood(words)


@pytest.mark.parametrize("words", UNCLEAR)
def test_an_unclear_time_is_for_a_person_and_goes_nowhere(tmp_path, words):
    course = new_course(tmp_path)
    folder = course.path("submitted", "student-01", LESSON.name)
    folder.mkdir(parents=True)
    (folder / "timestamp.txt").write_text(words)
    grade = grade_of("student-01", for_a_person=(text("an attention of its own"),))
    asked = asking_about_the_time(grade, course, LESSON.name)
    assert len(asked.for_a_person) == 2
    assert len(asked.for_a_person[1].values["said"]) <= 60
    assert asking_about_the_time(asked, course, LESSON.name) == asked
    assert (timestamp(folder), exchange_files(folder)) == (None, {})
    (folder / "timestamp.txt").write_text("2025-03-04 05:06:07 UTC")
    assert asking_about_the_time(asked, course, LESSON.name) == grade


@pytest.mark.parametrize("words", ["2026-10-25 02:30:00 Europe/Amsterdam", "2026-03-29 02:30:00 Europe/Amsterdam"])
def test_a_time_that_came_twice_or_never_is_said_to_be_one(tmp_path, words):
    course = new_course(tmp_path)
    folder = course.path("submitted", "student-01", LESSON.name)
    folder.mkdir(parents=True)
    (folder / "timestamp.txt").write_text(words)
    asked = asking_about_the_time(grade_of("student-01"), course, LESSON.name)
    assert "the clock was changed then" in asked.for_a_person[0].template
    assert time_is_unclear(asked)
    assert asking_about_the_time(asked, course, LESSON.name) == asked


def test_no_time_at_all_is_nothing_to_ask_about(tmp_path):
    course = new_course(tmp_path)
    grade = grade_of("student-01")
    assert asking_about_the_time(grade, course, LESSON.name) is grade


def test_no_time_at_all_is_asked_about_where_late_work_loses_something(tmp_path):
    course = new_course(tmp_path)
    grade = grade_of("student-01")
    asked = asking_about_the_time(grade, course, LESSON.name, matters=True)
    assert [why.values for why in asked.for_a_person] == [{"file": "timestamp.txt"}]
    assert asking_about_the_time(asked, course, LESSON.name) == grade
