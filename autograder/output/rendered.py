"""Render what is shown of each exercise, without a name or a final mark: where the grade is made.

It travels as bytes from a process that has read what a student's code answered, so it has a bound, and names and marks
are added where they are known. Where there is none, the same functions render it when it is written.
"""

import msgspec

from autograder.locale.language import VERDICT_WORDS, language_for, translate
from autograder.output import marks
from autograder.output.feedback import exercise_html, exercise_section
from autograder.output.plain import plain
from autograder.records import ExerciseGrade, Grade

CAP = 2**18                                     # bytes; more is rendered where it is written


class RenderedExercise(msgspec.Struct, frozen=True):
    """What is shown of one exercise, without a name or a final mark."""

    words: str                           # below its cell in the autograded notebook
    cell: str                            # the same as HTML
    section: str                         # on the page, below its points; also HTML


class Rendered(msgspec.Struct, frozen=True):
    """What is shown of a grade's exercises, by their names, in one language."""

    language: str
    exercises: dict[str, RenderedExercise]


def rendered(grade: Grade, language: str) -> bytes:
    """What is shown of this grade's exercises in this language; nothing if it is too much or cannot be shown."""
    try:
        made = msgspec.msgpack.encode(Rendered(language, {exercise.name: RenderedExercise(
            exercise_words(exercise, language), exercise_page(exercise, language),
            "" if exercise.skipped else exercise_section(exercise, language)) for exercise in grade.exercises}))
    except Exception:                           # it fails again, and is told, where it is written
        return b""
    return made if len(made) <= CAP else b""


def made_of(grade: Grade, language: str, shown: bytes) -> dict[str, RenderedExercise]:
    """What was rendered of this grade, by exercise; nothing if that was for another grade or in another language."""
    if not shown or len(shown) > CAP or grade.status != "graded":
        return {}
    try:
        found = msgspec.msgpack.decode(shown, type=Rendered)
    except msgspec.MsgspecError:
        return {}
    fits = found.language == language_for(grade, language)
    return found.exercises if fits and [*found.exercises] == [each.name for each in grade.exercises] else {}


def exercise_words(exercise: ExerciseGrade | None, language: str) -> str:
    """An exercise in lines: its points, remarks about its checks, and the hints."""
    if exercise is None:
        return ""
    if exercise.skipped:
        return f"{exercise.name}: {translate(VERDICT_WORDS['skipped'], language)}"
    lines = [f"{exercise.name}: {marks.points_of(exercise.points, exercise.max_points)}"]
    nothing = marks.nothing_to_check(exercise)
    if nothing:
        return plain(f"{lines[0]}\n✗ {translate(nothing, language)}")
    for why, verdicts in marks.reservations(exercise):
        words = translate(marks.of_checks(len(verdicts), exercise, why), language)
        lines.append(f"{marks.verdict_mark(verdicts[0])} {words}")
    for verdicts in marks.failures(exercise):
        for verdict in verdicts:
            lines.append(f"{marks.verdict_mark(verdict)} {marks.labelled(verdict, language)}")
        lines.extend(f"    {line}" for line in translate(verdicts[0].message, language).splitlines())
    lines.extend(f"→ {translate(hint, language)}" for hint in exercise.diagnosis.hints)
    return plain("\n".join(lines))


def exercise_page(exercise: ExerciseGrade | None, language: str) -> str:
    """The same as HTML; empty if the words say it all."""
    return "" if exercise is None or exercise.skipped else exercise_html(exercise, language)
