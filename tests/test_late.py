"""Days late are those of the calendar: a change of the clock costs and spares nobody a day."""
from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from autograder.course.late import days_late
from autograder.course.settings import LateSettings, Settings
from autograder.course.times import clock_was_changed, understood

ZONE = "Europe/Amsterdam"
WINTER, SUMMER = datetime(2026, 10, 25, 1, 0), datetime(2026, 3, 29, 1, 0)      # the moments of the change, in UTC


def settings(grace: float = 0, zone: str = ZONE) -> Settings:
    return Settings(timezone=zone, late=LateSettings("per-day", grace_minutes=grace))


def there(words: str) -> datetime:
    """A time in Amsterdam, in UTC."""
    return datetime.fromisoformat(words).replace(tzinfo=ZoneInfo(ZONE)).astimezone(UTC).replace(tzinfo=None)


@pytest.mark.parametrize(("due", "handed_in", "days"), [
    ("2026-10-24 20:00", "2026-10-24 19:59", 0), ("2026-10-24 20:00", "2026-10-24 20:00", 0),
    ("2026-10-24 20:00", "2026-10-24 20:01", 1), ("2026-10-24 20:00", "2026-10-25 19:59", 1),
    ("2026-10-24 20:00", "2026-10-25 20:30", 2), ("2026-10-24 20:00", "2026-10-26 19:59", 2),
    ("2026-03-28 20:00", "2026-03-29 19:59", 1), ("2026-03-28 20:00", "2026-03-29 20:01", 2),
    ("2026-03-28 02:30", "2026-03-29 03:29", 1), ("2026-03-06 23:59", "2027-03-06 23:59", 365),
    ("2026-10-24 02:30", "2026-10-25 02:59", 1)])                       # 02:30 comes twice that night
def test_a_day_ends_at_the_time_of_day_of_the_due_date(due, handed_in, days):
    assert days_late(there(due), there(handed_in), settings()) == days


@pytest.mark.parametrize(("late", "days"), [(10, 0), (15, 0), (16, 1), (24 * 60 + 10, 1), (24 * 60 + 16, 2)])
def test_the_grace_is_added_to_every_day(late, days):
    due = datetime(2026, 5, 1, 18)
    assert days_late(due, due + timedelta(minutes=late), settings(15)) == days


def test_a_grace_of_days_is_no_day_of_lateness():
    due, grace = datetime(2026, 5, 1, 18), timedelta(days=3)
    found = [days_late(due, due + grace + timedelta(hours=hours), settings(grace / timedelta(minutes=1)))
             for hours in (0, 1, 24, 25)]
    assert found == [0, 1, 1, 2]


@pytest.mark.parametrize(("due", "handed_in"), [(None, WINTER), (WINTER, None), (None, None)])
def test_without_both_times_nothing_is_late(due, handed_in):
    assert days_late(due, handed_in, settings()) == 0


def test_the_end_of_time_is_late_too():
    assert days_late(datetime(2026, 5, 1), datetime.max, settings()) > 2_000_000


around = st.builds(lambda change, minutes: change + timedelta(minutes=minutes), st.sampled_from((WINTER, SUMMER)),
                   st.integers(-5 * 1440, 5 * 1440))


@given(around, st.integers(-60, 8 * 1440), st.sampled_from((0, 15, 90)))
def test_around_a_change_of_the_clock_days_are_those_on_the_calendar(due, minutes, grace):
    handed_in = due + timedelta(minutes=minutes)
    days = days_late(due, handed_in, settings(grace))
    local = [moment.replace(tzinfo=UTC).astimezone(ZoneInfo(ZONE)) for moment in (due, handed_in)]
    wall = local[1].replace(tzinfo=None) - timedelta(minutes=grace) - local[0].replace(tzinfo=None)
    if minutes <= grace:
        assert days == 0
    elif not any(abs(moment.replace(tzinfo=None) - change) < timedelta(hours=4)     # a time that comes twice, or never
                 for change in (WINTER, SUMMER) for moment in local):
        assert days == max(1, -(-wall // timedelta(days=1)))
    assert abs(days - max(0, (minutes - grace) / 1440)) <= 1 + 1 / 24 + 1e-9
    assert days_late(due, handed_in + timedelta(minutes=1), settings(grace)) >= days


@given(around, st.sampled_from((" UTC", "Z", "+00:00", "")))
def test_a_time_comes_back_from_each_of_its_sources(moment, zone):
    assert understood(f"{moment:%Y-%m-%d %H:%M:%S}{zone}") == moment


@given(around, st.sampled_from((("CET", 1), ("CEST", 2), ("+01:00", 1), ("+0200", 2))))
def test_a_zone_by_name_is_its_offset(moment, zone):
    name, hours = zone
    assert understood(f"{moment + timedelta(hours=hours):%Y-%m-%d %H:%M} {name}") == moment


@given(around)
def test_a_time_on_the_clock_of_the_course_is_understood_unless_it_came_twice_or_never(moment):
    local = moment.replace(tzinfo=UTC).astimezone(ZoneInfo(ZONE))
    words = f"{local:%Y-%m-%d %H:%M}"
    assert understood(words, ZONE) == understood(f"{words} {ZONE}")
    twice = local.replace(fold=0).utcoffset() != local.replace(fold=1).utcoffset()
    assert understood(words, ZONE) == (None if twice else moment)
    assert clock_was_changed(words, ZONE) == clock_was_changed(f"{words} {ZONE}") == twice
