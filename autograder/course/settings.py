"""Read a course's own choices from `autograder.toml` beside nbgrader_config.py; without the file, the defaults apply.

Options on the command line override the file, and the file overrides the defaults. Any error in it is one line: which
key, what was seen, what is expected, and the nearest key that exists.
"""
from __future__ import annotations

import os
import tomllib
from dataclasses import replace
from datetime import datetime
from difflib import get_close_matches
from fractions import Fraction
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec

from autograder.course.settings_words import in_words, shown
from autograder.course.times import understood, why_not
from autograder.faults import Refused, nearest
from autograder.lessons.installed import lesson_names, load_lesson, own_lessons, untrusted
from autograder.lessons.kit.lesson import Exercise, Lesson
from autograder.records import text

FILE = "autograder.toml"
SKIPPED = text("your course does not grade this exercise")

Seconds = Annotated[float, msgspec.Meta(gt=0, le=3600)]
Percent = Annotated[float, msgspec.Meta(ge=0, le=100)]
Address = Annotated[str, msgspec.Meta(pattern=r"^https?://[^\s\"'<>]+$")]
Points = Annotated[float, msgspec.Meta(gt=0, le=1000)]


class SettingsError(Refused):
    """A setting is invalid, or the file cannot be read: one line."""


class _Table(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A table of the file. The docstring of a key is the comment behind it."""


class LimitSettings(_Table, frozen=True):
    """[limits]: what a student's code may use."""

    seconds: Seconds | None = None                                        # one call of a student's function
    cell_seconds: Seconds | None = None                                   # one cell of the notebook
    budget: Annotated[float, msgspec.Meta(gt=0, le=86400)] | None = None  # seconds for a whole submission
    memory: Annotated[int, msgspec.Meta(ge=256, le=2**20)] | None = None  # MB of a student's process
    isolation: Literal["auto", "namespaces", "process"] | None = None     # the wall; a file cannot switch it off


class LateSettings(_Table, frozen=True):
    """[late]: what is taken off work handed in after nbgrader's due date."""

    rule: Literal["none", "zero", "per-day"] = "none"                     # per-day: a started day counts in full
    percent_per_day: Percent = 10.0                                       # of the points earned
    max_percent: Percent = 100.0                                          # the maximum
    grace_minutes: Annotated[float, msgspec.Meta(ge=0, le=10_080)] = 0.0  # on top of the due date and of every day

    def penalty(self, points: float, days: int) -> float:
        """The points that are taken off for so many days begun."""
        if days <= 0 or self.rule == "none":
            return 0.0
        if self.rule == "zero":
            return points
        return points * min(self.percent_per_day * days, self.max_percent) / 100


class MarkSettings(_Table, frozen=True):
    """[mark]: the scale of the final mark."""

    scale: Literal["none", "1-10"] = "none"                               # 1-10: 1 for no points, 10 for all
    rounding: Literal["tenth", "half", "whole"] = "tenth"                 # never from below a pass to a pass


class LessonSettings(_Table, frozen=True):
    """[lessons.NAME]: what its exercises are worth, and which are left out."""

    points: dict[str, Points] = {}                                        # of its exercises, by their names
    skip: tuple[str, ...] = ()                                            # exercises that are not graded
    pass_points: Points | None = None                                     # points needed to pass, not pass_percent
    other_ways: str = ""                                                  # from when pages show other right ways


class Settings(_Table, frozen=True):
    """The whole file."""

    language: Literal["nl", "en"] | None = None                           # of the feedback
    jobs: Annotated[int, msgspec.Meta(ge=1, le=1024)] | None = None       # submissions graded at once
    pass_percent: Percent = 55.0                                          # of all points needed to pass
    roster: str | None = None                                             # a CSV file with the class
    timezone: str = "Europe/Amsterdam"                                    # of the course's calendar
    formgrader: Address = "http://localhost:8888/formgrader"              # where people grade by hand
    mark: MarkSettings = MarkSettings()
    limits: LimitSettings = LimitSettings()
    late: LateSettings = LateSettings()
    lessons: dict[str, LessonSettings] = {}

    @property
    def course(self) -> str | None:
        """The folder of the course, if it has lessons of its own."""
        return None

    def at(self, course: str | None) -> Settings:
        """The same settings, of a course with lessons of its own there."""
        fields = {name: getattr(self, name) for name in Settings.__struct_fields__}
        return SettingsThere(**fields, course=course) if course else Settings(**fields)

    def lesson(self, name: str) -> Lesson:
        """The lesson of this name with the course's points, and without the exercises that it leaves out."""
        own = self.lessons.get(name, LessonSettings())
        return _configured(load_lesson(name, self.course), tuple(own.points.items()), own.skip)

    def pass_points(self, lesson: str, max_points: float) -> float:
        """The points that are needed to pass this lesson, of so many."""
        own = self.lessons.get(lesson, LessonSettings()).pass_points
        return self.pass_percent * max_points / 100 if own is None else own

    def other_ways(self, lesson: str) -> datetime | None:
        """From when on pages show other right ways to write this lesson's exercises, in UTC; None: never."""
        return understood(self.lessons.get(lesson, LessonSettings()).other_ways, self.timezone)

    @property
    def options(self) -> dict[str, Any]:
        """The command-line options that the file sets, by their names there."""
        found = {"language": self.language, "jobs": self.jobs, **self.given_limits}
        return {name: value for name, value in found.items() if value is not None}

    @property
    def decides_marks(self) -> bool:
        """Whether a grade can differ from the grade without the file."""
        return bool(self.given_limits) or any(own.points or own.skip for own in self.lessons.values())

    @property
    def given_limits(self) -> dict[str, Any]:
        """The fields of `Limits` that the file names."""
        found = msgspec.structs.asdict(self.limits)
        found["memory_mb"] = found.pop("memory")
        return {name: value for name, value in found.items() if value is not None}


_TABLES: dict[str, type[_Table]] = {"": Settings, "limits": LimitSettings, "late": LateSettings, "mark": MarkSettings}
_ENTRIES: dict[str, Any] = {"lessons": LessonSettings, "points": Points}


class SettingsThere(Settings, frozen=True):
    """The settings of a course with lessons of its own, which are found by its folder."""

    course: str | None = None  # pyright: ignore[reportIncompatibleMethodOverride] - no other field may follow the file's


def read_settings(folder: Path) -> Settings:
    """The settings of the course in this folder; SettingsError if they are invalid."""
    path, own = Path(folder, FILE), os.path.realpath(folder) if own_lessons(folder) else ""
    try:
        words = path.read_bytes().decode("utf-8-sig")
    except FileNotFoundError:
        return Settings().at(own)
    except OSError as error:
        raise SettingsError(f"cannot read {path}: {error.strerror or error}") from None
    except UnicodeDecodeError as error:
        raise SettingsError(f"{path} is not UTF-8 (byte {error.start}); save it as UTF-8") from None
    try:
        said = tomllib.loads(words)
    except tomllib.TOMLDecodeError as error:
        raise SettingsError(f"{path} is not TOML: {error}") from None
    try:
        settings = msgspec.convert(said, Settings).at(own)
    except msgspec.ValidationError as error:
        raise SettingsError(f"{path}: {in_words(str(error), said, _TABLES, _ENTRIES)}") from None
    try:
        _check_zone(settings.timezone)
        _check_lessons(settings)
    except SettingsError as error:
        raise SettingsError(f"{path}: {error}") from None
    return settings


# --- the lesson as this course has it -----------------------------------------------------------------------------

@lru_cache
def _configured(lesson: Lesson, points: tuple[tuple[str, float], ...], skip: tuple[str, ...]) -> Lesson:
    if not points and not skip:
        return lesson
    worth = dict(points)
    return replace(lesson, exercises=tuple(
        _exercise(exercise, worth.get(exercise.name), exercise.name in skip) for exercise in lesson.exercises))


def _exercise(exercise: Exercise, worth: float | None, skip: bool) -> Exercise:
    """The exercise with other points: its checks keep their shares of them."""
    if worth is not None and worth != exercise.points:
        new = Fraction(str(worth))
        checks = tuple(replace(check, points=check.points * new / exercise.points) for check in exercise.checks)
        exercise = replace(exercise, checks=checks, points=int(new) if new.denominator == 1 else float(new))
    return replace(exercise, skipped=SKIPPED) if skip else exercise


def _check_lessons(settings: Settings) -> None:
    for name, own in settings.lessons.items():
        course = settings.course
        if name not in (names := lesson_names(course)):
            raise SettingsError(untrusted(course, name) or f"there is no lesson {name!r}{nearest(name, names)}")
        asked = load_lesson(name, course).exercises if own.points or own.skip else ()
        exercises = [exercise.name for exercise in asked]
        for where, names in ((f"lessons.{name}.points", own.points), (f"lessons.{name}.skip", own.skip)):
            for exercise in names:
                if exercise not in exercises:
                    raise SettingsError(f"{where} names {exercise!r}, which is not an exercise"
                                        f"{nearest(exercise, exercises)}")
        if own.skip and set(exercises) <= set(own.skip):
            raise SettingsError(f"lessons.{name}.skip leaves no exercise to grade")
        if own.pass_points is not None:
            _check_passing(name, own, settings)
        if own.other_ways.strip() and understood(own.other_ways, settings.timezone) is None:
            raise SettingsError(f"lessons.{name}.other_ways is {shown(own.other_ways)}; "
                                f"{why_not(own.other_ways, settings.timezone)}")


def _check_passing(name: str, own: LessonSettings, settings: Settings) -> None:
    """Refuse a pass mark that nobody can reach."""
    most = sum(exercise.points for exercise in settings.lesson(name).exercises if not exercise.skipped)
    if own.pass_points is not None and own.pass_points > most:
        raise SettingsError(f"lessons.{name}.pass_points is {own.pass_points:g}, and there are only {most:g} points; "
                            f"expected at most {most:g}")


def _check_zone(name: str) -> None:
    from zoneinfo import ZoneInfo, available_timezones
    try:
        ZoneInfo(name)
    except (KeyError, ValueError, OSError):
        close = get_close_matches(name, available_timezones(), n=1, cutoff=0.6)
        raise SettingsError(f"timezone is {shown(name)}, which is not a time zone; "
                            + (f"did you mean {close[0]!r}?" if close else "expected one such as 'Europe/Amsterdam'")
                            ) from None
