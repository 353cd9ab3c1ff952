"""Turn verdicts into points: exact fractions, rounded once, when an exercise is added up.

Examples, single-key cases and properties earn points only once a hidden value is right (`Check.needs`), so that a stub,
an exception or memorised examples are worth nothing.
"""

from dataclasses import replace
from fractions import Fraction

from autograder.faults import told_of_it
from autograder.judge.worlds import Attempt, Judged
from autograder.lessons.kit.lesson import Check, Exercise, Lesson
from autograder.lessons.kit.quoting import once
from autograder.records import Diagnosis, ExerciseGrade, Grade, Submission, Text, Verdict, text


def exercise_grade(judged: Judged, diagnosis: Diagnosis) -> ExerciseGrade:
    """The verdicts of one exercise and their sum; None where the autograder itself failed."""
    exercise = judged.exercise
    passed = {check.name for check, attempt in zip(exercise.checks, judged.attempts, strict=True)
              if attempt.word == "passed"}
    whys = iter(once(attempt.why for attempt, check in zip(judged.attempts, exercise.checks, strict=True)
                     if not check.shown))
    attempts = [attempt if check.shown else replace(attempt, why=next(whys))
                for attempt, check in zip(judged.attempts, exercise.checks, strict=True)]
    earned = [_points(check.points, not check.needs or not passed.isdisjoint(check.needs), attempt)
              for check, attempt in zip(exercise.checks, attempts, strict=True)]
    verdicts = tuple(_verdict(exercise, index, attempt, points, diagnosis)
                     for index, (attempt, points) in enumerate(zip(attempts, earned, strict=True)))
    known = [points for points in earned if points is not None]
    total = float(sum(known, Fraction(0))) if len(known) == len(earned) else None
    return ExerciseGrade(exercise.name, total, float(exercise.points), verdicts, diagnosis)


def _points(worth: Fraction, pays: bool, attempt: Attempt) -> Fraction | None:
    if attempt.word == "broken":
        return None
    return worth if attempt.word == "passed" and pays else Fraction(0)


def _verdict(exercise: Exercise, index: int, attempt: Attempt, points: Fraction | None,
             diagnosis: Diagnosis) -> Verdict:
    check, why = exercise.checks[index], attempt.why
    if attempt.word == "passed" and points == 0 and check.points:
        why = _not_yet(exercise, check)
    mistakes = () if attempt.word in ("passed", "broken", "skipped") else diagnosis.mistakes
    return Verdict(check.name, check.title, attempt.word, None if points is None else float(points),
                   float(check.points), attempt.world, why, mistakes, attempt.picture)


def _not_yet(exercise: Exercise, check: Check) -> Text:
    """Why something right earns nothing: a gate without points is named, values of hidden cases are not."""
    gates = [other for other in exercise.checks if other.name in check.needs]
    if len(gates) == 1 and not gates[0].points:
        return text("right, but it counts only once this is right too: {title}", title=gates[0].title)
    return text("right, but it counts only once {function} is right for cases that are not in the notebook",
                function=exercise.name)


def ungraded(exercise: Exercise, word: str) -> ExerciseGrade:
    """An exercise that was not judged: nothing could be tried ("skipped") or we failed ("broken").

    It leaves the maximum only if the lesson leaves it out (`exercise.skipped`); otherwise its points are unknown.
    """
    points = None if exercise.skipped is None else 0.0
    verdicts = tuple(Verdict(check.name, check.title, word, points, float(check.points), None, exercise.skipped)
                     for check in exercise.checks)
    return ExerciseGrade(exercise.name, None, float(exercise.points), verdicts, skipped=exercise.skipped is not None)


def without_points(submission: Submission, lesson: Lesson, isolation: str, checks: str, failed: Text | None = None,
                   seconds: float = 0.0) -> Grade:
    """The grade of work that was not judged: unreadable, or broken where something of ours `failed`."""
    why, word = (submission.unreadable, "skipped") if failed is None else (told_of_it(), "broken")
    return Grade(submission.name, submission.student, submission.lesson, "unreadable" if failed is None else "broken",
                 None, float(lesson.points),
                 tuple(ungraded(each, word if each.skipped is None else "skipped") for each in lesson.exercises),
                 notices=(*submission.notices, *([why] if why is not None else [])),
                 for_a_person=(*([failed] if failed is not None else []), *submission.handed_in.asks),
                 isolation=isolation, seconds=seconds, language=submission.language, key=submission.key, checks=checks)
