"""Grade in a worker process, here or on another machine: a job comes in as bytes, a grade goes out as bytes.

A worker keeps one engine warm, whatever executor runs it. The job holds the content of a submission without its
student, so that no grade can depend on a name. A worker refuses a job from another version.
"""

import os
import platform
import socket
import threading

import msgspec

from autograder import __version__
from autograder.course.rules import Rules, WarmEngine
from autograder.course.settings import SettingsThere
from autograder.judge.checks_version import checks_version
from autograder.judge.engine import Limits
from autograder.lessons.installed import carried
from autograder.lessons.kit.lesson import Lesson
from autograder.records import Grade, Submission
from autograder.stages import profiling, stage


class About(msgspec.Struct, frozen=True):
    """What must be equal on both sides, so that a mark does not depend on who worked it out."""

    autograder: str
    checks: str
    python: str                          # major.minor
    numpy: str
    isolation: str                       # the tier that really holds


class Task(msgspec.Struct, frozen=True):
    """What is the same for all submissions of a run."""

    lesson: str
    settings: SettingsThere
    limits: Limits
    carried: dict[str, bytes] = {}       # the lesson itself, if the workers may have neither it nor the course's folder

    @property
    def rules(self) -> Rules:
        """How it is graded."""
        course = carried(self.lesson, self.carried) if self.carried else self.settings.course
        return Rules(self.settings.at(course), self.limits)


class Job(msgspec.Struct, frozen=True):
    """One submission, without names and notices, for workers like this."""

    task: Task
    about: About
    submission: Submission
    profile: bool = False
    language: str = ""                   # in which what is shown of it is rendered; without one, nothing is


class Done(msgspec.Struct, frozen=True):
    """Its grade, who worked it out, the seconds per stage if requested, and what is shown of it (rendered.py)."""

    grade: Grade
    worker: str
    stages: dict[str, float] = {}
    shown: bytes = b""


class Introduction(msgspec.Struct, frozen=True):
    """A worker's description of itself."""

    about: About
    notice: str = ""                     # why its wall is not the best one


class Unsuitable(Exception):
    """This worker must not grade for this caller: what differs, in one line."""


pack = msgspec.msgpack.Encoder().encode
_unpack_job, _unpack_task = msgspec.msgpack.Decoder(Job).decode, msgspec.msgpack.Decoder(Task).decode
unpack_done = msgspec.msgpack.Decoder(Done).decode
unpack_introduction = msgspec.msgpack.Decoder(Introduction).decode


def judge(job: bytes) -> bytes:
    """Grade one submission. Raises Unsuitable, and NoIsolation if the wall is not available."""
    asked = _unpack_job(job)
    with _one_at_a_time:
        profile = profiling(asked.profile)
        with stage("start"):
            engine = warm.of(asked.task.rules, asked.task.lesson)
        here = _about(engine.lesson, asked.task.limits, engine.isolation)
        if here != asked.about:
            raise Unsuitable(f"the worker {name()} has {differences(here, asked.about)}")
        with stage("other"):
            grade = engine.grade(asked.submission)
        with stage("pages"):
            shown = _rendered(grade, asked.language) if asked.language else b""
        return pack(Done(grade, name(), profile.taken() if profile else {}, shown))


def _rendered(grade: Grade, language: str) -> bytes:
    from autograder.output.rendered import rendered  # what renders is needed by those alone who are asked for it
    return rendered(grade, language)


def introduce(task: bytes) -> bytes:
    """This worker's versions and wall, before it grades anything."""
    asked = _unpack_task(task)
    tier, notice = asked.limits.wall
    return pack(Introduction(about(asked, tier), notice))


def differences(there: About, here: About) -> str:
    """What differs: "checks 0123 instead of 4567, numpy 2.3 instead of 2.4"."""
    return ", ".join(f"{field} {getattr(there, field)} instead of {getattr(here, field)}"
                     for field in About.__struct_fields__ if getattr(there, field) != getattr(here, field))


def name() -> str:
    """This process's name among all workers."""
    return f"{socket.gethostname()}:{os.getpid()}"


def about(task: Task, isolation: str) -> About:
    """This process, as a worker for this task."""
    return _about(task.rules.lesson(task.lesson), task.limits, isolation)


def _about(lesson: Lesson, limits: Limits, isolation: str) -> About:
    import numpy
    return About(__version__, checks_version(lesson, limits.unusual), ".".join(platform.python_version_tuple()[:2]),
                 numpy.__version__, isolation)


_one_at_a_time = threading.Lock()       # an engine grades one submission at a time; some executors have threads
warm = WarmEngine()
