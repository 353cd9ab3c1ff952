"""Try every mistake of the catalogue: it must be caught where it is made and nowhere else, and named."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from autograder.judge.engine import Assessment, Assessor
from autograder.lessons.kit.lesson import Lesson, Mistake
from autograder.proof.claim import Claim, Matrix, Progress, granted
from autograder.proof.opening import open_local
from autograder.records import Text

NAMED = 95.0                                    # percent of the mistakes whose diagnosis names them


@dataclass(frozen=True)
class Tried:
    """The result of trying one mistake."""

    mistake: Mistake
    source: str
    lost: Mapping[str, frozenset[str]] = field(default_factory=dict)      # exercise that lost -> checks that failed
    named: Mapping[str, tuple[str, ...]] = field(default_factory=dict)    # exercise -> mistakes that were named
    notices: tuple[Text, ...] = ()

    @property
    def right_place(self) -> bool:
        """Whether it costs points in its own exercises and in no others; a habit costs nothing."""
        return set(self.lost) == (set() if self.mistake.advice else set(self.mistake.exercises))

    @property
    def explained(self) -> bool:
        """Whether it is named in each of its exercises, alone or with mistakes that behave the same."""
        return all(self.mistake.id in self.named.get(exercise, ()) for exercise in self.mistake.exercises)


def try_all(lesson: Lesson, assessor: Assessor, progress: Progress, quickly: tuple[Assessor, int] | None = None
            ) -> list[Tried]:
    """Make each mistake of the catalogue in the reference and assess it.

    `quickly` is what assesses the functions alone, and how often it leaves a mistake in one of them to the other.
    """
    tried = []
    functions, step = quickly or (assessor, 1)
    for done, mistake in enumerate(lesson.mistakes, start=1):
        whole = done % step == 0 or in_own_test(lesson, mistake)
        tried.append(try_out(lesson, assessor if whole else functions, mistake))
        progress("mistakes", done, len(lesson.mistakes))
    return tried


def try_out(lesson: Lesson, assessor: Assessor, mistake: Mistake) -> Tried:
    """Try one mistake. If it cannot be made, its source is empty."""
    try:
        source = mistake.make(lesson.reference_source)
        assessment = assessor.assess(open_local(source))
    except (ValueError, SyntaxError):
        return Tried(mistake, "")
    named = {exercise.name: exercise.diagnosis.mistakes for exercise in assessment.exercises
             if exercise.diagnosis.mistakes}
    return Tried(mistake, source, _lost(assessment), named, assessment.notices)


def _lost(assessment: Assessment) -> dict[str, frozenset[str]]:
    return {exercise.name: frozenset(verdict.check for verdict in exercise.verdicts if verdict.verdict != "passed")
            for exercise in assessment.exercises if exercise.points is None or exercise.points < exercise.max_points}


# --- what it shows ------------------------------------------------------------------------------------------------

def claims(lesson: Lesson, tried: Sequence[Tried]) -> list[Claim]:
    """The claims that every entry is in order, every mistake caught, every habit free, and the names right."""
    mistakes = [trial for trial in tried if not trial.mistake.advice]
    habits = [trial for trial in tried if trial.mistake.advice]
    return [
        _claim("entries of the catalogue that are in order", tried, _disorder(lesson, tried)),
        _claim("mistakes caught, where they are made and nowhere else", mistakes, map(misplaced, mistakes)),
        _claim("habits that cost nothing and get their notice", habits, map(_unnoticed, habits)),
        _claim("mistakes named by their diagnosis", nameable(lesson, tried), map(misnamed, nameable(lesson, tried)),
               least=NAMED)]


def nameable(lesson: Lesson, tried: Sequence[Tried]) -> list[Tried]:
    """The mistakes that a diagnosis can name: no habits, and none in a test, whose checks say what it lets by."""
    return [trial for trial in tried if not trial.mistake.advice and not in_own_test(lesson, trial.mistake)]


def in_own_test(lesson: Lesson, mistake: Mistake) -> bool:
    """Whether it is made in an exercise that is a test of the student's own."""
    return any(exercise.implementations for exercise in lesson.exercises if exercise.name in mistake.exercises)


def _claim(says: str, tried: Sequence[Tried], why: Iterable[str], least: float = 100.0) -> Claim:
    exceptions = [f"{trial.mistake.id}: {each}" for trial, each in zip(tried, why, strict=True) if each]
    return Claim(says, len(tried) - len(exceptions), len(tried), tuple(exceptions), least)


def _disorder(lesson: Lesson, tried: Sequence[Tried]) -> list[str]:
    ids = Counter(trial.mistake.id for trial in tried)
    exercises = {exercise.name for exercise in lesson.exercises}
    return [next((why for wrong, why in (
        (ids[trial.mistake.id] > 1, "is in the catalogue more than once"),
        (not trial.mistake.hint.template.strip(), "has no hint"),
        (not trial.mistake.why.strip(), "does not say how people come to write it"),
        (not trial.mistake.exercises or not exercises.issuperset(trial.mistake.exercises), "names an unknown exercise"),
        (not trial.source,
         "cannot be made: a line that it changes is not in the reference, or the change is not valid Python"),
        (trial.source == lesson.reference_source, "is the reference itself"),
    ) if wrong), "") for trial in tried]


def misplaced(trial: Tried) -> str:
    """Where a mistake costs points and should not; "" if it costs them where it was made."""
    if trial.right_place:
        return ""
    if not trial.lost:
        return "no check catches it"
    made = ", ".join(trial.mistake.exercises)
    more = ", ".join(name for name in trial.lost if name not in trial.mistake.exercises)
    calls = {*trial.mistake.exercises} < {*trial.lost}
    return f"costs points in {', '.join(trial.lost)}, expected in {made}" + (
        f"; if {more} calls {made}, its Exercise says so with stand_ins and proxied" if calls else "")


def _unnoticed(trial: Tried) -> str:
    if trial.lost:
        return f"costs points in {', '.join(trial.lost)}"
    return "" if trial.notices else "gets no notice"


def misnamed(trial: Tried) -> str:
    """What a mistake is called instead of its own name; "" if that is among those given."""
    if trial.explained:
        return ""
    names = "; ".join(f"{exercise}: {', '.join(ids)}" for exercise, ids in trial.named.items())
    return f"named {names}" if names else "not named"


def matrices(lesson: Lesson, tried: Sequence[Tried]) -> tuple[Matrix, ...]:
    """Checks x mistakes, for every exercise graded by the answers of its function."""
    kept = granted(lesson)["kept"]
    return tuple(
        Matrix(exercise.name, tuple(check.name for check in exercise.checks),
               frozenset(check.name for check in exercise.checks if check.shown or check.name in kept),
               {trial.mistake.id: trial.lost[exercise.name] for trial in tried if exercise.name in trial.lost})
        for exercise in lesson.exercises if not exercise.implementations)
