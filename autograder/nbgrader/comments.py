"""Write the comment below a solution cell: what to think about next, shown by the formgrader and the feedback.

nbgrader's feedback renders a comment as Markdown, with any HTML in it. So only the lesson's own sentences go in (the
titles of checks, hints), none that quotes what a student wrote; and they are escaped.
"""

import re

from autograder.locale.language import translate
from autograder.output.marks import begins, not_passed, reservations
from autograder.output.plain import capital
from autograder.records import ExerciseGrade, Text, text

SHOWN = 4                                   # checks named in a comment; the feedback page lists them all
_MARKUP = re.compile(r"([\\`<>$&])")        # not brackets: a bracket after a backslash is a formula


def comment_on(exercise: ExerciseGrade, language: str) -> str | None:
    """The hints of the diagnosis, or without any the failed checks; None if there is nothing to say."""
    if exercise.skipped or exercise.points is None:
        return None
    lines = list(exercise.diagnosis.hints) or _failed(exercise)
    lines += [why for why, _ in reservations(exercise) if not why.values]
    return "\n\n".join(as_markdown(capital(translate(line, language))) for line in lines) or None


def as_markdown(words: str) -> str:
    """One line of Markdown that shows these words literally."""
    return _MARKUP.sub(r"\\\1", " ".join(words.split()))


def _failed(exercise: ExerciseGrade) -> list[Text]:
    """The first checks that failed, and how many more there are."""
    failed = not_passed(exercise)
    lines = [text("{verdict}: {check}", verdict=begins(verdict), check=verdict.title)
             for verdict in failed[:SHOWN]]
    if len(failed) > SHOWN:
        lines.append(text("and {count} more; the page of feedback names them all", count=len(failed) - SHOWN))
    return lines
