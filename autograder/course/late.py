"""Count how many days late work is, by the course's calendar: from eight in the evening to eight in the evening.

A change of the clock costs and spares nobody a day: the day that follows a due date of 20:00 ends at 20:00, whether it
has 23, 24 or 25 hours. Times are in UTC and without a zone, as nbgrader keeps them.
"""

from contextlib import suppress
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from autograder.course.settings import Settings


def days_late(due: datetime | None, handed_in: datetime | None, settings: Settings) -> int:
    """The days begun since the due date; the minutes of grace come on top of the due date and of every day."""
    if due is None or handed_in is None:
        return 0
    grace, place = timedelta(minutes=settings.late.grace_minutes), ZoneInfo(settings.timezone)
    if handed_in <= due + grace:
        return 0
    days = max(1, (handed_in - due - grace).days - 1)       # at most this: a day has at least 23 hours
    with suppress(OverflowError):                           # of the last days of the year 9999
        while handed_in > days_after(due, days, place) + grace:
            days += 1
    return days


def days_after(due: datetime, days: int, place: ZoneInfo) -> datetime:
    """The same time of day, so many days later; of a time that comes twice or not at all, the later one."""
    there = due.replace(tzinfo=UTC).astimezone(place).replace(tzinfo=None) + timedelta(days=days)
    return max(there.replace(tzinfo=place, fold=fold).astimezone(UTC) for fold in (0, 1)).replace(tzinfo=None)


def in_zone(moment: datetime, zone: str) -> str:
    """A time in UTC as people of the course write it: "Sat 24 Oct 2026 20:00 CEST"."""
    return f"{moment.replace(tzinfo=UTC).astimezone(ZoneInfo(zone)):%a %-d %b %Y %H:%M %Z}"


def in_words(settings: Settings, due: datetime | None) -> list[tuple[str, str]]:
    """The rules of the course about marks and late work, each with its name."""
    late, mark = settings.late, settings.mark
    rules = []
    if mark.scale != "none":
        rules.append(("scale", f"{mark.scale.replace('-', ' to ')}, rounded to a {mark.rounding}"
                               f"{' mark' if mark.rounding == 'whole' else ''}; never from below a pass to a pass"))
    if due is not None:
        rules.append(("due", f"{in_zone(due, settings.timezone)} ({settings.timezone})"))
    if late.rule != "none":
        takes = "everything" if late.rule == "zero" else (
            f"{late.percent_per_day:g}% of the points for each day begun, at most {late.max_percent:g}%")
        grace = f", after {late.grace_minutes:g} minutes of grace" if late.grace_minutes else ""
        rules.append(("late work", f"loses {takes}{grace}; days are those of the calendar of {settings.timezone}"))
    return rules
