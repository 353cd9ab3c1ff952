"""Remove from grades everything that says whose they are, so that it cannot reach the page.

Names become codes keyed with a secret: a student has the same code wherever that secret is used, and without it a code
cannot be traced to a name. Students are in the order of their codes, which says nothing either. Of what students could
have written (exceptions, file names) only numbers and the lesson's own words stay.
"""

import builtins
import re
from base64 import b32encode
from collections.abc import Iterable, Iterator, Sequence
from hashlib import blake2b

from msgspec.structs import replace

from autograder.records import ExerciseGrade, Grade, Text, Verdict

HIDDEN = "…"
_WORD = re.compile(r"[^\W\d_]\w*")
_ERRORS = {name for name in vars(builtins) if name.endswith(("Error", "Exception", "Warning"))}
_NUMBERS = {"nan", "inf", "True", "False", "None", "e", "int32", "int64", "float16", "float32", "float64", "complex128"}


def anonymous(classes: Sequence[Sequence[Grade]], secret: bytes) -> list[list[Grade]]:
    """Each class with codes for names, in the order of the codes; a student in several has the same code in each."""
    students = {grade.student or grade.submission for grades in classes for grade in grades}
    codes = _codes(students, secret)
    known = _ERRORS | _NUMBERS | set(_vocabulary(grade for grades in classes for grade in grades))
    return [sorted((_nameless(grade, codes, known) for grade in grades), key=lambda grade: grade.student)
            for grades in classes]


def _codes(students: Iterable[str], secret: bytes) -> dict[str, str]:
    """The shortest codes that all differ: five letters and digits, or more."""
    digests = {student: b32encode(blake2b(student.encode("utf-8", "surrogatepass"), key=secret[:64]).digest()).decode()
               for student in students}
    length = next(n for n in range(5, 100) if len({digest[:n] for digest in digests.values()}) == len(digests))
    return {student: digest[:length] for student, digest in digests.items()}


def _nameless(grade: Grade, codes: dict[str, str], known: set[str]) -> Grade:
    def safe(sentences: Iterable[Text]) -> tuple[Text, ...]:
        return tuple(_safe(sentence, known) for sentence in sentences)

    def verdict(verdict_: Verdict) -> Verdict:
        return replace(verdict_, message=verdict_.message and _safe(verdict_.message, known))

    exercises = tuple(replace(exercise, verdicts=tuple(map(verdict, exercise.verdicts)))
                      for exercise in grade.exercises)
    code = codes[grade.student or grade.submission]
    return replace(grade, student=code, submission="", key="", cells=(),
                   mark=None if grade.mark is None else replace(grade.mark, student=code),
                   exercises=exercises, notices=safe(grade.notices), for_a_person=safe(grade.for_a_person))


def _safe(sentence: Text, known: set[str]) -> Text:
    """The sentence with an ellipsis for each gap that holds a word which is not the lesson's own."""
    return Text(sentence.template, {gap: _safe_value(value, known) for gap, value in sentence.values.items()})


def _safe_value(value: str | int | float | Text, known: set[str]) -> str | int | float | Text:
    if isinstance(value, Text):
        return _safe(value, known)
    if isinstance(value, str):
        return value if all(word in known for word in _WORD.findall(value)) else HIDDEN
    return value


def _vocabulary(grades: Iterable[Grade]) -> Iterator[str]:
    """Every word that the lesson and the autograder themselves use in these grades."""
    for grade in grades:
        for exercise in grade.exercises:
            for words in _authored(exercise):
                yield from _WORD.findall(words)


def _authored(exercise: ExerciseGrade) -> Iterator[str]:
    yield exercise.name
    for verdict in exercise.verdicts:
        yield verdict.check
        yield verdict.title.template
        if verdict.message:
            yield re.sub(r"\{\w+\}", " ", verdict.message.template)
