"""Read when something was handed in from the words of nbgrader or a learning environment, or not at all.

A time decides what late work loses. So nothing is guessed: not a missing date, not a zone that is not known.
"""

import re
from contextlib import suppress
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

_TIME = re.compile(r"(?P<date>\d{4}-\d\d-\d\d)[ T](?P<clock>\d\d:\d\d(?::\d\d)?)(?:\.(?P<fraction>\d{1,9}))?"
                   r" ?(?P<zone>[A-Za-z]{1,5}|[A-Za-z_]{1,20}(?:/[A-Za-z_-]{1,30}){1,2}|[+-]\d\d:?\d\d)?", re.ASCII)
EXPECTED = "expected a time such as '2026-11-02 20:00' or '2026-11-02 20:00 Europe/Amsterdam'"
TWICE = "the clock was changed then, so that this came twice or never: end it in CET or CEST, or take another time"
_HOURS = {"UTC": 0, "GMT": 0, "Z": 0, "CET": 1, "CEST": 2}


def understood(words: str, zone_left_out: str = "UTC") -> datetime | None:
    """The time in "2025-03-04 05:06:07.890 UTC", in UTC and without a zone; None for anything else.

    nbgrader writes UTC where it leaves out the zone; a teacher means the course's own.
    """
    moment = _written(words, zone_left_out)
    if moment is None or _came_twice_or_never(moment):
        return None
    try:
        return moment.astimezone(UTC).replace(tzinfo=None)
    except OverflowError:
        return None


def why_not(words: str, zone_left_out: str = "UTC") -> str:
    """What to write instead of words that are not understood."""
    return TWICE if clock_was_changed(words, zone_left_out) else EXPECTED


def clock_was_changed(words: str, zone_left_out: str = "UTC") -> bool:
    """Whether this would be a time, but came twice or never, as the clock of its zone was changed."""
    moment = _written(words, zone_left_out)
    return moment is not None and _came_twice_or_never(moment)


def _written(words: str, zone_left_out: str) -> datetime | None:
    match = _TIME.fullmatch(words.strip())
    zone = match and _zone(match["zone"] or zone_left_out)
    if not match or not zone:
        return None
    try:
        return datetime.fromisoformat(f"{match['date']} {match['clock']}").replace(
            microsecond=int(f"{match['fraction'] or '0':0<6}"[:6]), tzinfo=zone)
    except ValueError:
        return None


def _came_twice_or_never(moment: datetime) -> bool:
    return moment.replace(fold=1).utcoffset() != moment.utcoffset()


def _zone(name: str) -> tzinfo | None:
    if name.upper() in _HOURS:
        return timezone(timedelta(hours=_HOURS[name.upper()]))
    if "/" in name:
        with suppress(ZoneInfoNotFoundError, ValueError, OSError):
            return ZoneInfo(name)
    if name[:1] not in ("+", "-"):
        return None
    hours, minutes = int(name[1:3]), int(name[-2:])
    away = timedelta(hours=hours, minutes=minutes)
    return timezone(-away if name[0] == "-" else away) if away < timedelta(days=1) else None
