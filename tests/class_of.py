"""A class of any size as records, made from the lesson's own checks and mistakes without grading anything."""
from __future__ import annotations

import random

from msgspec.structs import replace

from autograder.lessons.installed import load_lesson
from autograder.records import CellReport, Diagnosis, ExerciseGrade, Grade, Text, Verdict, text

LESSON = load_lesson("multihead")
SHAPE = text("{name} has shape {got}, expected {want} = ({axes})", name="y", got="(2, 5)", want="(5, 2)", axes="T, d")


def class_of(students: int, seed: int = 1, gain: float = 0.0) -> list[Grade]:
    """So many grades, the same for the same seed; with a gain everyone knows more. One in fifty is out of the ordinary.

    student-0007 and every fiftieth after it cannot be read, the next one needs a person, the next interferes.
    """
    rng = random.Random(seed)
    return [_grade(number, rng, gain) for number in range(1, students + 1)]


def _grade(number: int, rng: random.Random, gain: float) -> Grade:
    student = f"student-{number:04}"
    skill = min(1.0, rng.betavariate(4, 2) + gain)
    exercises = tuple(_exercise(exercise, skill, rng) for exercise in LESSON.exercises)
    grade = Grade(f"{student}/multihead/multihead.ipynb", student, "multihead", "graded",
                  sum(exercise.points for exercise in exercises), 20.0, exercises, isolation="namespaces",
                  seconds=0.5, language="nl", key=f"{number:016x}", checks="0123456789abcdef")
    return _out_of_the_ordinary(grade, number % 50)


def _exercise(exercise, skill: float, rng: random.Random) -> ExerciseGrade:
    known = [mistake for mistake in LESSON.mistakes if mistake.exercises[:1] == (exercise.name,)]
    right, mistake = rng.random() < skill, rng.choice(known) if known else None
    verdicts = []
    for check in exercise.checks:
        passed = right or rng.random() < 0.4
        worth = float(check.points)
        verdicts.append(Verdict(check.name, check.title, "passed", worth, worth, "own") if passed else
                        Verdict(check.name, check.title, "wrong", 0.0, worth, None, SHAPE,
                                (mistake.id,) if mistake else ()))
    diagnosis = Diagnosis() if right or mistake is None else Diagnosis((mistake.id,), (mistake.hint,))
    return ExerciseGrade(exercise.name, sum(verdict.points for verdict in verdicts), float(exercise.points),
                         tuple(verdicts), diagnosis)


def _out_of_the_ordinary(grade: Grade, which: int) -> Grade:
    if which == 7:
        unknown = tuple(replace(exercise, points=None, diagnosis=Diagnosis(), verdicts=tuple(
            replace(verdict, verdict="skipped", points=None, message=None, world=None, mistakes=())
            for verdict in exercise.verdicts)) for exercise in grade.exercises)
        return replace(grade, status="unreadable", points=None, exercises=unknown,
                       notices=(text("The file is empty"),))
    if which == 8:
        return replace(grade, for_a_person=(text("an attention of its own"),))
    if which == 9:
        return replace(grade, cells=(CellReport(3, "tampering", "", ""),))
    return grade


def hostile(grade: Grade, words: str) -> Grade:
    """The grade with these words wherever a student, or somebody who made a file, could have put them."""
    said = Text("{said}", {"said": words})
    exercises = tuple(replace(
        exercise, name=words + exercise.name, diagnosis=Diagnosis((words,), (said,)), verdicts=tuple(
            replace(verdict, check=words + verdict.check, title=said, message=said, verdict="raised")
            for verdict in exercise.verdicts)) for exercise in grade.exercises)
    return replace(grade, submission=f"{words}.ipynb", student=words, exercises=exercises, notices=(said,),
                   for_a_person=(said,), cells=(CellReport(1, "tampering", words, words),), isolation=words,
                   checks=words, lesson=words)
