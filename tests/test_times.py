"""A time is understood as a whole, or a person is asked: it decides what late work loses."""
from __future__ import annotations

from datetime import datetime

import pytest
from courses import grade_of
from hypothesis import given
from hypothesis import strategies as st

from autograder.course.handed_in import handed_in, time_is_unclear
from autograder.course.store import named
from autograder.course.times import understood
from autograder.decoding import decoded
from autograder.records import Submission, text

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
    came = handed_in(tmp_path)
    assert (came.at, came.asks, list(came.files)) == (FIVE, (), ["timestamp.txt"])


@pytest.mark.parametrize("words", UNCLEAR)
def test_nothing_is_guessed(words):
    assert understood(words) is None


@given(st.text(max_size=1024))
def test_no_text_is_too_much(words):
    understood(words)


@pytest.mark.parametrize("words", UNCLEAR)
def test_an_unclear_time_is_for_a_person_and_goes_nowhere(tmp_path, words):
    (tmp_path / "timestamp.txt").write_text(words)
    came = handed_in(tmp_path)
    assert (came.at, came.files, len(came.asks)) == (None, {}, 1)
    assert len(came.asks[0].values["said"]) <= 60


@pytest.mark.parametrize("words", ["2026-10-25 02:30:00 Europe/Amsterdam", "2026-03-29 02:30:00 Europe/Amsterdam"])
def test_a_time_that_came_twice_or_never_is_said_to_be_one(tmp_path, words):
    (tmp_path / "timestamp.txt").write_text(words)
    [asked] = handed_in(tmp_path).asks
    assert "the clock was changed then" in asked.template
    assert time_is_unclear(grade_of("student-01", for_a_person=(asked,)))


def test_a_question_about_the_time_is_asked_once_and_only_while_it_is_unclear(tmp_path):
    own = text("an attention of its own")
    (tmp_path / "timestamp.txt").write_text("yesterday")
    unclear = Submission("a", "student-01", "multihead", handed_in=handed_in(tmp_path))
    asked = named(grade_of("student-01", for_a_person=(own,)), unclear)
    assert asked.for_a_person == (own, *unclear.handed_in.asks)
    assert named(asked, unclear) == asked
    (tmp_path / "timestamp.txt").write_text("2025-03-04 05:06:07 UTC")
    clear = Submission("a", "student-01", "multihead", handed_in=handed_in(tmp_path))
    assert named(asked, clear).for_a_person == (own,)


def test_no_time_at_all_is_asked_about_only_where_late_work_loses_something(tmp_path):
    assert handed_in(tmp_path).asks == ()
    assert [why.values for why in handed_in(tmp_path, matters=True).asks] == [{"file": "timestamp.txt"}]


@pytest.mark.parametrize(("encoding", "guessed"), [
    ("utf-8", False), ("utf-8-sig", False), ("utf-16", False), ("utf-16-le", False), ("utf-16-be", False),
    ("cp1252", True)])
def test_a_text_file_is_read_in_whatever_it_was_saved(encoding, guessed):
    words = "student;naam\nstudent-01;Zoë\n"
    assert decoded(words.encode(encoding)) == (words, guessed)


def test_what_is_no_text_is_an_error_unless_it_may_be_replaced():
    with pytest.raises(UnicodeDecodeError):
        decoded(b"\xff\xfea")
    assert decoded(b"\x81", "replace") == ("\N{REPLACEMENT CHARACTER}", True)
