"""Write a grade as plain lines, for the comment fields of other systems."""

from collections.abc import Iterator

from autograder.locale.language import VERDICT_WORDS, language_for, translate
from autograder.output import marks
from autograder.output.final import sentences
from autograder.output.plain import plain
from autograder.records import ExerciseGrade, Grade, Verdict


def summary(grade: Grade, language: str) -> list[str]:
    """What concerns the whole submission: why it could not be graded, what was repaired, whether there was a wall."""
    lines = [translate(notice, language) for notice in (*grade.notices, *sentences(grade))]
    if grade.status == "broken":
        lines.append(translate(VERDICT_WORDS["broken"], language))
    if grade.isolation == "none" and grade.status != "unreadable":
        lines.append(f"NOT ISOLATED: {translate(marks.NOT_ISOLATED, language)}")
    return [plain(line) for line in lines]


def details(exercise: ExerciseGrade, language: str) -> list[str]:
    """What a student reads about one exercise: failed checks with their messages, reservations about others, hints."""
    return [plain(line) for line in _details(exercise, language)]


def _details(exercise: ExerciseGrade, language: str) -> Iterator[str]:
    if exercise.skipped:
        return
    nothing = marks.nothing_to_check(exercise)
    if nothing:
        yield translate(nothing, language)
        return
    for verdicts in marks.failures(exercise):
        yield from (f"{marks.verdict_mark(verdict)} {marks.labelled(verdict, language)}" for verdict in verdicts)
        if verdicts[0].message is not None:
            yield f"  {translate(verdicts[0].message, language)}"
    for why, verdicts in marks.reservations(exercise):
        yield f"{marks.verdict_mark(verdicts[0])} {translate(why, language)}"
    for hint in exercise.diagnosis.hints:
        yield f"→ {translate(hint, language)}"


def title(verdict: Verdict, language: str) -> str:
    """The check's sentence, with the verdict's word unless it is right or simply wrong."""
    words = plain(translate(verdict.title, language)) or verdict.check
    if verdict.verdict in ("passed", "wrong"):
        return words
    return f"{words} ({translate(VERDICT_WORDS[verdict.verdict], language)})"


def comment(grade: Grade, language: str) -> str:
    """The whole feedback, a few lines per exercise."""
    language = language_for(grade, language)
    lines = summary(grade, language)
    for exercise in grade.exercises if grade.status != "unreadable" else ():
        if exercise.skipped:
            lines.append(f"{exercise.name}: {translate(VERDICT_WORDS['skipped'], language)}")
        else:
            lines.append(f"{exercise.name}: {marks.points_of(exercise.points, exercise.max_points)}")
        lines += [f"  {line}" for line in details(exercise, language)]
    return "\n".join(lines)
