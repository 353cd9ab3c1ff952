"""Test a lesson of one's own: `facts_of("softmax", __file__)` in a test below the course's folder tests/.

While parts of the lesson are not written, each of them is a fact that is skipped and says what to do.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from autograder.faults import Refused
from autograder.judge.engine import Assessor
from autograder.judge.rehearsal import rehearse
from autograder.lessons.installed import lesson_in
from autograder.lessons.kit.lesson import Lesson, Mistake
from autograder.proof.catalogue import misnamed, misplaced, try_out
from autograder.proof.ends import untouched
from autograder.proof.opening import open_local
from autograder.proof.unfinished import parts_left


@dataclass(frozen=True)
class Fact:
    """Something that must be true of a lesson; `why_not` says what is wrong, or nothing."""

    says: str
    why_not: Callable[[], str] | None = None    # None while there is something to write first

    def __str__(self) -> str:
        return self.says

    def check(self) -> None:
        """Fail with what is wrong; skip what is not written yet."""
        if self.why_not is None:
            pytest.skip(self.says)
        if wrong := self.why_not():
            pytest.fail(wrong, pytrace=False)


def facts_of(lesson: str, test: str) -> list[Fact]:
    """What must be true of this lesson of the course that has the test with this path in its folder tests/.

    Whoever runs the test runs the course's code already, so it need not be trusted.
    """
    try:
        loaded = lesson_in(Path(test).resolve().parents[1], lesson)
        assessor = Assessor(loaded)
        left = parts_left(loaded, assessor.reference)
        if left:
            return [Fact(part) for part in left]
        rehearse(loaded, assessor.reference)
    except Refused as refused:
        said = str(refused)                     # one line, and no traceback of ours around it
        return [Fact("the lesson is in order", lambda: said)]
    return [Fact("the solution earns every point", lambda: _points(assessor, loaded.reference_source, loaded.points)),
            Fact("an empty function earns nothing", lambda: _points(assessor, untouched(loaded), 0)),
            *(Fact(mistake.id, lambda mistake=mistake: _uncaught(loaded, assessor, mistake))
              for mistake in loaded.mistakes if not mistake.advice)]


def _points(assessor: Assessor, source: str, expected: float) -> str:
    exercises = assessor.assess(open_local(source)).exercises
    lost = "; ".join(f"{exercise.name}: {verdict.check} is {verdict.verdict}" for exercise in exercises
                     for verdict in exercise.verdicts if verdict.points != verdict.max_points)
    found = sum(exercise.points or 0 for exercise in exercises)
    return "" if abs(found - expected) < 1e-9 else f"{found:g} points, expected {expected:g} ({lost or 'all pass'})"


def _uncaught(lesson: Lesson, assessor: Assessor, mistake: Mistake) -> str:
    tried = try_out(lesson, assessor, mistake)
    if not tried.source:
        return f"{mistake.id}: a line that it changes does not occur exactly once in {lesson.reference}"
    return misplaced(tried) or misnamed(tried)
