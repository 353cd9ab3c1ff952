"""Replace the autograder's points by the gradebook's marks before a format writes the grades."""

from collections.abc import Iterator, Mapping, Sequence

from msgspec.structs import replace

from autograder.output.marks import number
from autograder.records import ExerciseGrade, Grade, Mark, Text, text

Marks = Mapping[str, Mark]                  # by student


def with_marks(grades: Sequence[Grade], marks: Marks, lesson: str) -> list[Grade]:
    """One grade per student, with the gradebook's points; without a mark there, the points are unknown.

    A student who is only in the gradebook gets a grade with points and nothing else.
    """
    worth = next((mark.max_points for mark in marks.values()), None)
    own = {grade.student for grade in grades}
    only_there = [Grade("", student, lesson, "graded", None, 0.0) for student in marks if student not in own]
    return [_final(grade, marks[grade.student]) if grade.student in marks else _without(grade, worth)
            for grade in sorted([*grades, *only_there], key=lambda grade: (grade.student, grade.submission))]


def differing(grades: Sequence[Grade], marks: Marks) -> list[str]:
    """The students whose mark is known and differs from the autograder's own points."""
    return [grade.student for grade in grades if grade.student in marks
            and (mark := marks[grade.student]).points is not None and number(mark.points) != number(grade.points)]


def _final(grade: Grade, mark: Mark) -> Grade:
    """A person's mark counts even if the autograder has none: the submission is then graded."""
    return replace(grade, points=mark.points, max_points=mark.max_points, exercises=tuple(_exercises(grade, mark)),
                   status=grade.status if mark.points is None else "graded",
                   notices=(*grade.notices, *_said(grade, mark)), mark=mark)


def _without(grade: Grade, worth: float | None) -> Grade:
    return replace(grade, points=None, max_points=grade.max_points if worth is None else worth,
                   exercises=tuple(replace(exercise, points=None) for exercise in grade.exercises))


def _exercises(grade: Grade, mark: Mark) -> Iterator[ExerciseGrade]:
    """The exercises of the grade, then the cells that only the gradebook has."""
    own = {exercise.name for exercise in grade.exercises}
    for exercise in grade.exercises:
        points, worth = mark.exercises.get(exercise.name, (None, 0.0))
        yield replace(exercise, points=points, max_points=worth, skipped=exercise.name not in mark.exercises)
    for name, (points, worth) in mark.exercises.items():
        if name not in own:
            yield ExerciseGrade(name, points, worth, ())


def _said(grade: Grade, mark: Mark) -> Iterator[Text]:
    """What explains the mark to the student beside the exercises."""
    if mark.late_penalty and not mark.waiting:
        yield text("{points} points were taken off because this was handed in late.",
                   points=number(mark.late_penalty))
