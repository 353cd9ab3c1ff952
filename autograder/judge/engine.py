"""Grade a submission: run its cells, judge it world by world, diagnose, count the points."""
from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from autograder.faults import place_of, reason
from autograder.judge.causes import with_causes
from autograder.judge.checks_version import checks_version
from autograder.judge.diagnosis import Catalogue
from autograder.judge.examples import show_examples
from autograder.judge.local_subject import LocalSubject
from autograder.judge.mended import NO_ANSWER, NO_CACHE, laid_out_alike, mended_world, untried
from autograder.judge.order import order_of
from autograder.judge.own_test import Trials, own_test
from autograder.judge.points import exercise_grade, ungraded, without_points
from autograder.judge.processes import Processes
from autograder.judge.referred import with_reference
from autograder.judge.rehearsal import rehearse
from autograder.judge.straight_after import only_remembers, straight_after
from autograder.judge.worlds import Attempt, Judged, Open, functions_of, own_derivative_world, own_world, stand_in_world
from autograder.lessons.kit.lesson import Implementation, Lesson
from autograder.lessons.kit.quoting import quoted
from autograder.records import Diagnosis, ExerciseGrade, Grade, Subject, Submission, Text, text
from autograder.sandbox.allowance import Allowance, UsedUp, for_everybody
from autograder.sandbox.student import Sandbox, ZygoteLost, available
from autograder.stages import stage


@dataclass(frozen=True)
class Limits:
    """What a student's code may use."""

    seconds: float = 10.0                       # per call: the slowest right style takes less than half of it
    memory_mb: int = 1024
    isolation: str = "auto"
    cell_seconds: float = 10.0                  # per cell of the notebook
    budget: float = 60.0                        # seconds for the whole submission

    @property
    def unusual(self) -> str:
        """Those that are not the defaults, since they can change a mark. The wall is in Grade.isolation."""
        return " ".join(f"{one.name}={getattr(self, one.name):g}" for one in fields(self)
                        if one.name != "isolation" and getattr(self, one.name) != one.default)

    @property
    def wall(self) -> tuple[str, str]:
        """The tier that an engine would have, and why it is not the best one; NoIsolation if there is none."""
        wall, why = available(self.isolation, self.memory_mb)
        return wall.tier, why


@contextmanager
def _quiet_numbers() -> Iterator[None]:
    """Huge or complex numbers in an answer are wrong, and no reason to warn whoever grades, or to stop."""
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore", np.exceptions.ComplexWarning)
        yield


@dataclass(frozen=True)
class Assessment:
    """What the judge concluded about one subject."""

    exercises: tuple[ExerciseGrade, ...]
    notices: tuple[Text, ...] = ()
    for_a_person: tuple[Text, ...] = ()


class Assessor:
    """Judges subjects of one lesson: students, the reference, mistakes."""

    def __init__(self, lesson: Lesson, left_out: tuple[str, ...] = ()):
        self.lesson = lesson
        self.reference = LocalSubject(lesson.reference_source, "reference")
        self.catalogue = Catalogue(lesson, self.reference, left_out)
        self._implementations: dict[Callable[[str], str], Subject] = {}

    def assess(self, open_subject: Open) -> Assessment:
        """All worlds in their order; the own world is finished for all exercises before anything is replaced.

        A test that keeps nothing from one call to the next goes first, in the same process.
        """
        tests = [exercise for exercise in self.lesson.exercises if exercise.implementations and not exercise.skipped]
        trials = [Trials(test, open_subject, self._implementation, self.reference, self.lesson.names_in_an_example)
                  for test in tests]
        with ExitStack() as processes:
            own = processes.enter_context(open_subject({}, ()))
            with stage("own tests"):
                known = [one.in_one(own) for one in trials]
            with stage("checks"):
                own.expect(order_of(self.lesson, self.reference))
                judged = own_world(self.lesson, own, self.reference)
                answers = {name: one.answers["own"] for name, one in judged.items()}
                notices, for_a_person = self.lesson.advice(answers, self.reference, own.answer)
                with suppress(UsedUp):
                    self._stand_in(judged, own, open_subject)
                    straight_after(judged, own, self.reference)
                    for_a_person = [*for_a_person, *self._own_derivative(judged, own, open_subject)]
                    processes.close()           # what saw hidden inputs does not run beside what is quoted
                    show_examples(judged.values(), open_subject, self.reference)
        diagnoses = self._diagnoses(judged)

        def explained(one: Judged) -> bool:
            with suppress(UsedUp):
                return self.catalogue.attempted(one, diagnoses.get(one.exercise.name, Diagnosis()))
            return False
        with stage("own tests"):
            for one, outcomes in zip(trials, known, strict=True):
                tested, remarks = own_test(one, outcomes, judged, explained)
                judged[one.exercise.name] = tested
                for_a_person += remarks
        return Assessment(tuple(
            ungraded(exercise, "skipped") if exercise.skipped is not None
            else exercise_grade(judged[exercise.name], diagnoses.get(exercise.name, Diagnosis()))
            for exercise in self.lesson.exercises), tuple(notices), tuple(for_a_person))

    def _diagnoses(self, judged: Mapping[str, Judged]) -> dict[str, Diagnosis]:
        """What is known about each exercise that lost points; a true derivative of a wrong forward is not a mistake."""
        right = [name for name, one in judged.items() if one.complete]
        found: dict[str, Diagnosis] = {}
        with stage("diagnosis"), suppress(UsedUp):
            for name, one in judged.items():
                if not one.complete and not one.passed_in("own-derivative"):
                    found[name] = self.catalogue.diagnose(one, right)
        return found

    def _stand_in(self, judged: dict[str, Judged], own: Subject, open_subject: Open) -> None:
        lost = {name for name, one in judged.items() if not one.complete}
        for one in [one for name, one in judged.items() if name in lost]:
            forward, telling = judged.get(one.exercise.differentiates or ""), one.exercise.telling
            if telling is not None and forward is not None and forward.is_a_stub:
                own.answer(with_reference(telling, self.reference, frozenset(one.exercise.stand_ins)))      # is it too?
            before = [earlier for earlier in one.exercise.stand_ins if earlier in lost]
            if before:                          # one that is right by now only failed because of an earlier one itself
                blamed = [earlier for earlier in before if not judged[earlier].complete]
                stand_in_world(one, tuple(blamed), open_subject, self.reference)

    def _own_derivative(self, judged: dict[str, Judged], own: Subject, open_subject: Open) -> list[Text]:
        """Let a true derivative of the student's own wrong forward pass, where that forward is a known mistake."""
        remarks = []
        for one in judged.values():
            forward = judged.get(one.exercise.differentiates or "")
            if one.complete or forward is None or only_remembers(one) or all(
                    attempt.world == "own" for attempt in forward.attempts):
                continue
            answers = any(outcome.status == "answered" for outcome in forward.answers_to(forward.exercise.name))
            if one.reads_no_other_cache and not answers:
                remarks.append(untried(one, forward, *NO_ANSWER))
                continue
            holds = self._derivatives(judged, one, own, open_subject)
            known = bool(holds) and self.catalogue.explains_forward(judged, forward.exercise.name)
            if known:
                for index, attempt in holds.items():
                    one.attempts[index] = attempt
            settled = one.complete or self._mended(judged, one, forward, open_subject)
            if holds and not known and not one.complete:
                remarks.append(text("{function} is the true derivative of a forward that no known mistake explains; "
                                    "it earned nothing for that", function=one.exercise.name))
            elif not settled and one.needs_its_own_earlier_answers:
                remarks.append(text("{function} works with a cache of its own and fails on the reference's, so an "
                                    "error in an earlier function may have cost points here too",
                                    function=one.exercise.name))
            elif not settled and one.reads_no_other_cache and not laid_out_alike(forward, self.reference):
                remarks.append(untried(one, forward, *NO_CACHE))
        return remarks

    def _mended(self, judged: dict[str, Judged], one: Judged, forward: Judged, open_subject: Open) -> bool:
        """Ask again about the student's own cache with the right numbers in it; whether that settles what is wrong."""
        if one.reads_any_cache and laid_out_alike(forward, self.reference):
            return True                         # the reference's cache was as good as its own
        failed = [name for name in one.exercise.proxied if name in judged and not judged[name].complete]
        explaining = self.catalogue.explaining(forward)
        return mended_world(one, forward, failed, open_subject, self.reference, explaining)

    def _derivatives(self, judged: dict[str, Judged], one: Judged, own: Subject, open_subject: Open
                     ) -> dict[int, Attempt]:
        """Derivative checks that hold for the student's own forward, also with the reference in what that calls."""
        holds = own_derivative_world(one, own, self.reference)
        proxied = one.exercise.proxied
        if any(name in judged and not judged[name].complete for name in proxied):
            with open_subject(functions_of(self.reference, proxied), proxied) as subject:
                holds = {**own_derivative_world(one, subject, self.reference), **holds}
        return holds

    def _implementation(self, implementation: Implementation) -> Subject:
        if implementation.make not in self._implementations:
            with for_everybody():
                source = implementation.make(self.lesson.reference_source)
                self._implementations[implementation.make] = LocalSubject(source, "implementation")
        return self._implementations[implementation.make]


class Engine:
    """Grades submissions of one lesson, one after another, on one warm sandbox."""

    def __init__(self, lesson: Lesson, limits: Limits | None = None):
        limits = limits or Limits()
        self.lesson, self._budget = lesson, limits.budget
        self._version = checks_version(lesson, limits.unusual)
        self._sandbox = Sandbox(isolation=limits.isolation, seconds=limits.seconds, memory_mb=limits.memory_mb,
                                cell_seconds=limits.cell_seconds, budget=limits.budget)

    def __enter__(self) -> Engine:
        self._sandbox.__enter__()
        try:
            self._assessor = Assessor(self.lesson)
            rehearse(self.lesson, self._assessor.reference)
        except BaseException:
            self._sandbox.__exit__(None, None, None)
            raise
        return self

    def __exit__(self, *exception: Any) -> None:
        self._sandbox.__exit__(*exception)

    @property
    def isolation(self) -> str:
        """The tier that really holds."""
        return self._sandbox.isolation

    def grade(self, submission: Submission) -> Grade:
        """The grade of one submission; never raises for a student's fault."""
        start = time.perf_counter()
        if submission.unreadable is not None or submission.fault is not None:
            return self._without_points(submission, start, submission.fault if submission.unreadable is None else None)
        try:
            with _quiet_numbers():
                assessment, processes = self._assessed(submission)
        except Exception as error:              # what the judge stumbled over may say what an answer holds
            return self._without_points(submission, start, reason(error) if isinstance(error, OSError | ZygoteLost)
                                        else text("the autograder failed: {error}", error=place_of(error)))
        exercises, newer = with_causes(assessment.exercises, self.lesson.exercises, submission, processes.reports)
        points = [exercise.points for exercise in exercises if not exercise.skipped]
        known = [each for each in points if each is not None]
        whole = len(known) == len(points)
        return Grade(
            submission.name, submission.student, submission.lesson, "graded" if whole else "broken",
            sum(known) if whole else None, float(self.lesson.points), exercises=tuple(exercises),
            cells=processes.reports,
            notices=(*submission.notices, *newer, *map(quoted, processes.notices), *assessment.notices),
            for_a_person=(*submission.for_a_person, *assessment.for_a_person, *newer,
                          *processes.suspicions, *submission.handed_in.asks),
            isolation=self.isolation, seconds=_since(start), language=submission.language, key=submission.key,
            checks=self._version)

    def _without_points(self, submission: Submission, start: float, failed: Text | None) -> Grade:
        return without_points(submission, self.lesson, self.isolation, self._version, failed, _since(start))

    def _assessed(self, submission: Submission) -> tuple[Assessment, Processes]:
        """The assessment and the student's processes. A lost zygote is never the student's fault: then once more."""
        allowance = Allowance(max(0.0, self._budget - submission.seconds))

        def once() -> tuple[Assessment, Processes]:
            processes = Processes(self._sandbox, self.lesson, submission, allowance)
            return self._assessor.assess(processes), processes
        with allowance.judging():
            with suppress(ZygoteLost):
                return once()
            return once()


def _since(start: float) -> float:
    return round(time.perf_counter() - start, 4)
