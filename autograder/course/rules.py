"""Know how a course grades: the points of its lessons, and the limits of students' code. Every engine is made here."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cache
from multiprocessing.util import Finalize
from pathlib import Path
from typing import Any

from autograder.course.settings import Settings, read_settings
from autograder.judge.engine import Engine, Limits
from autograder.lessons.kit.lesson import Lesson
from autograder.records import Grade, Submission

#: is told a sentence about the wall, if it is not the best one
Told = Callable[[str], None]


@dataclass(frozen=True)
class Rules:
    """Settings and limits. Besides the work itself, a grade depends only on these and the lesson."""

    settings: Settings = Settings()
    limits: Limits = Limits()

    def lesson(self, name: str) -> Lesson:
        """The lesson of this name as the course grades it."""
        return self.settings.lesson(name)

    def engine(self, lesson: str, told: Told = lambda words: None) -> Engine:
        """An engine for this lesson that is not running yet; NoIsolation if its wall is not available."""
        say_wall(self.limits, told)
        return Engine(self.lesson(lesson), self.limits)

    def graded(self, submissions: Iterable[Submission], told: Told = lambda words: None) -> Iterator[Grade]:
        """The grade of each submission, whatever its lesson; engines stay warm until the end."""
        with ExitStack() as engines:
            engine_of = cache(lambda lesson: engines.enter_context(self.engine(lesson, told)))
            for submission in submissions:
                yield engine_of(submission.lesson).grade(submission)


def say_wall(limits: Limits, told: Told) -> None:
    """Tell of a wall that is not the best one; NoIsolation if there is none."""
    tier, why = limits.wall
    if why:
        told(f"isolation is {tier}: {why}")


class WarmEngine:
    """One engine at a time that stays warm for the next submission; other rules or another lesson get a new one."""

    def __init__(self) -> None:
        self._running = ExitStack()
        self._now: tuple[Rules, str, Engine] | None = None

    def of(self, rules: Rules, lesson: str) -> Engine:
        """The engine for this lesson under these rules, running."""
        if self._now is None or self._now[:2] != (rules, lesson):
            self.close()
            self._now = rules, lesson, self._running.enter_context(rules.engine(lesson))
            Finalize(None, self.close, exitpriority=10)     # if the process ends by itself, even a worker
        return self._now[2]

    def close(self) -> None:
        """End the engine."""
        self._now = None
        self._running.close()


def rules_of(course: Path | Settings | None = None, **given: Any) -> Rules:
    """The rules of the course in this folder, or with these settings; without a course, the defaults.

    Limits given here override the settings. SettingsError if the folder's autograder.toml is wrong.
    """
    settings = read_settings(course) if isinstance(course, Path) else course or Settings()
    return Rules(settings, Limits(**settings.given_limits | given))
